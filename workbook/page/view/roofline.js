// SPDX-License-Identifier: MIT
// A kernel's point under the roof of the machine that measured it.
import {digits, h, rounded, s, table} from "./html.js";

const WIDTH = 640, HEIGHT = 360, LEFT = 105, BOTTOM = 56, TOP = 20, RIGHT = 20;

/** Of each kernel its fastest point. */
const bestOfEach = points => points.filter(
    one => points.every(other => other.side !== one.side || other.gflops <= one.gflops));

/** Of a recording; `others` were measured beside it. */
export function roofline(recording, others) {
    if (!recording.roofline) return h("p", {}, recording.unmeasured);
    const {intensity, what, points, ceilings} = recording.roofline;
    const best = points.reduce((a, b) => (b.gflops > a.gflops ? b : a));
    const roof = ceilings.find(one => one.device === best.device);
    const measured = [recording, ...others].flatMap(
        side => (side.roofline?.points ?? []).map(one => ({...one, side})));
    const rows =
        measured.map(one => [one.side.name, one.N, digits(one.gflops), one.device, one.source]);
    return h("div", {},
        h("p", {},
            `${digits(intensity)} FLOP for each byte it asks for (${what}). Measured: ${
                digits(best.gflops)} GFLOP/s, N = ${best.N}, ${
                best.device}, with the default settings.${
                roof ? limits(intensity, best, roof) : ""} `,
            h("span.source", {},
                `measured: ${best.source}${roof ? `; ceilings: ${roof.source}` : ""}`)),
        roof ? drawing(
                   recording, bestOfEach(measured.filter(one => one.device === roof.device)), roof)
             : null,
        h("details", {}, h("summary", {}, "The same as a table"),
            table("Measured", ["kernel", "N", "GFLOP/s", "machine", "from"], rows)));
}

/** Bytes that are asked for bound nothing where caches serve them: only computing has a share. */
function limits(intensity, {gflops}, roof) {
    const asked = `At this speed it asks for ${digits(gflops / intensity)} GB/s, and memory gives ${
        digits(roof.gbs)}`;
    const share = `${digits((100 * rounded(gflops)) / rounded(roof.gflops))} % of ${
        digits(roof.gflops)}, the most that computing allows`;
    return ` ${asked}${gflops / intensity > roof.gbs ? ": caches serve the rest" : ""}. It has ${
        share}.`;
}

function drawing(recording, points, roof) {
    const {intensity} = recording.roofline;
    const ridge = roof.gflops / roof.gbs;
    /** @type {[number, number]} */
    const xs = [0.1, Math.max(10 * ridge, 2 * intensity)];
    /** @type {[number, number]} */
    const ys = [Math.min(roof.gbs * 0.1, ...points.map(one => one.gflops)) / 2, roof.gflops * 2];
    const scale = (value, [low, high]) => Math.log(value / low) / Math.log(high / low);
    const x = value => LEFT + scale(value, xs) * (WIDTH - LEFT - RIGHT);
    const y = value => HEIGHT - BOTTOM - scale(value, ys) * (HEIGHT - BOTTOM - TOP);
    const ticks = ([low, high]) =>
        Array.from({length: 12}, (_, i) => 10 ** (i - 3)).filter(one => one >= low && one <= high);
    return s("svg.roofline", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true"},
        ...ticks(xs).flatMap(
            one => [s("line.axis", {x1: x(one), x2: x(one), y1: TOP, y2: HEIGHT - BOTTOM}),
                s("text", {x: x(one), y: HEIGHT - BOTTOM + 22, "text-anchor": "middle"},
                    one.toLocaleString("en-US"))]),
        ...ticks(ys).flatMap(
            one => [s("line.axis", {x1: LEFT, x2: WIDTH - RIGHT, y1: y(one), y2: y(one)}),
                s("text", {x: LEFT - 8, y: y(one) + 5, "text-anchor": "end"},
                    one.toLocaleString("en-US"))]),
        s("polyline.roof", {
            points: [[xs[0], xs[0] * roof.gbs], [ridge, roof.gflops], [xs[1], roof.gflops]]
                        .map(([a, b]) => `${x(a)},${y(b)}`)
                        .join(" ")
        }),
        s("line.down", {
            x1: x(intensity),
            x2: x(intensity),
            y1: HEIGHT - BOTTOM,
            y2: y(Math.min(roof.gflops, intensity * roof.gbs))
        }),
        ...points.flatMap(({side, gflops}) => {
            const at = {cx: x(side.roofline.intensity), cy: y(gflops), r: 6};
            return [
                s(side === recording ? "circle.point" : "circle.point.other", at),
                s("text", {x: at.cx + 12, y: at.cy + 5}, side.name)
            ];
        }),
        s("text", {x: (WIDTH + LEFT) / 2, y: HEIGHT - 8, "text-anchor": "middle"},
            "FLOP for each byte"),
        s("text", {x: LEFT, y: 14}, "GFLOP/s"));
}
