// SPDX-License-Identifier: MIT
// What if: sectors and banks of patterns that nobody recorded, computed by rules.js.
import {h, many} from "./html.js";
import {panel} from "./lab.js";
import {cost, LANES, SECTOR} from "./rules.js";
import {drawWarp} from "./warp.js";
import {unitOf} from "./why.js";

const SIZES = [1, 2, 4, 8, 16];

/** Ranges: name in the address, label, least, most, first value, and what to make of it. */
const GLOBAL = [
    ["stride", "Stride: elements from a lane to the next", 0, 32, 1],
    ["gsize", "Bytes of an element (a float: 4)", 0, 4, 2],
    ["row", "Row: lanes that follow at this stride", 1, 32, 32],
    ["down", "Elements from a row of lanes to the next", 0, 64, 0],
    ["shift", "Start: elements before that of lane 0", 0, 8, 0],
];
const SHARED = [
    ["pad", "PAD: unused elements after each row", 0, 8, 0],
    ["tile", "Tile, TILE_M: elements in a row of a_tile", 8, 128, 32],
    ["tk", "Tile, TILE_K: rows; so many lanes write a column", 1, 32, 8],
    ["ssize", "Bytes of an element (a float: 4)", 2, 4, 2],
];

export function globalLanes({row, stride, down, shift, gsize}) {
    const bytes = SIZES[gsize];
    return {
        bytes,
        lanes: Array.from({length: LANES},
            (_, lane) => ((lane % row) * stride + Math.floor(lane / row) * down + shift) * bytes)
    };
}

/** Lab 07's copy: neighbours read a row of A and write a column of its transposed tile. */
export function sharedLanes({tk, tile, pad, ssize}) {
    const bytes = SIZES[ssize];
    return {
        bytes,
        lanes: Array.from({length: LANES},
            (_, lane) => ((lane % tk) * (tile + pad) + Math.floor(lane / tk)) * bytes)
    };
}

export class WhatIfView {
    constructor(app, recordings) {
        this.app = app;
        this.recordings = recordings;
        this.shapes = new Map();
        this.panels = {global: "Global memory", shared: "Shared memory"};
        this.heading = h("h1", {tabindex: -1}, "What if? Sectors and banks, computed");
        this.global = this.part("global", GLOBAL, state => {
            const of = globalLanes(state);
            return {
                ...of,
                shared: false,
                writes: false,
                array: "A",
                unit: SECTOR,
                color: "a",
                name: address => `A[${Math.floor(address / of.bytes)}]`
            };
        });
        this.shared = this.part("shared", SHARED, state => {
            const of = sharedLanes(state);
            return {
                ...of,
                shared: true,
                writes: true,
                array: "a_tile",
                unit: SECTOR,
                color: "d",
                name: address => {
                    const index = Math.floor(address / of.bytes), ld = state.tile + state.pad;
                    return `a_tile[${Math.floor(index / ld)}][${index % ld}]`;
                }
            };
        });
        this.element = h("main", {}, this.heading,
            h("p.origin", {},
                "Move a range: the warp's 32 lanes, and the sectors or banks that answer, are " +
                    "computed anew by the rules with which make profile counts."),
            h("div.halves", {},
                panel("global", "Global memory: stride and size", this.global.element),
                panel("shared", "Shared memory: lab 07's copy of A's tile", this.shared.element)));
    }

    part(name, ranges, request) {
        const drawing = h("div"), twin = h("p.twin");
        const inputs = ranges.map(([key, label, min, max, first]) => {
            const input = h("input", {
                type: "range",
                min,
                max,
                id: `if-${key}`,
                oninput: () => this.app.set({[key]: input.value})
            });
            const output = h("output", {"for": `if-${key}`});
            return {
                key,
                first,
                input,
                output,
                label: h("div.range", {}, h("label", {"for": `if-${key}`}, label), input, output)
            };
        });
        const element =
            h("div", {}, h("div.ranges", {}, ...inputs.map(one => one.label)), twin, drawing);
        const show = state => {
            const values = Object.fromEntries(inputs.map(({key, first, input, output}) => {
                const value = Math.min(Number(input.max),
                    Math.max(Number(input.min), Math.floor(Number(state[key] ?? first)) || 0));
                input.value = value;
                output.textContent = key.endsWith("size") ? `${SIZES[value]}` : `${value}`;
                return [key, value];
            }));
            const made = request(values);
            const same = this.recordedTwin(made);
            twin.replaceChildren(h("b", {}, "computed: "),
                `${many(cost(made).units, unitOf(made))}. `, h("b", {}, "recorded: "),
                same ?? "no kernel on this page accesses memory in this pattern.");
            drawing.replaceChildren(drawWarp(made, "computed, not recorded"));
        };
        return {element, show};
    }

    /** A recorded request whose lanes lie as these do. */
    recordedTwin(made) {
        const key = shape(made);
        for (const recording of this.recordings) {
            if (recording.missing || recording.cpu) continue;
            if (!this.shapes.has(recording))
                this.shapes.set(recording,
                    new Map(recording.steps.map((_, step) => [shape(recording.request(step)), step])
                                .reverse()));
            const step = this.shapes.get(recording).get(key);
            if (step === undefined) continue;
            const site = recording.site(step);
            const where = `${recording.name}, line ${site.line}`;
            const count = many(recording.recorded(step).units, unitOf(made));
            return h("span", {}, h("a", {href: `#view=${recording.id}&line=${site.line}`}, where),
                this.app.open(recording) ? `: ${count}.` : ", where it is still to be guessed.");
        }
        return null;
    }

    show(state) {
        this.global.show(state);
        this.shared.show(state);
    }
}

/** Lanes relative to each other, and to the unit that they begin in. */
function shape({lanes, bytes, shared}) {
    const first = Math.min(...lanes.filter(address => address !== null));
    const from = first - (shared ? first % 128 : first % SECTOR);
    return `${shared} ${bytes} ${lanes.map(address => (address === null ? "" : address - from))}`;
}
