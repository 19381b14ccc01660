// SPDX-License-Identifier: MIT
// Elements, made in one line each; numbers and lists for people.

/**
 * @param {string} what a tag, and its classes: "div.box.wide"
 * @param {Object<string, any>} attributes those that begin with "on" are listeners
 * @param {(Node|string|number|null|undefined)[]} children
 * @returns {any}
 */
export function h(what, attributes = {}, ...children) {
    return make(tag => document.createElement(tag), what, attributes, children);
}

/** The same, of an SVG. @returns {any} */
export function s(what, attributes = {}, ...children) {
    const of = "http://www.w3.org/2000/svg";
    return make(tag => document.createElementNS(of, tag), what, attributes, children);
}

function make(create, what, attributes, children) {
    const [tag, ...classes] = what.split(".");
    const element = create(tag);
    if (classes.length) element.setAttribute("class", classes.join(" "));
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (value === true)
            element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, value);
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

/** A part of the page: in a hall one of them fills the screen. */
export const panel = (name, title, ...children) =>
    h("section.panel", {"data-panel": name}, h("h3", {}, title), ...children);

export const commas = number => Math.round(number).toLocaleString("en-US");

/** Three digits that count: 1,230; 0.444. */
export const digits = number => Number(number.toPrecision(3)).toLocaleString("en-US");

/** 1 sector, 2 sectors; 1,024 bytes. */
export const many = (count, unit) => `${commas(count)} ${unit}${count === 1 ? "" : "s"}`;

/** The lanes 0, 1, 2, 3, 8: "0–3, 8". */
export function ranges(numbers) {
    const found = [];
    for (const one of numbers) {
        const last = found[found.length - 1];
        if (last && last[1] === one - 1)
            last[1] = one;
        else
            found.push([one, one]);
    }
    return found.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
}
