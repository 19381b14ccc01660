// SPDX-License-Identifier: MIT
// Where a kernel's data lie, and what of them is touched: A, B and C, tiles, registers. What was
// touched last is strongest; the older, the fainter.
import {colorOf, element} from "./data.js";
import {h, many, s, table} from "./html.js";
import {BANK, BANKS, touched} from "./rules.js";

const AGES = 8; // requests until a cell is as before

/** Cells in rows and columns, which fade. */
class Grid {
    constructor(array, color, columns, cells) {
        const rows = Math.ceil(cells / columns);
        this.array = array;
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

    /**
     * `ages`: of cells; `idle`: cells that move and nobody asked for; `pieces`: [first, cells] of
     * a sector.
     */
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
        const found = [];
        for (let at = first; at < Math.min(first + count, this.cells.length);) {
            const column = at % this.columns,
                  width = Math.min(first + count - at, this.columns - column);
            found.push(s("rect", {
                x: column - 0.02,
                y: Math.floor(at / this.columns) - 0.02,
                width: width + 0.04,
                height: 1.04,
                rx: 0.15
            }));
            at += width;
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
        this.words = Math.max(1, bytes / BANK);
        const elements = rows * ld;
        this.grid = this.shared
            ? new Grid(array, color, BANKS, elements * this.words)
            : new Grid(array, color, rows === 1 ? Math.min(ld, BANKS) : ld, elements);
        if (pad) // padding is there, and nobody uses it
            this.grid.cells.forEach(
                (cell, i) => (i / this.words) % ld >= columns && cell.setAttribute("data-pad", ""));
        const size =
            h("span.size", {}, rows === 1 ? ld : `${rows} × ${columns}${pad ? ` + ${pad}` : ""}`);
        this.said = h("span.said");
        const where = this.shared
            ? h("p.small", {}, "A column is a bank, from 0 to 31; a row is 128 bytes",
                  pad ? "; dots: padding" : "")
            : null;
        this.element = h(`figure.box.${color}`, {"data-array": name},
            h("figcaption", {}, h("b", {}, name), " ", size, " ", this.said), where,
            this.grid.drawing);
    }

    show(recording, step, numbers) {
        const ages = new Map();
        let idle = [], pieces = [];
        for (let age = Math.min(AGES, step) - 1; age >= 0; age--) {
            const request = recording.request(step - 1 - age);
            if (request.array !== this.array.name) continue;
            for (const address of request.lanes)
                if (address !== null)
                    for (const cell of this.covered(address, request.bytes)) ages.set(cell, age);
            if (age === 0 && !this.shared && numbers) [idle, pieces] = this.moved(request, ages);
        }
        this.grid.show(ages, idle, pieces);
        const last = step && recording.request(step - 1);
        this.said.textContent =
            last && last.array === this.array.name ? (last.writes ? "written" : "read") : "";
        this.element.classList.toggle("now", this.said.textContent !== "");
    }

    covered(address, bytes) {
        const size = this.shared ? BANK : this.array.bytes;
        return touched([address], bytes, size);
    }

    moved(request, ages) {
        const units = touched(request.lanes, request.bytes, request.unit);
        const size = this.array.bytes, each = request.unit / size;
        const idle = units.flatMap(unit => Array.from({length: each}, (_, i) => unit * each + i))
                         .filter(cell => !ages.has(cell));
        return [idle, units.map(unit => [unit * each, each])];
    }
}

/** Of a variable: __m256 has 8 floats, float4 has 4. */
function elementsOf(type) {
    const [, vector, bits, double] = /^(__m)?\D*(\d*)(d?)/.exec(type);
    return vector ? Number(bits) / (double ? 64 : 32) : Number(bits) || 1;
}

/** The variables of one work-item that the kernel's source declares: nobody records registers. */
class Registers {
    constructor(recording) {
        const found = new Map();
        const value = text => recording.tunables[text] ?? Number(text);
        for (const line of recording.source) {
            const words =
                /^\s*(?:const )?((?:real|float|double)\d?|__m\d+d?)\s+(\w+)((?:\s*\[\w+\])*)\s*[=;]/
                    .exec(line);
            if (!words || /__local|__shared__|static/.test(line)) continue;
            const sizes = [...words[3].matchAll(/\w+/g)].map(size => value(size[0]));
            if (!found.has(words[2]) && sizes.every(size => size > 0 && size <= 64))
                found.set(words[2], [...sizes, elementsOf(words[1])]);
        }
        this.boxes = [...found].map(([name, sizes]) => {
            const elements = sizes.pop(), [rows = 1, each = 1] = sizes;
            const columns = elements > 1 || sizes.length > 1 ? each * elements : rows;
            const cells = Array.from({length: rows * each * elements}, () => h("i"));
            return {
                name,
                element: h("div.register", {}, h("b", {}, name),
                    h("span.cells", {style: `grid-template-columns:repeat(${columns}, 1fr)`},
                        ...cells))
            };
        });
        this.element = this.boxes.length &&
            h("figure.box.registers", {},
                h("figcaption", {}, h("b", {}, "registers"),
                    h("span.whose", {}, ` of one ${recording.cpu ? "iteration" : "lane"}`),
                    h("span.source", {}, " from the source; not recorded")),
                h("div.row", {}, ...this.boxes.map(box => box.element)));
    }

