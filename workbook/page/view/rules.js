// SPDX-License-Identifier: MIT
// Sizes of memory, as in engine/count/rules.h, and which parts of it a request touches. What a
// request costs is recorded, not computed here.

export const LANES = 32, SECTOR = 32, LINE = 64, BANKS = 32, BANK = 4;

/**
 * The units of so many bytes that lanes touch: sorted, each once.
 * @param {(number|null)[]} addresses of each lane in bytes; null: the lane is not active
 * @param {number} bytes of one lane
 * @param {number} unit
 * @returns {number[]}
 */
export function touched(addresses, bytes, unit) {
    const units = new Set();
    for (const address of addresses)
        if (address !== null)
            for (let u = Math.floor(address / unit); u * unit < address + bytes; u++) units.add(u);
    return [...units].sort((a, b) => a - b);
}

/** The words that lanes touch, by the bank in which they lie. @returns {number[][]} */
export function banksOf({lanes, bytes}) {
    const banks = Array.from({length: BANKS}, () => []);
    for (const word of touched(lanes, bytes, BANK)) banks[word % BANKS].push(word);
    return banks;
}

/** The lanes that ask for some of the bytes from `address` to `address + size` - 1. */
export function wanting({lanes, bytes}, address, size) {
    const wants = at => at !== null && at < address + size && address < at + bytes;
    return lanes.map((at, lane) => (wants(at) ? lane : null)).filter(lane => lane !== null);
}
