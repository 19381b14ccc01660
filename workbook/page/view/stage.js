// SPDX-License-Identifier: MIT
// Where a kernel's data lie, and what of them is touched: A, B and C, and tiles. What was touched
// last is strongest; the older, the fainter.
import {colorOf} from "./data.js";
import {h, many, s} from "./html.js";
import {BANK, BANKS, touched} from "./rules.js";

const AGES = 8; // requests until a cell is as before

/** Cells in rows and columns, which fade. */
class Grid {
    constructor(color, columns, cells) {
        const rows = Math.ceil(cells / columns);
        this.columns = columns;
        this.cells = Array.from({length: cells}, (_, i) => s("rect", {
            x: (i % columns) + 0.06,
            y: Math.floor(i / columns) + 0.06,
            width: 0.88,
            height: 0.88
        }));
        this.marks = s("g.moved");
        this.drawing = s(`svg.grid.${color}`, {
            viewBox: `-0.1 -0.1 ${columns + 0.2} ${rows + 0.2}`,
            "aria-hidden": "true",
            style: `aspect-ratio:${columns + 0.2}/${rows + 0.2}`
        },
            ...this.cells, this.marks);
        this.lit = [];
    }

    /** `ages`: of cells; `idle`: cells that move in vain; `pieces`: [first, cells] of a sector. */
    show(ages, idle, pieces) {
        for (const cell of this.lit) this.cells[cell]?.removeAttribute("class");
        this.lit = [...idle, ...ages.keys()];
        for (const cell of idle) this.cells[cell]?.setAttribute("class", "idle");
        for (const [cell, age] of ages) this.cells[cell]?.setAttribute("class", `t${age}`);
        this.marks.replaceChildren(
            ...pieces.flatMap(([first, count]) => this.frames(first, count)));
    }

    /** A frame around neighbours, in each row that they lie in. */
    frames(first, count) {
        const found = [], end = Math.min(first + count, this.cells.length);
        for (let at = first, width; at < end; at += width) {
            const column = at % this.columns;
            width = Math.min(end - at, this.columns - column);
            found.push(s("rect", {
                x: column - 0.02,
                y: Math.floor(at / this.columns) - 0.02,
                width: width + 0.04,
                height: 1.04,
                rx: 0.15
            }));
        }
        return found;
    }
}

/**
 * An array: of global memory in rows and columns, of shared memory as its words lie in the banks.
 */
class Box {
    constructor(array, color) {
        const {rows, columns, ld, pad, bytes, name, space} = array;
        this.array = array;
        this.shared = space === "shared";
        const words = Math.max(1, bytes / BANK), elements = rows * ld;
        this.grid = this.shared ? new Grid(color, BANKS, elements * words)
                                : new Grid(color, rows === 1 ? Math.min(ld, BANKS) : ld, elements);
        if (pad) // padding is there, and nobody uses it
            this.grid.cells.forEach(
                (cell, i) => (i / words) % ld >= columns && cell.setAttribute("data-pad", ""));
        const size = rows === 1 ? ld : `${rows} × ${columns}${pad ? ` + ${pad}` : ""}`;
        this.said = h("span.said");
        const where = this.shared
            ? h("p.small", {}, "A column is a bank, from 0 to 31; a row is 128 bytes",
                  pad ? "; dots: padding" : "")
            : null;
        this.element = h(`figure.box.${color}`, {"data-array": name},
            h("figcaption", {}, h("b", {}, name), " ", h("span.size", {}, size), " ", this.said),
            where, this.grid.drawing);
    }

    show(recording, step, numbers) {
        const ages = new Map();
        let idle = [], pieces = [];
        for (let age = Math.min(AGES, step) - 1; age >= 0; age--) {
            const request = recording.request(step - 1 - age);
            if (request.array !== this.array.name) continue;
            for (const cell of this.covered(request)) ages.set(cell, age);
            if (age === 0 && !this.shared && numbers) [idle, pieces] = this.moved(request, ages);
        }
        this.grid.show(ages, idle, pieces);
        const last = step ? recording.request(step - 1) : null;
        const now = last?.array === this.array.name;
        this.said.textContent = now ? (last.writes ? "written" : "read") : "";
        this.element.classList.toggle("now", now);
    }

    covered({lanes, bytes}) {
        return touched(lanes, bytes, this.shared ? BANK : this.array.bytes);
    }

    moved(request, ages) {
        const units = touched(request.lanes, request.bytes, request.unit);
        const each = request.unit / this.array.bytes;
        const idle = units.flatMap(unit => Array.from({length: each}, (_, i) => unit * each + i))
                         .filter(cell => !ages.has(cell));
        return [idle, units.map(unit => [unit * each, each])];
    }
}

/** For page.css: columns of the drawing in proportion, in a hall so wide that all rows fit. */
const widths = (A, B, C) => `--widths:${A.columns}fr ${C.columns}fr;` +
    `--cells:calc(${A.columns} * var(--side)) calc(${C.columns} * var(--side));` +
    `--rows:${B.rows + C.rows};--three:${A.columns}fr ${B.columns}fr ${C.columns}fr`;

/** All of it for one recording. */
export class Stage {
    constructor(recording) {
        this.recording = recording;
        this.boxes = recording.arrays.map((array, i) => new Box(array, colorOf(i)));
        const [A, B, C] =
            this.boxes.filter(box => box.array.space !== "shared" && box.array.rows > 1);
        const rest = this.boxes.filter(box => ![A, B, C].includes(box));
        this.now = h("p.now-line");
        const place = (box, name) => box && h(`div.${name}`, {}, box.element);
        this.element = h("div.stage", {style: A && B && C ? widths(A.array, B.array, C.array) : ""},
            h("div.corner", {}, this.now), place(B, "atB"), place(A, "atA"), place(C, "atC"),
            h("div.levels", {}, ...rest.map(box => box.element)));
    }

    /** After so many steps. `numbers`: what is moved may be shown. */
    show(step, numbers) {
        const {recording} = this;
        for (const box of this.boxes) box.show(recording, step, numbers);
        if (!step) return this.now.replaceChildren("Nothing has been asked of memory yet.");
        const site = recording.site(step - 1), {block, warp, phase} = recording.place(step - 1);
        const who = recording.cpu ? "The loop" : `Warp ${warp} of block ${block}`;
        return this.now.replaceChildren(h("b", {}, who), ` ${site.writes ? "writes" : "reads"} `,
            h("b", {}, recording.array(step - 1).name), site.line ? ` in line ${site.line}` : "",
            phase ? `, past ${many(phase, "barrier")}` : "");
    }
}
