// SPDX-License-Identifier: MIT
// All that the page shows is in the fragment of its address, so that a link carries it.

const NUMBERS = ["line", "step"];

/**
 * @typedef {{view: string, line?: number, step?: number, show?: string, hall?: string, panel?:
 * string}} State
 */

/** @returns {State} */
export function parse(hash) {
    const state = {view: ""};
    for (const [name, value] of new URLSearchParams(hash.replace(/^#/, "")))
        state[name] = NUMBERS.includes(name) ? Math.max(0, Math.floor(Number(value)) || 0) : value;
    return state;
}

export function fragment(state) {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(state))
        if (value !== undefined && value !== null && value !== "") words.set(name, value);
    return `#${words}`;
}
