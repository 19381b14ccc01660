// SPDX-License-Identifier: MIT
// A lab: its source, one request of a warp, its matrices step by step, its counters.
import {Counters} from "./counters.js";
import {commas, h, many} from "./html.js";
import {answer, ask} from "./predict.js";
import {roofline} from "./roofline.js";
import {accessName, Source} from "./source.js";
import {Stage} from "./stage.js";
import {drawWarp} from "./warp.js";
import {unitOf} from "./why.js";

/** What page.html has to say. */
const words = id => document.getElementById(id).content.cloneNode(true);

/** A part of the page: in a hall one of them fills the screen. */
export const panel = (name, title, ...children) =>
    h("section.panel", {"data-panel": name}, h("h3", {}, title), ...children);

export const missing = recording =>
    h("p.missing", {}, `${recording.number} ${recording.beside ?? ""}: ${recording.missing}`);

export class LabView {
    /** `app`: set(changes), guesses: a Map of recordings' ids. */
    constructor(app, lab, recording) {
        this.app = app;
        this.lab = lab;
        this.recording = recording;
        this.panels = {
            source: "Source",
            warp: recording.cpu ? "One instruction" : "One warp",
            matrices: "Matrices",
            numbers: "Numbers",
            speed: "Speed"
        };
        this.heading = h("h1", {tabindex: -1}, recording.title,
            recording.beside ? h("span.beside", {}, ` ${recording.beside}`) : null);
        if (recording.missing) {
            this.element = h("main", {}, this.heading, missing(recording));
            return;
        }
        this.length = recording.length;
        this.source = new Source(recording, (line, access) => app.set({line, access}));
        this.stage = new Stage(recording);
        this.counters = new Counters(recording);
        this.warp = h("div");
        this.behind = h("div");
        const changed = recording.since && recording.changed.length
            ? `; + and a bar: not in ${recording.since}`
            : "";
        const kind = recording.cpu ? "cpu" : "gpu";
        const who = recording.lanes === 1 ? "scalar" : kind;
        const column = (...panels) => h("div.column", {}, ...panels);
        this.element = h("main", {}, this.heading, words(`who-${who}`),
            h("p.origin", {}, h("span.source", {}, recording.origin), this.part()),
            recording.wrong ? h("p.missing", {}, `The result is wrong: ${recording.wrong}`) : null,
            h("div.columns", {},
                column(panel("source", `${recording.file}${changed}`, this.source.element),
                    panel("warp", this.panels.warp, this.warp)),
                column(panel("matrices", "Where the data lie", this.stage.element, words("legend"),
                           h("details", {ontoggle: () => this.refresh()},
                               h("summary", {}, "The same as a table"), this.behind)),
                    panel("numbers", "Counters and formulas", words("counted"),
                        this.counters.element, this.tables()),
                    panel("speed", "Measured speed",
                        roofline(recording, recording.like ? [recording.like] : []),
                        words(`left-out-${kind}`)))));
    }

    part() {
        const {recorded, of} = this.recording.accesses;
        const {cut} = this.recording;
        const shown = `${commas(recorded)} of ${commas(of)} accesses are shown.`;
        const all = recorded < of ? shown : "All are shown.";
        return `. ${many(this.length, "request")}, one a step. ${cut ?? all}`;
    }

    /** The tables that are there without JavaScript: behind a door, until there was a guess. */
    tables() {
        const section = document.getElementById(`lab${this.recording.number}`);
        if (!section) return null;
        const from = this.recording.beside ? section.querySelector(".beside") : section;
        const copies = ["table.counts", "table.formulas"]
                           .map(what => from?.querySelector(what)?.cloneNode(true))
                           .filter(Boolean);
        this.all = h("details", {}, h("summary", {}, "All counts as tables"),
            ...copies.map(copy => h("div.scroll", {tabindex: 0}, copy)));
        return this.all;
    }

    accessOf(step) {
        const {array, writes} = this.recording.site(step);
        return accessName({array: this.recording.arrays[array].name, writes});
    }

    /**
     * The step that the warp's panel shows: at the chosen line the last one so far, or its first.
     */
    chosen({line, access, step}) {
        const {recording} = this;
        if (line === undefined) return step ? step - 1 : recording.question;
        const fits = i => access === undefined || this.accessOf(i) === access;
        const steps = (recording.lines.get(line) ?? []).filter(fits);
        return steps.filter(i => i < step).pop() ?? steps[0] ?? recording.question;
    }

    get open() {
        return this.app.open(this.recording);
    }

    show(state) {
        if (this.recording.missing) return;
        const {recording} = this;
        const step = Math.min(state.step ?? 0, this.length);
        const chosen = this.open ? this.chosen({...state, step}) : recording.question;
        const site = recording.site(chosen);
        this.source.show(
            site.line, this.accessOf(chosen), step ? recording.site(step - 1).line : 0, this.open);
        const seen = `${site.line} ${state.hall} ${state.panel}`; // what is hidden does not scroll
        if (seen !== this.revealed) this.source.reveal(site.line);
        this.revealed = seen;
        this.stage.show(step, this.open);
        this.counters.show(step, this.open);
        if (this.all) this.all.hidden = !this.open;
        this.showWarp(chosen, site.line, chosen < step);
        this.step = step;
        this.refresh();
    }

    showWarp(step, line, done) {
        const {app, recording} = this;
        const key = `${step} ${done} ${this.open} ${app.guesses.get(recording.id)}`;
        if (key === this.warpShown) return;
        this.warpShown = key;
        const request = recording.request(step);
        if (!this.open) {
            this.warp.replaceChildren(ask(recording, request, line, guess => {
                app.guesses.set(recording.id, guess);
                app.set({line, access: this.accessOf(recording.question)});
            }));
            return;
        }
        const {block, warp} = recording.recorded(step);
        const who = recording.cpu ? "" : `warp ${warp} of block ${block}, `;
        const guess = app.guesses.get(recording.id);
        const asked = recording.site(step) === recording.site(recording.question);
        const told = guess !== undefined && asked;
        this.warp.replaceChildren(
            ...(told ? [answer(guess, recording.request(recording.question))] : []),
            h("p", {}, `Line ${line}, ${who}${done ? "step" : "not yet done: step"} ${step + 1}: `,
                h("b", {}, `${request.writes ? "writes" : "reads"} ${request.array}`)),
            h("pre", {}, recording.statement(line)),
            drawWarp(request, `recorded by ${recording.by}`, recording.whole(step)));
    }

    refresh() {
        const door = this.behind.parentElement;
        if (door.open) this.behind.replaceChildren(this.stage.table(this.step));
    }

    /** What a step did, for who does not see it. */
    say(step) {
        if (!step) return "At the start.";
        const request = this.recording.request(step - 1), site = this.recording.site(step - 1);
        const lanes = request.lanes.filter(address => address !== null).length;
        const cost =
            this.open ? `, ${many(this.recording.recorded(step - 1).units, unitOf(request))}` : "";
        return `Step ${commas(step)} of ${commas(this.length)}: line ${site.line} ` +
            `${site.writes ? "writes" : "reads"} ${request.array}, ${many(lanes, "lane")}${cost}.`;
    }
}
