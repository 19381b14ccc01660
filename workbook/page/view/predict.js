// SPDX-License-Identifier: MIT
// Predict first: what is not guessed yet is not shown.
import {commas, h, many} from "./html.js";
import {unitOf} from "./why.js";

/** How far off, in words. */
function distance(guess, recorded) {
    if (guess === recorded) return "exactly right";
    const [more, less] = guess > recorded ? [guess, recorded] : [recorded, guess];
    const times = Math.round((10 * more) / Math.max(less, 1)) / 10;
    const way = guess > recorded ? "too many" : "too few";
    return times >= 2 && less > 0 ? `${times} times ${way}` : `${commas(more - less)} ${way}`;
}

/** The question about a request; `answered(guess)` with null where somebody would rather see it. */
export function ask(recording, request, line, answered) {
    const unit = unitOf(request);
    const lanes = request.lanes.filter(address => address !== null).length;
    const number = {type: "number", min: 1, max: 512, inputmode: "numeric", required: true};
    const input = h("input", {...number, id: "guess", autocomplete: "off"});
    const load = request.writes ? "store" : "load";
    const what = request.shared
        ? "Shared memory has 32 banks, and each serves one word at a time. How many wavefronts " +
            "does it take: 1 where no two words want the same bank, up to 32?"
        : `Memory moves whole ${unit}s of ${request.unit} bytes. ` +
            `How many of them must move for this one ${load}?`;
    const vector =
        lanes === 1 ? `A ${load} of one element` : `A vector ${load} of ${lanes} elements`;
    const warp = `A warp, ${lanes} lanes that go in step, ${request.writes ? "writes" : "reads"}`;
    const onsubmit = event => {
        event.preventDefault();
        answered(Number(input.value));
    };
    return h("form.ask", {onsubmit},
        h("p", {}, `${recording.cpu ? vector : warp} in line ${line} of ${recording.file}: `,
            h("b", {}, request.array)),
        h("pre", {}, recording.statement(line)), h("p", {}, h("label", {"for": "guess"}, what)),
        h("p.row", {}, input, h("button.main", {type: "submit"}, "Guess"),
            h("button", {type: "button", onclick: () => answered(null)}, "Show without a guess")));
}

export function answer(guess, request) {
    const {units} = request.cost;
    const said = guess === null ? "Without a guess: "
                                : `You said ${commas(guess)}: ${distance(guess, units)}. `;
    return h(guess === units ? "div.answer.right" : "div.answer", {role: "status"},
        h("p", {}, said, h("b", {}, many(units, unitOf(request))), "."));
}
