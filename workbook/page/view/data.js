// SPDX-License-Identifier: MIT
// The recordings of the page (gemm-page/1): runs become requests, one a step, in the order of
// playing.
import {digits, many} from "./html.js";
import {LANES} from "./rules.js";

/** Fields of a run, in their order. */
const [SITE, BLOCK, PHASE, WARP, ORDER, ORDER_STEP, PATTERN, BASE, BASE_STEP, COUNT, UNITS] =
    Array(11).keys();

/** The totals of a recording, the unit that each counts, and what it is called. */
export const TOTALS = [
    ["global_load", "sectors", "sectors of global memory, loads"],
    ["global_store", "sectors", "sectors of global memory, stores"],
    ["shared_load", "wavefronts", "wavefronts of shared memory, loads"],
    ["shared_store", "wavefronts", "wavefronts of shared memory, stores"],
    ["memory_load", "lines", "cache lines, loads"],
    ["memory_store", "lines", "cache lines, stores"],
];

/** What was counted of an access: sectors, wavefronts or cache lines. */
export const units = one => one.sectors ?? one.wavefronts ?? one.lines;

export class Recording {
    runs; // of gemm-page/1, and used here; there are more
    sites;
    arrays;
    patterns;
    source;
    problem;
    settings;
    by;
    like; // the recording that it is compared with
    stepsOfLine;
    sums = new Map();

    constructor(lab, raw, rules) {
        const {lines, ...rest} = raw;
        Object.assign(this, rest);
        this.counts = lines ?? [];
        this.number = lab.number;
        this.title = lab.title;
        this.type = lab.type;
        this.cpu = lab.backend === "cpu";
        const ends = (this.patterns ?? []).flat().map(([first, count]) => first + count);
        this.lanes = this.cpu ? Math.max(1, ...ends) : LANES; // of AVX eight
        this.line = rules.line;
        this.sector = rules.sector;
        this.name =
            raw.beside ? besideName(lab, raw) : [lab.number, raw.variant].filter(Boolean).join(" ");
        this.id = raw.beside ? `${lab.number}-beside` : lab.number;
        this.missing =
            raw.skip || raw.failure || (raw.runs.length ? null : "Nothing was recorded.");
    }

    /** Of each step: its run, and which of the run's requests it is. */
    get steps() {
        if (this.decoded) return this.decoded;
        const found = [];
        this.runs?.forEach((run, index) => {
            for (let i = 0; i < run[COUNT]; i++)
                found.push([index, i, run[ORDER] + i * run[ORDER_STEP]]);
        });
        const launch = ([index]) => this.sites[this.runs[index][SITE]].launch;
        const key = (step, field) => this.runs[step[0]][field];
        found.sort((a, b) => launch(a) - launch(b) || key(a, BLOCK) - key(b, BLOCK) ||
                key(a, PHASE) - key(b, PHASE) || a[2] - b[2] || key(a, WARP) - key(b, WARP) ||
                a[0] - b[0]);
        this.decoded = found;
        return found;
    }

    get length() {
        return this.steps.length;
    }

    site(step) {
        return this.sites[this.runs[this.steps[step][0]][SITE]];
    }

    /** What was recorded of a step, beside its addresses. */
    recorded(step) {
        const [site, block, phase, warp] = this.runs[this.steps[step][0]];
        return {site, block, phase, warp, units: this.runs[this.steps[step][0]][UNITS]};
    }

    /** The request of a step. @returns {import("./warp.js").Request} */
    request(step) {
        const [index, i] = this.steps[step];
        const run = this.runs[index], site = this.sites[run[SITE]], array = this.arrays[site.array];
        const start = run[BASE] + i * run[BASE_STEP];
        const lanes = Array(this.lanes).fill(null);
        for (const [first, count, offset, stride] of this.patterns[run[PATTERN]])
            for (let j = 0; j < count; j++)
                lanes[first + j] = (start + offset + j * stride) * array.bytes;
        return {
            lanes,
            bytes: site.width * array.bytes,
            shared: array.space === "shared",
            writes: site.writes,
            array: array.name,
            unit: this.cpu ? this.line : this.sector,
            color: colorOf(site.array),
            name: address => element(array, Math.floor(address / array.bytes)),
        };
    }

    /** A sum over the steps before `step`, of what `of` says of each; sums are kept by name. */
    soFar(name, step, of) {
        if (!this.sums.has(name)) {
            const sums = new Float64Array(this.length + 1);
            for (let i = 0; i < this.length; i++) sums[i + 1] = sums[i] + of(this.recorded(i), i);
            this.sums.set(name, sums);
        }
        return this.sums.get(name)[step];
    }

