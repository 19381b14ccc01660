// SPDX-License-Identifier: MIT
// What a request costs, and why, in sentences: from its recorded cost and its lanes' addresses.
import {commas, many, ranges} from "./html.js";
import {BANK, banksOf, SECTOR, wanting} from "./rules.js";

export const unitOf = request => request.shared ? "wavefront"
    : request.unit === SECTOR                   ? "sector"
                                                : "cache line";

export function verdict(request) {
    const {units, ideal, used, moved} = request.cost;
    const count = many(units, unitOf(request));
    if (!request.shared) return `${count}: moved ${many(moved, "byte")}, used ${commas(used)}.`;
    if (units === ideal) return `${count}: no bank conflict.`;
    return `${count}, where ${commas(ideal)} would do: bank conflicts.`;
}

export function why(request) {
    const {lanes, shared, writes, name} = request;
    const on = lanes.map((address, lane) => ({address, lane})).filter(one => one.address !== null);
    const distinct = [...new Set(on.map(one => one.address))];
    const who = shared || request.unit === SECTOR ? "One lane" : "The loop";
    if (on.length === 1) return `${who} ${writes ? "writes" : "asks for"} ${name(distinct[0])}.`;
    const all = `The ${on.length} lanes ${writes ? "write" : "ask for"}`;
    if (distinct.length === 1)
        return `${all} one element, all the same: it is read once and handed to all (broadcast).`;
    if (!shared && distinct.length <= 4 && on.length >= 4 * distinct.length) {
        const of = address => on.filter(one => one.address === address).map(one => one.lane);
        const who = distinct.map(address => `${name(address)} (lanes ${ranges(of(address))})`);
        return `${all} ${who.join(", ")} alone: each is moved once for all of them (broadcast).`;
    }
    const several = `${all} ${distinct.length} different elements.`;
    return `${several} ${shared ? ofBanks(request) : ofSectors(request, on)}`;
}

function ofSectors({bytes, unit, cost: {units, ideal, used, moved}}, on) {
    const name = unit === SECTOR ? `sectors of ${unit} bytes` : `cache lines of ${unit} bytes`;
    const coalesced = text => (unit === SECTOR ? ` The access is ${text}.` : "");
    if (units <= ideal) {
        const them = units === 1 ? "one holds them all" : `${units} hold them all`;
        const rest = used === moved ? "nothing is moved for nothing" : "fewer cannot";
        return `They lie side by side, and memory moves whole ${name}: ${them}, and ${rest}.` +
            coalesced("coalesced");
    }
    const gaps = on.slice(1).map((one, i) => Math.abs(one.address - on[i].address));
    const stride = commonest(gaps.filter(Boolean));
    const first = Math.min(...on.map(one => one.address));
    const apart = on.every(one => one.address < first + used)
        ? "They lie side by side, but do not begin where memory's parts begin"
        : stride > bytes ? `Neighbouring lanes are ${commas(stride)} bytes apart`
                         : "They do not lie in one piece";
    return `${apart}, and memory moves whole ${name}: ${units} of them hold what ${ideal} could. ` +
        `Of ${commas(moved)} bytes that move, ${commas(moved - used)} are for nothing.` +
        coalesced(stride >= unit ? "not coalesced" : "coalesced in part");
}

function ofBanks(request) {
    const one = "A bank serves one word of 4 bytes at a time";
    if (request.cost.units <= request.cost.ideal)
        return `${one}, and no two of these words want the same bank at once: no bank conflict.`;
    const banks = banksOf(request);
    const full = banks.reduce((a, b) => (b.length > a.length ? b : a));
    const who = full.map(at => wanting(request, at * BANK, BANK)[0]);
    return `${one}, and ${full.length} different words lie in bank ${banks.indexOf(full)} alone ` +
        `(lanes ${ranges(who)}): they are served one after the other, a bank conflict.`;
}

function commonest(numbers) {
    const times = new Map();
    for (const one of numbers) times.set(one, (times.get(one) || 0) + 1);
    return [...times].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
