// SPDX-License-Identifier: MIT
// The page: what the address says is shown, so that a link carries it; buttons, ranges and keys
// change the address.
import {load} from "./data.js";
import {DictionaryView} from "./dictionary.js";
import {h} from "./html.js";
import {LabView} from "./lab.js";
import {PairView} from "./pair.js";
import {Player} from "./player.js";

const page = load(document.getElementById("data").textContent);

/** All views: their name in the address, what the list calls them, how one is made. */
const VIEWS = [
    ...page.labs.flatMap(
        lab => [lab.other?.lab === lab.lab ? lab.other : null, lab.own].filter(Boolean).map(
            recording => ({
                id: recording.id,
                group: "Labs",
                label: recording.name,
                make: app => new LabView(app, lab, recording)
            }))),
    ...page.labs.filter(lab => lab.other).map(lab => ({
        id: `${lab.number}-pair`,
        group: "Before and after",
        label: `${lab.other.name} → ${
            lab.own.name.replace(lab.other.lab === lab.lab ? /^\d+ / : "", "")}`,
        make: app => new PairView(app, lab.other, lab.own, lab.gain)
    })),
    ...page.pairs.map(([a, b]) => ({
        id: `${a.number}-${b.number}`,
        group: "OpenCL and CUDA",
        label: `${a.number} | ${b.number}`,
        make: app => new DictionaryView(a, b)
    })),
];
const NUMBERS = ["line", "step"];
const KEPT = ["hall", "show", "speed"]; // from view to view

class App {
    constructor() {
        this.guesses = new Map(); // of recordings; null: somebody would rather see it
        this.live = h("p.live", {"aria-live": "polite"});
        this.player = new Player(this);
        this.place = h("div.place");
        this.tabs = h("nav.tabs", {"aria-label": "Parts of the view"});
        document.getElementById("app").replaceChildren(
            this.header(), this.tabs, this.place, this.player.element, this.live);
        addEventListener("hashchange", () => this.read());
        addEventListener("keydown", event => this.player.key(event));
        this.read();
    }

    header() {
        const groups = [...new Set(VIEWS.map(view => view.group))];
        this.links = new Map(VIEWS.map(view => [view.id, this.link(view)]));
        const group = name => h("div.group", {}, h("span.name", {}, name),
            ...VIEWS.filter(view => view.group === name).map(view => this.links.get(view.id)));
        this.toggles = {
            hall: this.toggle("Projector", "hall", "Large text, one part at a time"),
            show: this.toggle("All numbers", "show", "Show what was not guessed yet"),
        };
        this.menu = h("details.menu", {}, this.current = h("summary"),
            h("nav.views", {"aria-label": "Views"}, ...groups.map(group)));
        return h("header", {}, this.menu, h("div.settings", {}, ...Object.values(this.toggles)));
    }

    link(view) {
        const follow = event => {
            event.preventDefault();
            this.go(view.id);
        };
        return h("a", {href: `#view=${view.id}`, onclick: follow}, view.label);
    }

    toggle(label, name, title) {
        const onclick = () => this.set({[name]: this.state[name] ? undefined : "1"});
        return h("button", {type: "button", title, onclick}, label);
    }

    tab(name, title) {
        const onclick = () => this.set({panel: name});
        return h("button", {type: "button", "data-name": name, onclick}, title);
    }

    /** May its numbers be shown? */
    open(recording) {
        return this.state.show === "1" || this.guesses.has(recording.id);
    }

    has(id) {
        return VIEWS.some(view => view.id === id);
    }

    /** To another view: what holds for all of them stays. */
    go(id) {
        const kept = KEPT.map(name => [name, this.state[name]]);
        this.state = {view: id, step: 0, ...Object.fromEntries(kept)};
        history.pushState(null, "", this.address());
        this.show();
        this.view.heading.focus({preventScroll: true});
    }

    set(changes) {
        Object.assign(this.state, changes);
        history.replaceState(null, "", this.address());
        this.show();
    }

    address() {
        const said = Object.entries(this.state).filter(([, value]) => value);
        return `#${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`;
    }

    read() {
        this.state = {step: 0, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1)))};
        for (const name of NUMBERS)
            if (name in this.state) this.state[name] = Math.max(0, parseInt(this.state[name]) || 0);
        if (!this.has(this.state.view)) this.state.view = VIEWS[0].id;
        this.show();
    }

    show() {
        const {state} = this, chosen = VIEWS.find(view => view.id === state.view);
        if (state.view !== this.shown) this.change(chosen);
        for (const [id, link] of this.links)
            link.setAttribute("aria-current", id === state.view ? "page" : "false");
        for (const [name, button] of Object.entries(this.toggles))
            button.setAttribute("aria-pressed", String(Boolean(state[name])));
        document.documentElement.classList.toggle("hall", Boolean(state.hall));
        this.current.textContent =
            state.hall ? this.view.heading.textContent : `${chosen.group}: ${chosen.label}`;
        if (this.folded !== state.view + state.hall)
            this.menu.open = !state.hall && matchMedia("(min-width: 40rem)").matches;
        this.folded = state.view + state.hall;
        this.showPanels();
        this.view.show(state);
        this.player.show(state);
    }

    change(chosen) {
        this.shown = chosen.id;
        this.view = chosen.make(this);
        this.place.replaceChildren(this.view.element);
        this.buttons =
            Object.entries(this.view.panels).map(([name, title]) => this.tab(name, title));
        this.tabs.replaceChildren(...this.buttons);
        scrollTo(0, 0);
        this.player.stop();
        this.live.textContent = "";
    }

    /** In a hall one part fills the screen. */
    showPanels() {
        const names = this.buttons.map(button => button.dataset.name);
        const front = names.includes(this.state.panel) ? this.state.panel : names[0];
        for (const button of this.buttons)
            button.setAttribute("aria-pressed", String(button.dataset.name === front));
        for (const panel of this.place.querySelectorAll("[data-panel]"))
            panel.classList.toggle("front", panel.dataset.panel === front);
    }
}

new App();
