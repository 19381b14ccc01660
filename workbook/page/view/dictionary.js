// SPDX-License-Identifier: MIT
// The dictionary: OpenCL beside CUDA, line by line.
import {h, panel} from "./html.js";
import {tokens} from "./source.js";

/** OpenCL, CUDA: what the one calls so, the other calls so. */
const WORDS = [
    ["work-item", "thread"],
    ["work-group", "block"],
    ["local memory", "shared memory"],
    ["__kernel", "__global__"],
    ["__global const real *", "const real *"],
    ["__global real *", "real *"],
    ["__local", "__shared__"],
    ["get_global_id(0)", "blockIdx.x * blockDim.x + threadIdx.x"],
    ["get_global_id(1)", "blockIdx.y * blockDim.y + threadIdx.y"],
    ["get_group_id(0)", "blockIdx.x"],
    ["get_group_id(1)", "blockIdx.y"],
    ["get_local_id(0)", "threadIdx.x"],
    ["get_local_id(1)", "threadIdx.y"],
    ["barrier(CLK_LOCAL_MEM_FENCE)", "__syncthreads()"],
];

/** A table with a column for each language. */
function table(what, heads, rows) {
    const head = h("tr", {}, ...heads.map(name => h("th", {scope: "col"}, name)));
    return h(`table.${what}`, {}, h("thead", {}, head), h("tbody", {}, ...rows));
}

export class DictionaryView {
    constructor(left, right) {
        this.panels = {source: "Line by line", words: "Words"};
        this.heading = h(
            "h1", {tabindex: -1}, `OpenCL and CUDA: lab ${left.number} beside lab ${right.number}`);
        this.lines = aligned(code(left.source), code(right.source));
        this.length = this.lines.length;
        const line = (text, side) => h("td", {}, h("code", {}, ...marked(text ?? "", side)));
        this.rows = this.lines.map(
            ([a, b]) => h(a !== null && b !== null ? "tr.twin" : "tr", {}, line(a, 0), line(b, 1)));
        const heads = [left, right].map(
            (side, i) => `${i ? "CUDA" : "OpenCL"}: lab ${side.number}, ${side.file}`);
        const words = WORDS.map(pair => h("tr", {}, ...pair.map(word => h("td", {}, word))));
        this.element = h("main", {}, this.heading,
            h("div.halves", {},
                panel("source", "Line by line", table("dictionary", heads, this.rows)),
                panel("words", "Words", table("glossary", ["OpenCL", "CUDA"], words))));
    }

    /** A step is a line: it comes into view by itself. */
    show({step}) {
        this.rows.forEach((row, i) => row.classList.toggle("chosen", i === step - 1));
        this.rows[step - 1]?.scrollIntoView({block: "nearest"});
    }

    say(step) {
        const [a, b] = this.lines[step - 1] ?? ["", ""];
        return step ? `OpenCL: ${a?.trim() ?? "nothing"} CUDA: ${b?.trim() ?? "nothing"}`
                    : "At the start.";
    }
}

const code = source => source.filter(line => /\w/.test(line) && !/^\s*(\/\/|#)/.test(line));

/** What a line says in CUDA's words, as a set. */
function said(line) {
    let text = line;
    for (const [a, b] of WORDS) text = text.replaceAll(a, b);
    return new Set(text.match(/\w+|[^\s\w]/g));
}

/** How alike two lines are: 0 to 1. */
function alike(a, b) {
    const both = [...a].filter(word => b.has(word)).length;
    return both / Math.max(1, a.size + b.size - both);
}

/** Lines that say the same are beside each other: the best alignment. */
export function aligned(left, right) {
    const a = left.map(said), b = right.map(said);
    const best = Array.from({length: a.length + 1}, () => new Float64Array(b.length + 1));
    const twin = (i, j) =>
        best[i + 1][j + 1] + alike(a[i], b[j]) - 0.35; // less alike: not beside each other
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], twin(i, j));
    const found = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length)
        if (i < a.length && j < b.length && best[i][j] === twin(i, j))
            found.push([left[i++], right[j++]]);
        else if (i < a.length && (j === b.length || best[i][j] === best[i + 1][j]))
            found.push([left[i++], null]);
        else
            found.push([null, right[j++]]);
    return found;
}

/** A line with its words of the dictionary marked. */
function marked(text, side) {
    const words = WORDS.map(pair => pair[side])
                      .filter(word => /[_(.]/.test(word))
                      .sort((a, b) => b.length - a.length)
                      .map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    // Split by a group, every other part is a word of the dictionary.
    return text.split(new RegExp(`(${words.join("|")})`)).flatMap((part, i) => {
        const pair = i % 2 ? WORDS.find(one => one[side] === part) : null;
        return pair ? h("mark", {title: `${side ? "OpenCL" : "CUDA"}: ${pair[1 - side]}`}, part)
            : part ? tokens(part)
                   : [];
    });
}
