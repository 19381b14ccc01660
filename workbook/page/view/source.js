// SPDX-License-Identifier: MIT
// The kernel's source: changed lines marked, and at each line that asks for memory what it costs.
import {units} from "./data.js";
import {h} from "./html.js";

/** An access of a line, as a word of the address: "A read". */
export const accessName = one => `${one.array} ${one.writes ? "write" : "read"}`;

/** "16 sectors", or "2.25 lines": of each request. */
function perRequest(one) {
    const unit = one.sectors ? "sector" : one.wavefronts ? "wavefront" : "line";
    const count = Math.round((100 * units(one)) / one.requests) / 100;
    return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

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
        this.rows.forEach((row, i) => {
            row.classList.toggle("chosen", i + 1 === line);
            row.classList.toggle("now", i + 1 === now);
        });
        for (const {button, one} of this.badges) {
            const chosen = one.line === line && accessName(one) === access;
            button.textContent =
                `${one.writes ? "→" : "←"} ${one.array} ${numbers ? perRequest(one) : "?"}`;
            button.setAttribute("aria-label",
                `line ${one.line} ${one.writes ? "writes" : "reads"} ${one.array}: ` +
                    (numbers ? `${perRequest(one)} for a request` : "how much? guess first"));
            button.classList.toggle("costly", numbers && units(one) > one.ideal * 2);
            button.setAttribute("aria-pressed", String(chosen));
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
    /(\/\/.*|\b(?:for|if|else|return|while|const|int|real|float|void|static|__\w+)\b|#\w+)/;

/** Comments and keywords of a line: split by a group, every other part is one. */
export function tokens(text) {
    const part = (said, i) => i % 2 === 0 ? said
        : said.startsWith("//")           ? h("span.comment", {}, said)
                                          : h("span.keyword", {}, said);
    return text ? text.split(TOKEN).map(part) : ["\u200b"];
}
