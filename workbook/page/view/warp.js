// SPDX-License-Identifier: MIT
// One request of a warp: what each lane asks for, and the sectors, banks or cache lines that
// answer.
import {h, ranges} from "./html.js";
import {BANK, banksOf, touched, wanting} from "./rules.js";
import {unitOf, verdict, why} from "./why.js";

/**
 * A request: lanes are addresses in bytes, null where a lane does not take part; name says which
 * element lies at an address, as in A[3][5]; cost is as recorded.
 * @typedef {{lanes: (number|null)[], bytes: number, shared: boolean, writes: boolean,
 *            array: string, unit: number, color: string, name: (address: number) => string,
 *            cost: {units: number, ideal: number, used: number, moved: number}}} Request
 */

function word(request, address, size) {
    const lanes = wanting(request, address, size), name = request.name(address);
    if (!lanes.length) return h("span.word.idle", {title: `${name}: moved, and not asked for`});
    const several = lanes.length > 1;
    return h(several ? "span.word.asked.several" : "span.word.asked",
        {title: `${name}: lane${several ? "s" : ""} ${ranges(lanes)}`},
        several ? `×${lanes.length}` : lanes[0]);
}

/** What each lane asks for: its number, and the element. */
function asked(request) {
    const names = request.lanes.map(address => (address === null ? "–" : request.name(address)));
    const one = (name, lane) =>
        h(name === "–" ? "li.off" : "li", {title: name}, h("b", {}, lane), ` ${name}`);
    const long = Math.max(...names.map(name => name.length)) > 9;
    return h(long ? "ol.lanes.long" : "ol.lanes", {}, ...names.map(one));
}

function inSectors(request) {
    const {lanes, bytes, unit} = request;
    const step = Math.min(bytes, 4);
    return h("div.sectors", {}, ...touched(lanes, bytes, unit).map(sector => {
        const words = Array.from(
            {length: unit / step}, (_, i) => word(request, sector * unit + i * step, step));
        return h("div.sector", {}, h("span.from", {}, request.name(sector * unit)),
            h("span.words", {}, ...words));
    }));
}

/** A column for each bank, with the words that lie in it. */
function inBanks(request) {
    const banks = banksOf(request);
    const depth = Math.max(...banks.map(words => words.length));
    const row = (from, turn) => [h("span.turn", {}, turn + 1),
        ...banks.slice(from, from + 16)
            .map(words => turn < words.length ? word(request, words[turn] * BANK, BANK)
                                              : h("span.word"))];
    const half = from => h("div.half", {}, h("span.head", {}, "bank"),
        ...banks.slice(from, from + 16).map((_, i) => h("span.bank", {}, from + i)),
        ...Array.from({length: depth}, (_, turn) => row(from, turn)).flat());
    return h("div.banks", {}, half(0), half(16));
}

/** A box for each unit that moves, filled as far as it is used; as many as lanes fill the width. */
function scale({lanes, bytes, unit}) {
    const used = touched(lanes, bytes, 1);
    const boxes = touched(lanes, bytes, unit).map(box => {
        const share = used.filter(byte => Math.floor(byte / unit) === box).length / unit;
        return h("i", {}, h("b", {style: `width:${100 * share}%`}));
    });
    return h("div.scale",
        {"aria-hidden": "true", style: `--most:${Math.max(lanes.length, boxes.length)}`}, ...boxes);
}

/** The drawing and its sentence; who recorded it; what such requests cost in the `whole` run. */
export function drawWarp(request, by, whole) {
    const moves = `The ${unitOf(request)}s that move: in each word the lane that asked for it; ` +
        "hatched: moved for nothing";
    return h(`div.warp.${request.color}${request.shared ? ".shared" : ""}`, {},
        h("div.words-of", {},
            h("p.verdict", {}, verdict(request), " ", h("span.source", {}, `recorded by ${by}`)),
            request.shared ? null : scale(request), h("p.whole", {}, whole),
            h("p.why", {}, why(request))),
        h("h4.lanes-head", {}, `What each lane ${request.writes ? "writes" : "asks for"}`),
        asked(request),
        h("div.units", {},
            h("h4", {},
                request.shared ? "The banks: a column each, with the words that lie in it" : moves),
            request.shared ? inBanks(request) : inSectors(request)));
}
