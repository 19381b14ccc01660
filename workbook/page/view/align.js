// SPDX-License-Identifier: MIT
// Which step of one kernel is beside a step of another: at the same element of C and the same k.
import {element} from "./data.js";

const arrayOf = (recording, step) => recording.arrays[recording.site(step).array];

/** Does it write C? */
const ends = (recording, step) =>
    step < recording.length && recording.site(step).writes && arrayOf(recording, step).name === "C";

/** The elements of C that some steps write. */
const written = (recording, steps) =>
    steps.filter(step => ends(recording, step))
        .flatMap(step => recording.request(step)
                             .lanes.filter(at => at !== null)
                             .map(at => at / arrayOf(recording, step).bytes));

/** Steps in parts: of a warp, or of the loops until they have written C, there once or again. */
function parts(recording) {
    const found = new Map();
    let part = [];
    recording.steps.forEach((_, step) => {
        const {block, warp} = recording.recorded(step);
        part.push(step);
        if (recording.cpu && (!ends(recording, step) || ends(recording, step + 1))) return;
        const name = recording.cpu ? written(recording, part)[0] : `${block} ${warp}`;
        found.set(name, [...found.get(name) ?? [], ...part]);
        part = [];
    });
    return [...found.values()];
}

/** The k of an element of A or B; of others none. */
function inMatrix(recording, step) {
    const {name, ld, bytes} = arrayOf(recording, step);
    const index = recording.request(step).lanes.find(at => at !== null) / bytes;
    return name === "A" ? index % ld : name === "B" ? Math.floor(index / ld) : null;
}

/** Of each step its part and k, else counted by the line that asks for most; parts by elements. */
function places(recording) {
    const of = [], partOf = new Map();
    const sum = [...recording.lines].sort((a, b) => b[1].length - a[1].length)[0][0];
    for (const part of parts(recording)) {
        const inSum = part.filter(step => recording.site(step).line === sum).length || 1;
        let done = 0;
        for (const step of part) {
            const last = recording.problem.K - 1, k = Math.floor((done * (last + 1)) / inSum);
            of[step] = {part, k: inMatrix(recording, step) ?? Math.min(k, last)};
            done += recording.site(step).line === sum ? 1 : 0;
        }
        for (const one of written(recording, part)) partOf.set(one, part);
    }
    return {of, partOf};
}

/** A, and what holds some of it: a_tile. */
const letter = (recording, step) => arrayOf(recording, step).name[0].toLowerCase();

/** Beside so many steps of `after`: how many of `before`, and why. */
export function alignment(before, after) {
    const what = (side, step) => [side.recorded(step).block, side.recorded(step).warp,
        letter(side, step), side.site(step).writes]
                                     .join();
    if (before.length === after.length &&
        after.steps.every((_, step) => what(before, step) === what(after, step)))
        return step => [step, "Both are at the same instruction of the same warp."];
    const there = places(before), here = places(after);
    return step => {
        const share = step / after.length, place = here.of[step - 1];
        const first = place && written(after, place.part)[0], part = there.partOf.get(first);
        if (!part || step === after.length)
            return [
                Math.round(share * before.length),
                `Both have done ${Math.round(100 * share)} % of their steps.`
            ];
        const off = one => 4 * Math.abs(there.of[one].k - place.k) +
            (letter(before, one) === letter(after, step - 1) ? 0 : 2) +
            (before.site(one).writes === after.site(step - 1).writes ? 0 : 1);
        const best = part.reduce((a, b) => (off(b) < off(a) ? b : a));
        const C = after.arrays.find(array => array.name === "C");
        return [
            best + 1, `Both are at ${element(C, first)}, k = ${place.k} of ${after.problem.K}.`
        ];
    };
}