    /** Bytes that the lanes of a step ask for, each for itself. */
    asked(step) {
        const run = this.runs[this.steps[step][0]], site = this.sites[run[SITE]];
        const lanes = this.patterns[run[PATTERN]].reduce((sum, part) => sum + part[1], 0);
        return lanes * site.width * this.arrays[site.array].bytes;
    }

    /** Lines with accesses, and the steps at which each is executed. */
    get lines() {
        this.stepsOfLine ??= this.steps.reduce((found, _, step) => {
            const {line} = this.site(step);
            if (!found.has(line)) found.set(line, []);
            found.get(line).push(step);
            return found;
        }, new Map());
        return this.stepsOfLine;
    }

    /** What is asked about: where most moves in vain, else most moves, or most of that is used. */
    get question() {
        const wasted = one => (units(one) / one.ideal > 2 ? units(one) - one.ideal : 0);
        const order = (a, b) => wasted(b) - wasted(a) || units(b) - units(a) || b.bytes - a.bytes;
        const worst =
            this.asLike() ?? this.counts.filter(one => this.lines.has(one.line)).sort(order)[0];
        return worst ? Math.max(0, this.steps.findIndex((_, step) => this.is(step, worst))) : 0;
    }

    /** Is this step's access the one of these counts? */
    is(step, {line, array, writes}) {
        const site = this.site(step);
        return site.line === line && site.writes === writes &&
            this.arrays[site.array].name === array;
    }

    /** What the requests like a step's cost in the whole run. */
    whole(step) {
        const same = this.counts.find(one => this.is(step, {...one, line: one.line ?? 0}));
        if (!same) return "";
        const unit = same.sectors ? "sector" : same.wavefronts ? "wavefront" : "cache line";
        return `In the whole run: ${many(same.requests, "such request")} × ${
            digits(units(same) / same.requests)} ${unit}${
            units(same) === same.requests ? "" : "s"} = ${many(units(same), unit)}.`;
    }

    /** A statement, of which only the first line is known. */
    statement(line) {
        const rest = this.source.slice(line - 1, line + 3).map(text => text.trim());
        const end = rest.findIndex(text => /[;{]/.test(text));
        return rest.slice(0, Math.max(0, end) + 1).join(" ");
    }

    /** What the recording that this is compared with is asked about, where this has the same. */
    asLike() {
        if (!this.like || this.like.missing) return undefined;
        const site = this.like.site(this.like.question), text = this.like.source[site.line - 1];
        return this.counts.find(one => one.array === this.like.arrays[site.array].name &&
                one.writes === site.writes && this.source[one.line - 1] === text);
    }

    get origin() {
        const {M, N, K} = this.problem;
        const own = Object.entries(this.tunables).map(([name, value]) => `${name}=${value}`);
        const others = this.settings.filter(one => !(one.split("=")[0] in this.tunables));
        const settings = [...others, ...own].map(one => ` ${one}`).join("");
        return `recorded by ${this.by}: ${M} × ${N} × ${K}, ${this.type}${
            settings && `,${settings}`}`;
    }
}

const besideName = (lab, raw) =>
    /^lab /.test(raw.beside) ? raw.beside.slice(4) : `${lab.number} ${raw.beside}`;

/** Of an array: A, B and C are the first. */
export const colorOf = index => "abcde"[index % 5];

export function element({name, ld, rows}, index) {
    return rows > 1 || ld > 1 ? `${name}[${Math.floor(index / ld)}][${index % ld}]`
                              : `${name}[${index}]`;
}

export function load(text) {
    const page = JSON.parse(text);
    const recordings =
        page.labs.flatMap(lab => lab.recordings.map(raw => new Recording(lab, raw, page.rules)));
    const labs = page.labs.map(lab => ({
        ...lab,
        own: recordings.find(one => one.number === lab.number && !one.beside),
        other: recordings.find(one => one.number === lab.number && one.beside)
    }));
    for (const {own, other} of labs) {
        const same = other && page.labs.find(lab => lab.lab === other.lab);
        if (same?.number === own.number) own.like = other;
        if (same && same.number !== own.number) other.id = same.number; // it has a view of its own
        // beside PAD=0 it is PAD=4
        const setting = /^(\w+)=/.exec(other?.beside ?? "")?.[1];
        if (setting && own.tunables) own.name = `${own.number} ${setting}=${own.tunables[setting]}`;
    }
    return {labs, recordings, pairs: page.pairs};
}
