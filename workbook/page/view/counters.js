// SPDX-License-Identifier: MIT
// A counter for each level of memory, and the closed formula beside it.
import {TOTALS} from "./data.js";
import {commas, h} from "./html.js";

export class Counters {
    constructor(recording) {
        this.recording = recording;
        this.rows = [];
        for (const formula of recording.formulas)
            this.add(formula.label, this.sum(formula), formula.counted, formula.unit, formula);
        for (const [key, unit, label] of TOTALS) {
            const total = recording.totals[key];
            if (total?.requests)
                this.add(label, this.cost(key), total[unit], "", null, total.ideal);
        }
        const none = recording.no_formula && h("p.source", {}, recording.no_formula);
        this.element = h("div.counters", {}, none, ...this.rows.map(row => row.element));
    }

    /** Bytes asked for at the formula's sites; of the compulsory ones each element once. */
    sum(formula) {
        const {recording} = this;
        if (formula.level !== "compulsory")
            return step => recording.soFar(formula.label, step,
                       ({site}, i) => (formula.sum.sites.includes(site) ? recording.asked(i) : 0));
        const seen = new Set();
        const fresh = (_, i) => {
            const request = recording.request(i), before = seen.size;
            if (request.shared) return 0;
            for (const address of request.lanes)
                if (address !== null)
                    for (let at = 0; at < request.bytes; at += 4)
                        seen.add(`${request.array} ${address + at}`);
            return (seen.size - before) * 4;
        };
        return step => recording.soFar(formula.label, step, fresh);
    }

    cost(key) {
        const {recording} = this;
        const [space, kind] = key.split("_");
        return step => recording.soFar(key, step, (recorded, i) => {
            const site = recording.site(i);
            const counts = recording.arrays[site.array].space === space;
            return counts && site.writes === (kind === "store") ? recorded.units : 0;
        });
    }

    add(label, count, total, unit, formula, ideal) {
        const bar = h("div.bar", {"aria-hidden": "true"}, h("div.recorded"));
        const now = h("b.count"), whole = h("span.count");
        const same = formula?.value === total ? "the same" : "not what this kernel does";
        const said = formula &&
            h("p.source", {title: formula.source},
                "formula: ", formula.formula.replaceAll("·", "·\u200b"), // a line may end there
                ` = ${commas(formula.value)} ${unit}: ${same}`);
        const element = h(`div.counter.${formula?.level ?? "units"}`, {}, h("div.label", {}, label),
            h("div.row", {}, now, whole, h("span.source", {}, "recorded")), bar, said);
        this.rows.push({element, count, total, unit, formula, ideal, now, whole, bar});
    }

    show(step, numbers) {
        for (const {element, count, total, unit, formula, ideal, now, whole, bar} of this.rows) {
            const hidden = !formula && !numbers, most = Math.max(total, formula?.value ?? 0);
            const least = ideal === undefined ? "" : `, ideal ${commas(ideal)}`;
            element.classList.toggle("hidden", hidden);
            now.textContent = hidden ? "? guess first" : `so far ${commas(count(step))}`;
            whole.textContent =
                hidden ? "" : `whole run ${commas(total)}${unit && ` ${unit}`}${least}`;
            bar.firstChild.style.width = `${hidden ? 0 : (100 * count(step)) / most}%`;
        }
    }
}
