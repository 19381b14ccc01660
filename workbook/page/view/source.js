// SPDX-License-Identifier: MIT
// The kernel's source: changed lines marked, and at each line that asks for memory what it costs.
import {units} from "./data.js";
import {h} from "./html.js";

const UNIT = one => (one.sectors !== undefined ? "sector"
        : one.wavefronts !== undefined         ? "wavefront"
                                               : "line");

/** An access of a line, as a word of the address: "A read". */
export const accessName = one => `${one.array} ${one.writes ? "write" : "read"}`;

/** "16", or "2.25": of each request. */
const perRequest = one => `${Math.round((100 * units(one)) / one.requests) / 100}`;

export class Source {
    /** `pick(line, access)`: a line was chosen. */
    constructor(recording, pick) {
        this.badges = [];
        this.rows = recording.source.map((text, i) => {
            const line = i + 1;
            const counts = recording.counts.filter(one => one.line === line);
            const badges = counts.map(one => this.badge(one, pick));
            const changed = recording.changed.includes(line);
            const row = h(`div.line${changed ? ".changed" : ""}${counts.length ? ".memory" : ""}`,
                {"data-line": line}, h("span.number", {}, line),
                h("span.mark", {title: changed ? "changed" : null}, changed ? "+" : ""),
                h("code", {}, ...tokens(text)),
                badges.length ? h("span.badges", {}, ...badges) : null);
            if (counts.length)
                row.addEventListener("click",
                    event => event.target.closest("button") || pick(line, accessName(counts[0])));
            return row;
        });
        this.element = h("div.listing",
            {role: "group", "aria-label": `Source of ${recording.file}`}, ...this.rows);
    }

    badge(one, pick) {
        const button =
            h("button.badge", {type: "button", onclick: () => pick(one.line, accessName(one))});
        this.badges.push({button, one});
        return button;
    }

    /** `now`: the line that is executed. */
    show(line, access, now, numbers) {
        for (const row of this.rows) {
            const own = Number(row.dataset.line);
            row.classList.toggle("chosen", own === line);
            row.classList.toggle("now", own === now);
        }
        for (const {button, one} of this.badges) {
            const arrow = one.writes ? "→" : "←";
            const count = numbers
                ? `${perRequest(one)} ${UNIT(one)}${perRequest(one) === "1" ? "" : "s"}`
                : "?";
            button.textContent = `${arrow} ${one.array} ${count}`;
            button.setAttribute("aria-label",
                `line ${one.line} ${one.writes ? "writes" : "reads"} ${one.array}: ` +
                    (numbers ? `${count} for a request` : "how much? guess first"));
            button.classList.toggle("costly", numbers && units(one) > one.ideal * 2);
            button.setAttribute(
                "aria-pressed", String(one.line === line && accessName(one) === access));
        }
    }

    /** Brings a line into view, of what scrolls by itself alone. */
    reveal(line) {
        const row = this.rows[line - 1];
        if (row)
            this.element.scrollTop += row.getBoundingClientRect().top -
                this.element.getBoundingClientRect().top - this.element.clientHeight / 3;
    }
}

const TOKEN =
    /(\/\/.*)|\b(for|if|else|return|while|const|int|real|float|void|static|__\w+)\b|(#\w+)/g;

/** Comments and keywords of a line. */
export function tokens(text) {
    const found = [];
    let end = 0;
    for (const match of text.matchAll(TOKEN)) {
        found.push(text.slice(end, match.index),
            h(match[1] ? "span.comment" : "span.keyword", {}, match[0]));
        end = match.index + match[0].length;
    }
    return [...found, text.slice(end) || (found.length ? "" : "\u200b")];
}
