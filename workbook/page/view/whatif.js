// SPDX-License-Identifier: MIT
// What if: sectors and banks of patterns that nobody recorded, computed by rules.js.
import {h, many, range} from "./html.js";
import {panel} from "./lab.js";
import {cost, LANES, SECTOR} from "./rules.js";
import {drawWarp} from "./warp.js";
import {unitOf} from "./why.js";

const SIZES = [1, 2, 4, 8, 16];

/** Ranges: name in the address, label with its unit, what moves, least, most, first value. */
const GLOBAL = [
    ["stride", "Stride, in elements", "Larger: neighbouring lanes lie farther apart.", 0, 32, 1],
    ["gsize", "Element, in bytes", "Larger: fewer lanes find room in a sector.", 0, 4, 2],
    ["row", "Row of the warp, in lanes", "The lanes after it begin a row of their own.", 1, 32, 32],
    [
        "down", "Next row, in elements", "Larger: rows of lanes move apart; for rows below 32.", 0,
        64, 0
    ],
    ["shift", "Start, in elements", "All lanes move on, past the edge of a sector.", 0, 8, 0],
];
const SHARED = [
    [
        "pad", "PAD, in elements", "Each row of a_tile begins that many later: in other banks.", 0,
        8, 0
    ],
    [
        "tile", "TILE_M, in elements", "The length of a_tile's rows: 32, and all begin in bank 0.",
        8, 128, 32
    ],
    ["tk", "TILE_K, in rows", "So many lanes write one column; the next lane, the next.", 1, 32, 8],
    ["ssize", "Element, in bytes", "Larger than 4: an element lies in several banks.", 2, 4, 2],
];

const lanesOf = address => Array.from({length: LANES}, (_, lane) => address(lane));

function globalRequest({row, stride, down, shift, gsize}) {
    const bytes = SIZES[gsize];
    const index = lane => (lane % row) * stride + Math.floor(lane / row) * down + shift;
    const lanes = lanesOf(lane => index(lane) * bytes);
    const name = address => `A[${Math.floor(address / bytes)}]`;
    return {lanes, bytes, name, unit: SECTOR, array: "A", color: "a"};
}

/** Lab 07's copy: neighbours read a row of A and write a column of its transposed tile. */
function sharedRequest({tk, tile, pad, ssize}) {
    const bytes = SIZES[ssize], ld = tile + pad;
    const place = index => `[${Math.floor(index / ld)}][${index % ld}]`;
    const lanes = lanesOf(lane => ((lane % tk) * ld + Math.floor(lane / tk)) * bytes);
    const name = address => `a_tile${place(Math.floor(address / bytes))}`;
    return {lanes, bytes, name, shared: true, writes: true, array: "a_tile", color: "d"};
}

export class WhatIfView {
    constructor(app, recordings) {
        this.app = app;
        this.recordings = recordings;
        this.shapes = new Map();
        this.panels = {global: "Global memory", shared: "Shared memory"};
        this.heading = h("h1", {tabindex: -1}, "What if? Sectors and banks, computed");
        this.parts = [this.part(GLOBAL, globalRequest), this.part(SHARED, sharedRequest)];
        const [global, shared] = this.parts;
        this.element = h("main", {}, this.heading,
            h("p.origin", {},
                "Move a range: the warp's 32 lanes, and the sectors or banks that answer, are " +
                    "computed anew by the rules with which make profile counts."),
            h("div.halves", {}, panel("global", "Global memory: stride and size", global.element),
                panel("shared", "Shared memory: lab 07's copy of A's tile", shared.element)));
    }

    part(ranges, request) {
        const drawing = h("div"), twin = h("p.twin");
        const inputs = ranges.map(([key, label, moves, min, max, first]) => {
            const one = range(`if-${key}`, [label, h("span.small", {}, moves)], min, max,
                () => this.app.set({[key]: one.input.value}));
            return {key, min, max, first, ...one};
        });
        const element =
            h("div", {}, h("div.ranges", {}, ...inputs.map(one => one.element)), twin, drawing);
        const show = state => {
            const values = {};
            for (const {key, min, max, first, input, output} of inputs) {
                const said = Math.floor(Number(state[key] ?? first)) || 0;
                values[key] = input.value = Math.min(max, Math.max(min, said));
                input.disabled = key === "down" && values.row === LANES; // there is no next row
                output.textContent = key.endsWith("size") ? SIZES[values[key]] : values[key];
            }
            const made = request(values);
            const same = this.recordedTwin(made);
            twin.replaceChildren(h("b", {}, "computed: "),
                `${many(cost(made).units, unitOf(made))}. `, h("b", {}, "recorded: "),
                same ?? "no kernel on this page accesses memory in this pattern.");
            drawing.replaceChildren(drawWarp(made, "computed, not recorded"));
        };
        return {element, show};
    }

    /** A recorded request whose lanes lie as these do. */
    recordedTwin(made) {
        const key = shape(made);
        for (const recording of this.recordings) {
            if (recording.missing || recording.cpu) continue;
            if (!this.shapes.has(recording))
                this.shapes.set(recording,
                    new Map(recording.steps.map((_, step) => [shape(recording.request(step)), step])
                                .reverse()));
            const step = this.shapes.get(recording).get(key);
            if (step === undefined) continue;
            const site = recording.site(step);
            const where = `${recording.name}, line ${site.line}`;
            const count = many(recording.recorded(step).units, unitOf(made));
            return h("span", {}, h("a", {href: `#view=${recording.id}&line=${site.line}`}, where),
                this.app.open(recording) ? `: ${count}.` : ", where it is still to be guessed.");
        }
        return null;
    }

    show(state) {
        for (const part of this.parts) part.show(state);
    }
}

/** Lanes relative to each other, and to the unit that they begin in. */
function shape({lanes, bytes, shared}) {
    const first = Math.min(...lanes.filter(address => address !== null));
    const from = first - (shared ? first % 128 : first % SECTOR);
    return `${Boolean(shared)} ${bytes} ${
        lanes.map(address => (address === null ? "" : address - from))}`;
}
