// SPDX-License-Identifier: MIT
// Play, step, speed: a step is one request of a warp. Nothing plays by itself.
import {commas, h} from "./html.js";

const SPEEDS = [1, 2, 4, 8, 16, 32, 64, 128, 256]; // steps in a second

/** A range with its label and its output. */
function range(id, most, oninput) {
    const input = h("input", {type: "range", min: 0, max: most, id, oninput});
    const output = h("output", {"for": id});
    return {input, output, element: h("div.range", {}, h("label", {"for": id}, id), input, output)};
}

export class Player {
    constructor(app) {
        this.app = app;
        this.timer = null;
        const button = (label, title, onclick) =>
            h("button", {type: "button", title, onclick}, label);
        this.play = button("Play", "Space", () => this.toggle());
        this.position = range("step", 0, () => this.to(Number(this.position.input.value)));
        this.speed =
            range("speed", SPEEDS.length - 1, () => this.app.set({speed: this.speed.input.value}));
        this.element = h("footer.player", {role: "group", "aria-label": "Steps"},
            h("div.buttons", {}, button("Start", "Home", () => this.to(0)),
                button("Back", "Left arrow", () => this.by(-1)), this.play,
                button("Step", "Right arrow", () => this.by(1))),
            this.position.element, this.speed.element);
    }

    get still() {
        return matchMedia("(prefers-reduced-motion: reduce)").matches;
    }

    get length() {
        return this.app.view.length ?? 0;
    }

    get step() {
        return Math.min(this.app.state.step, this.length);
    }

    by(steps) {
        this.stop();
        this.to(this.step + steps);
    }

    /** A step to look at is told; of many in a second each would be too much to hear. */
    to(step) {
        this.app.live.setAttribute(
            "aria-live", this.timer && this.perSecond > 1 ? "off" : "polite");
        this.app.set(
            {step: Math.max(0, Math.min(step, this.length)), line: undefined, access: undefined});
        this.app.live.textContent = this.app.view.say(this.step);
    }

    get perSecond() {
        return SPEEDS[this.app.state.speed ?? 2] ?? SPEEDS[2];
    }

    toggle() {
        if (this.timer)
            this.stop();
        else if (this.still)
            this.by(1);
        else {
            if (this.step === this.length) this.to(0);
            this.tick();
        }
    }

    tick() {
        this.timer = setTimeout(() => {
            this.to(this.step + 1);
            if (this.step < this.length)
                this.tick();
            else
                this.stop();
        }, 1000 / this.perSecond);
        this.play.textContent = "Pause";
    }

    stop() {
        clearTimeout(this.timer);
        this.timer = null;
        this.play.textContent = "Play";
    }

    show(state) {
        this.element.hidden = !this.length;
        this.play.hidden = this.still;
        this.position.input.max = this.length;
        this.position.input.value = this.step;
        this.speed.input.value = state.speed ?? 2;
        this.position.output.textContent = `${commas(this.step)} of ${commas(this.length)}`;
        this.speed.output.textContent = `${this.perSecond} a second`;
    }

    /** Space, arrows, Home and End, where no control takes them for itself. */
    key(event) {
        if (!this.length || event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.target.closest?.("input, summary, a, button") &&
            (event.key === " " || event.target.matches("input")))
            return;
        const keys = {
            " ": () => this.toggle(),
            ArrowRight: () => this.by(1),
            ArrowLeft: () => this.by(-1),
            Home: () => this.by(-this.length),
            End: () => this.by(this.length)
        };
        const act = keys[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    }
}
