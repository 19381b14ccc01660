// SPDX-License-Identifier: MIT
// The recordings of the page (gemm-page/1): a step is a request.
import {digits, many} from "./html.js";
import {LANES, LINE, SECTOR} from "./rules.js";

/** The numbers of a request, in their order. */
const [SITE, BLOCK, PHASE, WARP, , PATTERN, BASE, UNITS, IDEAL, USED] = Array(10).keys();

/** What was counted of an access: sectors, wavefronts or cache lines. */
export const units = one => one.sectors ?? one.wavefronts ?? one.lines;

export class Recording {
    requests; // of gemm-page/1, and used here; there are more
    sites;
    arrays;
    patterns;
    source;
    problem;
    settings;
    by;
    like; // the recording that it is compared with

    constructor(lab, raw) {
        const {lines, ...rest} = raw;
        Object.assign(this, rest);
        this.counts = lines;
        this.number = lab.number;
        this.title = lab.title;
        this.type = lab.type;
        this.cpu = lab.backend === "cpu";
        const ends = this.patterns.flat().map(([first, count]) => first + count);
        this.lanes = this.cpu ? Math.max(1, ...ends) : LANES; // of AVX eight
        this.name =
            raw.beside ? besideName(lab, raw) : [lab.number, raw.variant].filter(Boolean).join(" ");
        this.id = raw.beside ? `${lab.number}-beside` : lab.number;
        this.missing =
            raw.skip || raw.failure || (this.requests.length ? null : "Nothing was recorded.");
        this.length = this.requests.length;
        this.lines = new Map(); // with accesses, and the steps at which each is executed
        this.requests.forEach((_, step) => {
            const {line} = this.site(step);
            this.lines.set(line, [...this.lines.get(line) ?? [], step]);
        });
        this.sums = new Map();
    }

    site(step) {
        return this.sites[this.requests[step][SITE]];
    }

    array(step) {
        return this.arrays[this.site(step).array];
    }

    /** Where a step is: its block and warp, and how many barriers the block has passed. */
    place(step) {
        const numbers = this.requests[step];
        return {block: numbers[BLOCK], warp: numbers[WARP], phase: numbers[PHASE]};
    }

    /** The request of a step. @returns {import("./warp.js").Request} */
    request(step) {
        const numbers = this.requests[step], site = this.site(step), array = this.array(step);
        const lanes = Array(this.lanes).fill(null);
        for (const [first, count, offset, stride] of this.patterns[numbers[PATTERN]])
            for (let j = 0; j < count; j++)
                lanes[first + j] = (numbers[BASE] + offset + j * stride) * array.bytes;
        const shared = array.space === "shared", unit = this.cpu ? LINE : SECTOR;
        const [units, ideal, used] = [numbers[UNITS], numbers[IDEAL], numbers[USED]];
        return {
            lanes,
            shared,
            unit,
            bytes: site.width * array.bytes,
            writes: site.writes,
            array: array.name,
            color: colorOf(site.array),
            name: address => element(array, Math.floor(address / array.bytes)),
            cost: {units, ideal, used, moved: shared ? 0 : units * unit}
        };
    }

    /** The sum over the steps before `step` of what `of` says of each; sums are kept by name. */
    soFar(name, step, of) {
        if (!this.sums.has(name)) {
            const sums = new Float64Array(this.length + 1);
            for (let i = 0; i < this.length; i++) sums[i + 1] = sums[i] + of(i);
            this.sums.set(name, sums);
        }
        return this.sums.get(name)[step];
    }

    /** Bytes that the lanes of a step ask for, each for itself. */
    asked(step) {
        const pattern = this.patterns[this.requests[step][PATTERN]];
        const lanes = pattern.reduce((sum, part) => sum + part[1], 0);
        return lanes * this.site(step).width * this.array(step).bytes;
    }

    /** The step that is asked about: where most moves in vain, else most moves. */
    get question() {
        const wasted = one => (units(one) / one.ideal > 2 ? units(one) - one.ideal : 0);
        const order = (a, b) => wasted(b) - wasted(a) || units(b) - units(a) || b.bytes - a.bytes;
        const worst =
            this.asLike() ?? this.counts.filter(one => this.lines.has(one.line)).sort(order)[0];
        return worst ? Math.max(0, this.requests.findIndex((_, step) => this.is(step, worst))) : 0;
    }

    /** What the recording that this is compared with is asked about, where this has the same. */
    asLike() {
        if (!this.like || this.like.missing) return undefined;
        const step = this.like.question, site = this.like.site(step);
        return this.counts.find(one => one.array === this.like.array(step).name &&
                one.writes === site.writes &&
                this.source[one.line - 1] === this.like.source[site.line - 1]);
    }

    /** Is this step's access the one of these counts? */
    is(step, {line, array, writes}) {
        const site = this.site(step);
        return site.line === (line ?? 0) && site.writes === writes &&
            this.array(step).name === array;
    }

    /** What the requests like a step's cost in the whole run. */
    whole(step) {
        const same = this.counts.find(one => this.is(step, one));
        if (!same) return "";
        const unit = same.sectors ? "sector" : same.wavefronts ? "wavefront" : "cache line";
        const s = units(same) === same.requests ? "" : "s";
        const each = `${digits(units(same) / same.requests)} ${unit}${s}`;
        return `In the whole run: ${many(same.requests, "such request")} × ${each} = ${
            many(units(same), unit)}.`;
    }

    /** A statement, of which only the first line is known. */
    statement(line) {
        const rest = this.source.slice(line - 1, line + 3).map(text => text.trim());
        const end = rest.findIndex(text => /[;{]/.test(text));
        return rest.slice(0, Math.max(0, end) + 1).join(" ");
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
    const labs = page.labs.map(lab => {
        const [own, other] = lab.recordings.map(raw => new Recording(lab, raw));
        return {...lab, own, other};
    });
    for (const {own, other} of labs) {
        const same = other && page.labs.find(lab => lab.lab === other.lab);
        if (same?.number === own.number) own.like = other;
        if (same && same.number !== own.number) other.id = same.number; // it has a view of its own
        // beside PAD=0 it is PAD=4
        const setting = /^(\w+)=/.exec(other?.beside ?? "")?.[1];
        if (setting) own.name = `${own.number} ${setting}=${own.tunables[setting]}`;
    }
    return {labs, pairs: page.pairs};
}
