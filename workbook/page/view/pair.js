// SPDX-License-Identifier: MIT
// Before and after, on the same step.
import {Counters} from "./counters.js";
import {TOTALS} from "./data.js";
import {commas, h, many} from "./html.js";
import {missing, panel} from "./lab.js";
import {Stage} from "./stage.js";
import {drawWarp} from "./warp.js";

export class PairView {
    constructor(app, before, after) {
        this.app = app;
        this.sides = [before, after];
        this.panels = {matrices: "Matrices", warp: "One warp", numbers: "Numbers"};
        this.heading =
            h("h1", {tabindex: -1}, `Before and after: ${before.name} and ${after.name}`);
        const absent = this.sides.filter(side => side.missing);
        if (absent.length) {
            this.element = h("main", {}, this.heading, ...absent.map(missing));
            return;
        }
        this.length = Math.max(before.length, after.length);
        this.stages = this.sides.map(side => new Stage(side));
        this.counters = this.sides.map(side => new Counters(side));
        this.warps = this.sides.map(() => h("div"));
        const side = (element, i) => h("div.side", {}, h("h4", {}, this.sides[i].name), element);
        const both = (name, title, elements) =>
            panel(name, title, h("div.both", {}, ...elements.map(side)));
        const same = before.length === after.length
            ? ""
            : `The one takes ${many(before.length, "step")}, the other ` +
                `${many(after.length, "step")}: they are shown at the same share of their way. `;
        this.element = h("main", {}, this.heading, this.summary = h("p.verdict"),
            h("p.origin", {}, same,
                ...this.sides.map(side => h("span.source", {}, `${side.name}: ${side.origin}. `))),
            both("matrices", "Where the data lie", this.stages.map(stage => stage.element)),
            both("warp", "The request of this step", this.warps),
            both("numbers", "Counters and formulas", this.counters.map(one => one.element)));
    }

    get open() {
        return this.sides.every(side => this.app.open(side));
    }

    /** The step of a side: the same share of its way. */
    at(side, step) {
        return Math.round((step * side.length) / this.length);
    }

    show(state) {
        if (!this.length) return;
        const step = Math.min(state.step ?? 0, this.length);
        this.summary.textContent = this.open ? this.gain() : "";
        this.sides.forEach((side, i) => {
            const own = this.at(side, step);
            const open = this.app.open(side);
            this.stages[i].show(own, open);
            this.counters[i].show(own, open);
            const request = side.request(own ? own - 1 : side.question);
            this.warps[i].replaceChildren(
                open ? drawWarp(request, `recorded by ${side.by}`) : this.locked(side));
        });
    }

    locked(side) {
        const all = () => this.app.set({show: "1"});
        const guess = h("a", {href: `#view=${side.id}`}, `Guess in ${side.name}`);
        return h("p", {}, "A number stays hidden until you have guessed it. ",
            this.app.has(side.id) ? guess : null, " ",
            h("button", {type: "button", onclick: all}, "Show all numbers"));
    }

    /** What was gained, in all. */
    gain() {
        const [before, after] = this.sides.map(side => side.totals);
        const said =
            TOTALS.map(([key, unit, name]) => [name, before[key]?.[unit], after[key]?.[unit]])
                .filter(([, a, b]) => a && b && a !== b)
                .map(([name, a, b]) => `${name}: ${commas(a)} before, ${commas(b)} after`);
        return said.length ? `In all, ${said.join("; ")} (recorded).` : "";
    }

    say(step) {
        if (!step) return "At the start.";
        return this.sides.map((side, i) => `${side.name}: ${this.stages[i].now.textContent}.`)
            .join(" ");
    }
}
