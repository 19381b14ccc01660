// SPDX-License-Identifier: MIT
// Before and after, at the same place of the work.
import {alignment} from "./align.js";
import {Counters} from "./counters.js";
import {h} from "./html.js";
import {missing, panel} from "./lab.js";
import {Stage} from "./stage.js";
import {drawWarp} from "./warp.js";

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
        this.beside = alignment(before, after);
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

    get open() {
        return this.sides.every(side => this.app.open(side));
    }

    show(state) {
        if (!this.length) return;
        const step = Math.min(state.step ?? 0, this.length);
        const [there, place] = this.beside(step);
        const size = Object.values(this.sides[1].problem).join(" × ");
        this.summary.replaceChildren(...(
            this.open ? [`${size}: ${this.gain.moved} `, h("span.source", {}, "recorded")] : []));
        this.reason.textContent = this.open ? this.gain.reuse : "";
        this.place.textContent =
            step ? place : "Nothing is done yet: of each the request that is asked about.";
        this.sides.forEach((side, i) => {
            const own = i ? step : there;
            const open = this.app.open(side);
            this.stages[i].show(own, open);
            this.counters[i].show(own, open);
            const request = side.request(own ? own - 1 : side.question);
            this.warps[i].replaceChildren(open ? drawWarp(request, `recorded by ${side.by}`,
                                                     side.whole(own ? own - 1 : side.question))
                                               : this.locked(side));
        });
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
