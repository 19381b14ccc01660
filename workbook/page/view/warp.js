// SPDX-License-Identifier: MIT
// One request of a warp: what each lane asks for, and the sectors, banks or cache lines that
// answer.
import {commas, h, ranges, table} from "./html.js";
import {BANK, served, touched, wanting} from "./rules.js";
import {unitOf, verdict, why} from "./why.js";

/**
 * A request: lanes are addresses in bytes, null where a lane does not take part; name says which
 * element lies at an address, as in A[3][5].
 * @typedef {{lanes: (number|null)[], bytes: number, shared: boolean, writes: boolean,
 *            array: string, unit: number, color: string, name: (address: number) => string}}
 * Request
 */

const label = lanes => (lanes.length > 1 ? `×${lanes.length}` : `${lanes[0]}`);

function word(lanes, what) {
    if (!lanes.length) return h("span.word.idle", {title: `${what}: moved, and not asked for`});
    const who = lanes.length > 1 ? `lanes ${ranges(lanes)}` : `lane ${lanes[0]}`;
    return h(lanes.length > 1 ? "span.word.asked.several" : "span.word.asked",
        {title: `${what}: ${who}`}, label(lanes));
}

/** Whose lanes they are: a number each, and the element that it asks for. */
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
        const words = [];
        for (let at = sector * unit; at < (sector + 1) * unit; at += step)
            words.push(word(wanting(request, at, step), request.name(at)));
        return h("div.sector", {}, h("span.from", {}, request.name(sector * unit)),
            h("span.words", {}, ...words));
    }));
}

/** A column for each bank; a row for each wavefront. */
function inBanks(request) {
    let done = 0; // wavefronts of the lanes before
    return served(request.lanes, request.bytes, request.writes).map(({first, last, banks}) => {
        const before = done;
        const depth = Math.max(1, ...banks.map(words => words.length));
        const half = from => h("div.half", {}, h("span.head", {}, "bank"),
            ...banks.slice(from, from + 16).map((_, i) => h("span.bank", {}, from + i)),
            ...Array
                .from({length: depth},
                    (_, row) => [h("span.turn", {}, before + row + 1),
                        ...banks.slice(from, from + 16).map(words => {
                            if (words[row] === undefined) return h("span.word");
                            const at = words[row] * BANK;
                            return word(wanting(request, at, BANK, first, last), request.name(at));
                        })])
                .flat());
        const whole = last - first === request.lanes.length;
        done += depth;
        return h("div", {},
            whole ? null
                  : h("p.small", {},
                        `Of more than 4 bytes a lane, ${last - first} lanes at once: lanes ${
                            first}–${last - 1}`),
            h("div.banks", {}, half(0), half(16)));
    });
}

/** A box for each unit that moves, filled as far as it is used; as many as lanes fill the width. */
function scale({lanes, bytes, unit}) {
    const used = new Map();
    for (const byte of touched(lanes, bytes, 1)) {
        const at = Math.floor(byte / unit);
        used.set(at, (used.get(at) ?? 0) + 1);
    }
    const boxes = [...used.values()].map(
        count => h("i", {}, h("b", {style: `width:${(100 * count) / unit}%`})));
    return h("div.scale",
        {"aria-hidden": "true", style: `--most:${Math.max(lanes.length, boxes.length)}`}, ...boxes);
}

let tableOpen = false; // who reads tables reads the next one, too

/** The drawing, its sentence and its table; `source` of the numbers; what the `whole` run costs. */
export function drawWarp(request, source, whole = "") {
    const moves = `The ${unitOf(request)}s that move: in each word the lane that asked for it; ` +
        "hatched: moved for nothing";
    const rows = request.lanes.map((address, lane) => {
        if (address === null) return [lane, "–", "–", "–"];
        const bank = `bank ${Math.floor(address / BANK) % 32}`;
        const units = touched([address], request.bytes, request.unit);
        const from = units.map(one => request.name(one * request.unit)).join(", ");
        const unit = request.shared ? bank : `${from} …`;
        return [lane, request.name(address), commas(address), unit];
    });
    const where = request.shared ? "bank" : `${unitOf(request)} that begins at`;
    const heads = ["lane", "element", "address, bytes", where];
    return h(`div.warp.${request.color}${request.shared ? ".shared" : ""}`, {},
        h("div.words-of", {},
            h("p.verdict", {}, verdict(request), " ", h("span.source", {}, source)),
            request.shared ? null : scale(request), whole ? h("p.whole", {}, whole) : null,
            h("p.why", {}, why(request))),
        h("h4.lanes-head", {}, `What each lane ${request.writes ? "writes" : "asks for"}`),
        asked(request),
        h("div.units", {},
            h("h4", {},
                request.shared ? "The banks: a column each, a row for each wavefront" : moves),
            ...(request.shared ? inBanks(request) : [inSectors(request)])),
        h("details", {open: tableOpen, ontoggle: event => (tableOpen = event.target.open)},
            h("summary", {}, "The same as a table"), table("Lanes of this request", heads, rows)));
}
