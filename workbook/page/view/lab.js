// SPDX-License-Identifier: MIT
// A lab: its source, one request of a warp, its matrices step by step, its counters.
import {Counters} from "./counters.js";
import {commas, h, many, panel} from "./html.js";
import {answer, ask} from "./predict.js";
import {accessName, Source} from "./source.js";
import {Stage} from "./stage.js";
import {drawWarp} from "./warp.js";
import {unitOf} from "./why.js";

/** What page.html has to say. */
const words = id => document.getElementById(id).content.cloneNode(true);

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
        const changed = recording.since && recording.changed.length
            ? `; + and a bar: not in ${recording.since}`
            : "";
        const kind = recording.cpu ? "cpu" : "gpu";
        const who = recording.lanes === 1 ? "scalar" : kind;
        const column = (...panels) => h("div.column", {}, ...panels);
        this.element = h("main", {}, this.heading, words(`who-${who}`),
            h("p.origin", {}, h("span.source", {}, recording.origin),
                `. ${many(this.length, "request")}, one a step. ${
                    recording.cut ?? "All are shown."}`),
            recording.wrong ? h("p.missing", {}, `The result is wrong: ${recording.wrong}`) : null,
            h("div.columns", {},
                column(panel("source", `${recording.file}${changed}`, this.source.element),
                    panel("warp", this.panels.warp, this.warp)),
                column(panel("matrices", "Where the data lie", this.stage.element, words("legend")),
                    panel("numbers", "Counters and formulas", words("counted"),
                        this.counters.element),
                    panel("speed", "Measured speed", h("p", {}, recording.speed),
                        words(`left-out-${kind}`)))));
    }

    accessOf(step) {
        return accessName(
            {array: this.recording.array(step).name, writes: this.recording.site(step).writes});
    }

    /** The step that the warp's panel shows: of the chosen line the last so far, or its first. */
    chosen({line, access, step}) {
        const {recording} = this;
        if (line === undefined) return step ? step - 1 : recording.question;
        const fits = i => access === undefined || this.accessOf(i) === access;
        const steps = (recording.lines.get(line) ?? []).filter(fits);
        return steps.filter(i => i < step).pop() ?? steps[0] ?? recording.question;
    }

    show(state) {
        if (!this.length) return;
        const {recording} = this;
        const open = this.app.open(recording), step = Math.min(state.step, this.length);
        const chosen = open ? this.chosen({...state, step}) : recording.question;
        const {line} = recording.site(chosen);
        this.source.show(
            line, this.accessOf(chosen), step ? recording.site(step - 1).line : 0, open);
        const seen = `${line} ${state.hall} ${state.panel}`; // what is hidden does not scroll
        if (seen !== this.revealed) this.source.reveal(line);
        this.revealed = seen;
        this.stage.show(step, open);
        this.counters.show(step, open);
        this.showWarp(chosen, line, chosen < step, open);
    }

    showWarp(step, line, done, open) {
        const {app, recording} = this;
        const guess = app.guesses.get(recording.id);
        const key = `${step} ${done} ${open} ${guess}`;
        if (key === this.warpShown) return;
        this.warpShown = key;
        const request = recording.request(step);
        if (!open) {
            this.warp.replaceChildren(ask(recording, request, line, guess => {
                app.guesses.set(recording.id, guess);
                app.set({line, access: this.accessOf(recording.question)});
            }));
            return;
        }
        const {block, warp} = recording.place(step);
        const who = recording.cpu ? "" : `warp ${warp} of block ${block}, `;
        const asked = recording.site(step) === recording.site(recording.question);
        const told = guess !== undefined && asked;
        this.warp.replaceChildren(
            ...(told ? [answer(guess, recording.request(recording.question))] : []),
            h("p", {}, `Line ${line}, ${who}${done ? "step" : "not yet done: step"} ${step + 1}: `,
                h("b", {}, `${request.writes ? "writes" : "reads"} ${request.array}`)),
            h("pre", {}, recording.statement(line)),
            drawWarp(request, recording.by, recording.whole(step)));
    }

    /** What a step did, for who does not see it. */
    say(step) {
        if (!step) return "At the start.";
        const request = this.recording.request(step - 1), site = this.recording.site(step - 1);
        const lanes = request.lanes.filter(address => address !== null).length;
        const open = this.app.open(this.recording);
        const cost = open ? `, ${many(request.cost.units, unitOf(request))}` : "";
        return `Step ${commas(step)} of ${commas(this.length)}: line ${site.line} ` +
            `${site.writes ? "writes" : "reads"} ${request.array}, ${many(lanes, "lane")}${cost}.`;
    }
}
