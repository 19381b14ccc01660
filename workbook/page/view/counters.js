// SPDX-License-Identifier: MIT
// A counter for each level of memory, and the closed formula beside it.
import {commas, h} from "./html.js";

/** The totals of a recording: their names, the unit that each counts, and what it is called. */
const TOTALS = [
    ["global_load", "sectors", "sectors of global memory, loads"],
    ["global_store", "sectors", "sectors of global memory, stores"],
    ["shared_load", "wavefronts", "wavefronts of shared memory, loads"],
    ["shared_store", "wavefronts", "wavefronts of shared memory, stores"],
    ["memory_load", "lines", "cache lines, loads"],
    ["memory_store", "lines", "cache lines, stores"],
];

export class Counters {
    constructor(recording) {
        const formulas = recording.formulas.map(one => formulaRow(recording, one));
        const totals =
            TOTALS.filter(([key]) => recording.totals[key]?.requests).map(([key, unit,
                label]) => totalRow(recording, key, unit, label));
        this.rows = [...formulas, ...totals];
        const none = formulas.length ? null
                                     : h("p.source", {},
                                           "No closed formula of what this kernel requests is " +
                                               "kept here.");
        this.element = h("div.counters", {}, none, ...this.rows.map(row => row.element));
    }

    show(step, numbers) {
        for (const row of this.rows) {
            const hidden = !row.formula && !numbers, count = row.count(step);
            row.element.classList.toggle("hidden", hidden);
            row.now.textContent = hidden ? "? guess first" : `so far ${commas(count)}`;
            row.whole.textContent = hidden ? "" : `whole run ${commas(row.total)}${row.after}`;
            row.bar.firstChild.style.width = `${hidden ? 0 : (100 * count) / row.most}%`;
        }
    }
}

/** Bytes that are asked for at the formula's sites. */
function formulaRow(recording, formula) {
    const {label, value, counted} = formula;
    const sites = formula.sites.map(site => recording.sites[site]);
    const asked = i => (sites.includes(recording.site(i)) ? recording.asked(i) : 0);
    const same = value === counted ? "the same" : "not what this kernel does";
    const said = h("p.source", {},
        "formula: ", formula.formula.replaceAll("·", "·\u200b"), // a line may end there
        ` = ${commas(value)} bytes: ${same}`);
    return {
        ...row(`.${formula.level}`, label, said),
        formula,
        total: counted,
        most: Math.max(counted, value),
        after: " bytes",
        count: step => recording.soFar(label, step, asked)
    };
}

function totalRow(recording, key, unit, label) {
    const [space, kind] = key.split("_"), total = recording.totals[key];
    const cost = i => {
        const counts = recording.array(i).space === space;
        const {writes} = recording.site(i);
        return counts && writes === (kind === "store") ? recording.request(i).cost.units : 0;
    };
    return {
        ...row(".units", label, null),
        total: total[unit],
        most: total[unit],
        after: `, ideal ${commas(total.ideal)}`,
        count: step => recording.soFar(key, step, cost)
    };
}

function row(kind, label, said) {
    const bar = h("div.bar", {"aria-hidden": "true"}, h("div.recorded"));
    const now = h("b.count"), whole = h("span.count");
    const element = h(`div.counter${kind}`, {}, h("div.label", {}, label),
        h("div.row", {}, now, whole, h("span.source", {}, "recorded")), bar, said);
    return {element, now, whole, bar};
}
