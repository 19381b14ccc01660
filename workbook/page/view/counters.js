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
        this.element = h("div.counters", {}, ...this.rows.map(row => row.element));
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
        const bar = name => h("div.bar", {"aria-hidden": "true"}, h(`div.${name}`));
        const recorded = h("span.count"), computed = h("span.count");
        const bars = [bar("recorded"), formula && bar("formula")];
        const element = h("div.counter", {}, h("div.label", {}, label),
            h("div.row", {}, recorded, h("span.source", {}, "recorded")), bars[0],
            formula &&
                h("div.row", {}, computed,
                    h("span.source", {title: formula.source},
                        `formula ${formula.formula}, for this share of the steps`)),
            bars[1]);
        this.rows.push({element, count, total, unit, formula, ideal, recorded, computed, bars});
    }

    show(step, numbers) {
        const share = step / Math.max(1, this.recording.length);
        for (const row of this.rows) {
            const {total, unit, formula, ideal} = row;
            const most = Math.max(total, formula?.value ?? 0);
            const fill = (bar, count) => (bar.firstChild.style.width = `${(100 * count) / most}%`);
            const hidden = !formula && !numbers, count = row.count(step);
            const said = `${commas(count)} of ${commas(total)}${unit && ` ${unit}`}`;
            const least = ideal === undefined ? "" : `, ideal ${commas(ideal)}`;
            row.element.classList.toggle("hidden", hidden);
            row.recorded.textContent = hidden ? "? guess first" : said + least;
            fill(row.bars[0], hidden ? 0 : count);
            if (!formula) continue;
            const now = formula.value * share;
            row.computed.textContent = `${commas(now)} of ${commas(formula.value)} ${unit}`;
            fill(row.bars[1], now);
        }
    }
}