    show(text) {
        for (const {name, element} of this.boxes)
            element.classList.toggle("now", new RegExp(`\\b${name}\\b`).test(text));
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
        const boxes = recording.arrays.map((array, i) => new Box(array, colorOf(i)));
        const [A, B, C] = boxes.filter(box => box.array.space !== "shared" && box.array.rows > 1);
        const rest = boxes.filter(box => ![A, B, C].includes(box));
        this.boxes = boxes;
        this.registers = new Registers(recording);
        this.now = h("p.now-line");
        const place = (box, name) => box && h(`div.${name}`, {}, box.element);
        this.element = h("div.stage", {style: A && B && C ? widths(A.array, B.array, C.array) : ""},
            h("div.corner", {}, this.now, this.registers.element || null), place(B, "atB"),
            place(A, "atA"), place(C, "atC"), h("div.levels", {}, ...rest.map(box => box.element)));
    }

    /** After so many steps. `numbers`: what is moved may be shown. */
    show(step, numbers) {
        const {recording} = this;
        for (const box of this.boxes) box.show(recording, step, numbers);
        const site = step ? recording.site(step - 1) : null;
        this.registers.show(site ? recording.source[site.line - 1] ?? "" : "");
        if (!step) return this.now.replaceChildren("Nothing has been asked of memory yet.");
        const {block, warp, phase} = recording.recorded(step - 1);
        const who = recording.cpu ? "The loop" : `Warp ${warp} of block ${block}`;
        this.now.replaceChildren(h("b", {}, who), ` ${site.writes ? "writes" : "reads"} `,
            h("b", {}, recording.arrays[site.array].name), site.line ? ` in line ${site.line}` : "",
            phase ? `, past ${many(phase, "barrier")}` : "");
        return undefined;
    }

    /** How often each array was asked for so far, and for what of it last. */
    table(step) {
        const rows = this.boxes.map(({array}, index) => {
            const count = writes =>
                this.recording.soFar(`${array.name} ${writes}`, step, (_, i) => {
                    const site = this.recording.site(i);
                    return site.array === index && site.writes === writes ? 1 : 0;
                });
            return [array.name, array.space, count(false), count(true), this.last(index, step)];
        });
        return table(`Requests after ${many(step, "step")}`,
            ["array", "memory", "reads", "writes", "elements of the last"], rows);
    }

    last(index, step) {
        const {recording} = this, array = recording.arrays[index];
        let i = step - 1;
        while (i >= Math.max(0, step - AGES) && recording.site(i).array !== index) i--;
        if (i < Math.max(0, step - AGES)) return "–";
        const {lanes, bytes} = recording.request(i);
        const elements = touched(lanes, bytes, array.bytes);
        const [first, last] = [elements[0], elements.at(-1)].map(one => element(array, one));
        return first === last ? first : `${elements.length}, from ${first} to ${last}`;
    }
}
