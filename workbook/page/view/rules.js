// SPDX-License-Identifier: MIT
// What memory does for one instruction of a warp: engine/count/rules.h in JavaScript, and of caches
// the same with lines. A test holds the two against each other.

export const LANES = 32, SECTOR = 32, BANKS = 32, BANK = 4;

/**
 * The units of so many bytes that lanes first to last - 1 touch: sorted, each once.
 * @param {(number|null)[]} addresses of each lane in bytes; null: the lane is not active
 * @param {number} bytes of one lane
 * @param {number} unit
 * @returns {number[]}
 */
export function touched(addresses, bytes, unit, first = 0, last = addresses.length) {
    const units = new Set();
    for (const address of addresses.slice(first, last))
        if (address !== null)
            for (let u = Math.floor(address / unit); u * unit < address + bytes; u++) units.add(u);
    return [...units].sort((a, b) => a - b);
}

/** Bytes that are asked for: what several lanes ask for counts once. */
export const distinctBytes = (addresses, bytes) => touched(addresses, bytes, 1).length;

export const sectors = (addresses, bytes, unit = SECTOR) => touched(addresses, bytes, unit).length;

export const idealSectors = (addresses, bytes, unit = SECTOR) =>
    Math.ceil(distinctBytes(addresses, bytes) / unit);

/** Whether all lanes ask for the same as lane ^ mask, if both take part. */
const arePairs = (addresses, mask) => addresses.every((address, lane) => address === null ||
        [address, null].includes(addresses[lane ^ mask] ?? null));

/** Lanes at once: all; of 8 bytes half, of 16 a quarter; of loads in equal pairs twice as many. */
function together(addresses, bytes, writes) {
    const lanes = bytes <= BANK ? LANES : bytes <= 2 * BANK ? LANES / 2 : LANES / 4;
    const pairs = !writes && (arePairs(addresses, 1) || arePairs(addresses, 2));
    return bytes > BANK && pairs ? 2 * lanes : lanes;
}

/**
 * What shared memory serves, so many lanes together. Of each part the words by bank: as many
 * wavefronts as the fullest bank has.
 * @returns {{first: number, last: number, banks: number[][]}[]}
 */
export function served(addresses, bytes, writes) {
    const lanes = together(addresses, bytes, writes);
    const parts = [];
    for (let first = 0; first < LANES; first += lanes) {
        const banks = Array.from({length: BANKS}, () => []);
        for (const word of touched(addresses, bytes, BANK, first, first + lanes))
            banks[word % BANKS].push(word);
        parts.push({first, last: first + lanes, banks});
    }
    return parts;
}

const sum = numbers => numbers.reduce((a, b) => a + b, 0);
const deepest = banks => Math.max(...banks.map(words => words.length));

export const wavefronts = (addresses, bytes, writes) =>
    sum(served(addresses, bytes, writes).map(part => deepest(part.banks)));

export const idealWavefronts = (addresses, bytes, writes) =>
    Math.min(wavefronts(addresses, bytes, writes),
        Math.ceil(addresses.filter(one => one !== null).length * bytes / (BANKS * BANK)));

/** What a request (warp.js) costs, and what it would where nothing is moved in vain. */
export function cost({lanes, bytes, shared, writes, unit}) {
    const used = distinctBytes(lanes, bytes);
    const units = shared ? wavefronts(lanes, bytes, writes) : sectors(lanes, bytes, unit);
    const ideal = shared ? idealWavefronts(lanes, bytes, writes) : idealSectors(lanes, bytes, unit);
    return {units, ideal, used, moved: shared ? 0 : units * unit};
}

/** Which lanes want something of the bytes from `address` to `address + size` - 1. */
export function wanting({lanes, bytes}, address, size, first = 0, last = lanes.length) {
    const found = [];
    for (let lane = first; lane < last; lane++)
        if (lanes[lane] !== null && lanes[lane] < address + size && address < lanes[lane] + bytes)
            found.push(lane);
    return found;
}
