// SPDX-License-Identifier: MIT
// One request of a warp: what each lane asks for, and the sectors, banks or cache lines that
// answer.
import {commas, h, many, ranges, table} from "./html.js";
import {BANK, cost, SECTOR, served, touched} from "./rules.js";

/**
 * A request: lanes are addresses in bytes, null where a lane does not take part; name says which
 * element lies at an address, as in A[3][5].
 * @typedef {{lanes: (number|null)[], bytes: number, shared: boolean, writes: boolean,
 *            array: string, unit: number, color: string, name: (address: number) => string}}
 * Request
 */

export const unitOf = request => request.shared ? "wavefront"
    : request.unit === SECTOR                   ? "sector"
                                                : "cache line";

/** Which lanes want something of the bytes from `address` to `address + size` - 1. */
function wanting({lanes, bytes}, address, size, first = 0, last = lanes.length) {
    const found = [];
    for (let lane = first; lane < last; lane++)
        if (lanes[lane] !== null && lanes[lane] < address + size && address < lanes[lane] + bytes)
            found.push(lane);
    return found;
}

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
    return served(request.lanes, request.bytes).map(({first, last, banks}) => {
        const depth = Math.max(1, ...banks.map(words => words.length));
        const half = from => h("div.half", {}, h("span.head", {}, "bank"),
            ...banks.slice(from, from + 16).map((_, i) => h("span.bank", {}, from + i)),
            ...Array
                .from({length: depth},
                    (_, row) => [h("span.turn", {}, row + 1),
                        ...banks.slice(from, from + 16).map(words => {
                            if (words[row] === undefined) return h("span.word");
                            const at = words[row] * BANK;
                            return word(wanting(request, at, BANK, first, last), request.name(at));
                        })])
                .flat());
        const whole = last - first === request.lanes.length;
        return h("div", {},
            whole ? null : h("p.small", {}, `Lanes ${first}–${last - 1}, by themselves:`),
            h("div.banks", {}, half(0), half(16)));
    });
}

/** Moved and used, to scale. */
function bar({used, moved}) {
    return h("div.bar", {"aria-hidden": "true"},
        h("div.used", {style: `width:${(100 * used) / moved}%`}));
}

/** What the numbers say, in a sentence. */
export function verdict(request) {
    const {units, ideal, used, moved} = cost(request);
    if (!request.shared)
        return `${many(units, unitOf(request))}: moved ${many(moved, "byte")}, used ${
            commas(used)}.`;
    return units > ideal
        ? `${many(units, "wavefront")}, where ${commas(ideal)} would do: bank conflicts.`
        : `${many(units, "wavefront")}: no bank conflict.`;
}

/** Why it costs that much: from the addresses alone. */
export function why(request) {
    const {lanes, bytes, shared, unit, writes} = request;
    const {units, ideal, used, moved} = cost(request);
    const on = lanes.map((address, lane) => ({address, lane})).filter(one => one.address !== null);
    const distinct = [...new Set(on.map(one => one.address))];
    if (on.length === 1)
        return `One lane alone ${writes ? "writes" : "asks for"} ${request.name(on[0].address)}.`;
    const all = `The ${on.length} lanes ${writes ? "write" : "ask for"}`;
    if (distinct.length === 1)
        return `${all} one element, all the same: it is read once and handed to all (broadcast).`;
    if (!shared && distinct.length <= 4 && on.length >= 4 * distinct.length) {
        const who = address => `${request.name(address)} (lanes ${
            ranges(on.filter(one => one.address === address).map(one => one.lane))})`;
        return `${all} ${
            distinct.map(who).join(
                ", ")} alone: each is read once and handed to all that ask for it (broadcast).`;
    }
    const several = `${all} ${distinct.length} different elements.`;
    if (shared) return `${several} ${whyBanks(request, units, ideal)}`;
    const name = unit === SECTOR ? `sectors of ${unit} bytes` : `cache lines of ${unit} bytes`;
    const stride = commonest(
        on.slice(1).map((one, i) => Math.abs(one.address - on[i].address)).filter(Boolean));
    if (units <= ideal)
        return `${several} They lie side by side, and memory moves whole ${name}: ${
                   units === 1 ? "one holds" : `${units} hold`} them all, ` +
            `${
                used === moved ? "and nothing is moved for nothing"
                               : "and fewer cannot"}. The access is coalesced.`;
    const apart = stride > bytes ? `Neighbouring lanes are ${commas(stride)} bytes apart`
                                 : "They do not lie in one piece";
    return `${several} ${apart}, and memory moves whole ${name}: ${units} of them hold what ${
               ideal} could. ` +
        `Of ${commas(moved)} bytes that move, ${commas(moved - used)} are for nothing.` +
        (stride >= unit ? " The access is not coalesced." : "");
}

function whyBanks(request, units, ideal) {
    const full = served(request.lanes, request.bytes)
                     .flatMap(({first, last, banks}) =>
                                  banks.map((words, bank) => ({first, last, words, bank})))
                     .sort((a, b) => b.words.length - a.words.length)[0];
    const kinds = "A bank serves one word of 4 bytes at a time";
    if (units <= ideal)
        return `${kinds}, and no two of these words want the same bank at once: no bank conflict.`;
    const who = full.words.map(at => wanting(request, at * BANK, BANK, full.first, full.last)[0]);
    return `${kinds}, and ${full.words.length} different words lie in bank ${
               full.bank} alone (lanes ${ranges(who)}): ` +
        `they are served one after the other, a bank conflict.`;
}

function commonest(numbers) {
    const times = new Map();
    for (const one of numbers) times.set(one, (times.get(one) || 0) + 1);
    return [...times].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

let tableOpen = false; // who reads tables reads the next one, too

/** The drawing, its sentence, and the table behind it. `source`: where the numbers come from. */
export function drawWarp(request, source) {
    const numbers = cost(request);
    const moves = `The ${unitOf(request)}s that move: in each word the lane that asked for it; ` +
        "hatched: moved for nothing";
    const rows = request.lanes.map((address, lane) => {
        if (address === null) return [lane, "–", "–", "–"];
        const unit = request.shared ? `bank ${Math.floor(address / BANK) % 32}`
                                    : `${
                                          touched([address], request.bytes, request.unit)
                                              .map(one => request.name(one * request.unit))
                                              .join(", ")} …`;
        return [lane, request.name(address), commas(address), unit];
    });
    return h(`div.warp.${request.color}${request.shared ? ".shared" : ""}`, {},
        h("div.words-of", {},
            h("p.verdict", {}, verdict(request), " ", h("span.source", {}, source)),
            request.shared ? null : bar(numbers), h("p.why", {}, why(request))),
        h("h4.lanes-head", {}, `What each lane ${request.writes ? "writes" : "asks for"}`),
        asked(request),
        h("div.units", {},
            h("h4", {},
                request.shared ? "The banks: a column each, a row for each wavefront" : moves),
            ...(request.shared ? inBanks(request) : [inSectors(request)])),
        h("details", {open: tableOpen, ontoggle: event => (tableOpen = event.target.open)},
            h("summary", {}, "The same as a table"),
            table("Lanes of this request",
                [
                    "lane", "element", "address, bytes",
                    request.shared ? "bank" : `${unitOf(request)} that begins at`
                ],
                rows)));
}
