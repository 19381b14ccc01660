// SPDX-License-Identifier: MIT
// Before and after, as far through the work.
import {Counters} from "./counters.js";
import {h, panel} from "./html.js";
import {missing} from "./lab.js";
import {Stage} from "./stage.js";
import {drawWarp} from "./warp.js";

/** A step of `before` that is as far through its steps, at the next access like that of `after`. */
function beside(before, after, step) {
    if (before.length === after.length || step === 0) return step;
    const like = (recording, at) => `${recording.array(at).name[0]} ${recording.site(at).writes}`;
    const least = Math.max(1, Math.floor((step / after.length) * before.length));
    for (let there = least; there < before.length; there++)
        if (like(before, there - 1) === like(after, step - 1)) return there;
    return before.length;
}

export class PairView {
    constructor(app, before, after, gain) {
        this.app = app;
        this.gain = gain;
        this.sides = [before, after];
        const one = after.cpu ? "One instruction" : "One warp";
        this.panels = {matrices: "Matrices", warp: one, numbers: "Numbers", why: "What it brings"};
        this.heading =
            h("h1", {tabindex: -1}, `Before and after: ${before.name} and ${after.name}`);
        const absent = this.sides.filter(side => side.missing);
        if (absent.length) {
            this.element = h("main", {}, this.heading, ...absent.map(missing));
            return;
        }
        this.length = after.length;
        this.stages = this.sides.map(side => new Stage(side));
        this.counters = this.sides.map(side => new Counters(side));
        this.warps = this.sides.map(() => h("div"));
        const side = (element, i) => h("div.side", {}, h("h4", {}, this.sides[i].name), element);
        const both = (name, title, elements) =>
            panel(name, title, h("div.both", {}, ...elements.map(side)));
        this.element = h("main", {}, this.heading, this.summary = h("p.verdict"),
            panel("why", this.panels.why, this.reason = h("p.reason"),
                h("p.measured", {}, gain.measured)),
            this.place = h("p.place-of-both"),
            h("p.origin", {},
                ...this.sides.map(side => h("span.source", {}, `${side.name}: ${side.origin}. `))),
            both("matrices", "Where the data lie", this.stages.map(stage => stage.element)),
            both("warp", `${one}: a request of each`, this.warps),
            both("numbers", "Counters and formulas", this.counters.map(one => one.element)));
    }

    show(state) {
        if (!this.length) return;
        const [before, after] = this.sides, step = Math.min(state.step, this.length);
        const there = beside(before, after, step);
        const open = this.sides.every(side => this.app.open(side));
        const size = Object.values(after.problem).join(" × ");
        this.summary.replaceChildren(
            ...(open ? [`${size}: ${this.gain.moved} `, h("span.source", {}, "recorded")] : []));
        this.reason.textContent = open ? this.gain.reuse : "";
        const share = Math.round((100 * step) / this.length);
        this.place.textContent = !step
            ? "Nothing is done yet: of each the request that is asked about."
            : before.length === after.length ? "Both are at the same instruction of the same warp."
                                             : `Both have done ${share} % of their steps.`;
        this.sides.forEach((side, i) => this.showSide(side, i, i ? step : there));
    }

    showSide(side, i, step) {
        const open = this.app.open(side), shown = step ? step - 1 : side.question;
        this.stages[i].show(step, open);
        this.counters[i].show(step, open);
        this.warps[i].replaceChildren(
            open ? drawWarp(side.request(shown), side.by, side.whole(shown)) : this.locked(side));
    }

    locked(side) {
        const all = () => this.app.set({show: "1"});
        const guess = h("a", {href: `#view=${side.id}`}, `Guess in ${side.name}`);
        return h("p", {}, "A number stays hidden until you have guessed it. ",
            this.app.has(side.id) ? guess : null, " ",
            h("button", {type: "button", onclick: all}, "Show all numbers"));
    }

    say(step) {
        if (!step) return "At the start.";
        const sides =
            this.sides.map((side, i) => `${side.name}: ${this.stages[i].now.textContent}.`);
        return [this.place.textContent, ...sides].join(" ");
    }
}
