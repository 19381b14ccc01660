# SPDX-License-Identifier: MIT
"""Labs of a page without a recording: what warps of labs 02, 04 and 07 ask for, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from tests.support import TOP

N = 16
SECTOR, LINE, BANKS, BYTES = 32, 64, 32, 4
Lanes = list[Optional[int]]  # the element that each lane accesses; None: it is not active
Request = tuple[int, int, int, int, Lanes]  # site, block, phase, warp, lanes


def lines_of(lab: str, file: str) -> list[str]:
    return (TOP / lab / file).read_text(encoding="utf-8").splitlines()


def line_with(source: list[str], text: str) -> int:
    return next(i for i, line in enumerate(source, 1) if text in line)


def array(name: str, space: str, rows: int, columns: int, pad: int = 0) -> dict[str, Any]:
    shape = {"rows": rows, "columns": columns, "ld": columns + pad, "pad": pad}
    return {"name": name, "space": space, **shape, "bytes": BYTES, "kernel": None}


def matrices(space: str) -> list[dict[str, Any]]:
    return [array(name, space, N, N) for name in "ABC"]


def pattern(lanes: Lanes) -> list[list[int]]:
    """Of neighbours with one stride [first lane, lanes, offset, stride]."""
    found: list[list[int]] = []
    for lane, element in enumerate(lanes):
        if element is None:
            continue
        last = found[-1] if found else None
        if last and last[0] + last[1] == lane:
            stride = element - (last[2] + (last[1] - 1) * last[3])
            if last[1] == 1 or stride == last[3]:
                last[1], last[3] = last[1] + 1, stride
                continue
        found.append([lane, 1, element, 0])
    return found


def cost(space: str, lanes: Lanes) -> tuple[int, int, int]:
    """units, ideal, distinct bytes"""
    elements = {element for element in lanes if element is not None}
    used = BYTES * len(elements)
    if space == "shared":
        banks = [element % BANKS for element in elements]
        return max(map(banks.count, banks)), -(-len(elements) // BANKS), used
    unit = LINE if space == "memory" else SECTOR
    return len({element * BYTES // unit for element in elements}), -(-used // unit), used


def recording(
    lab: str, beside: str | None, source: list[str], sites: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    arrays, requests = more["arrays"], list(more["requests"])
    unit = {"global": "sectors", "shared": "wavefronts", "memory": "lines"}
    patterns: list[list[list[int]]] = []
    runs: list[list[int]] = []
    order: dict[tuple[int, int, int], int] = {}
    lines: dict[int, dict[str, Any]] = {}
    totals: dict[str, dict[str, int]] = {}
    for site, block, phase, warp, lanes in requests:
        found = pattern(lanes)
        if found not in patterns:
            patterns.append(found)
        place = order[block, phase, warp] = order.get((block, phase, warp), -1) + 1
        of, writes = arrays[sites[site]["array"]], sites[site]["writes"]
        units, ideal, used = cost(of["space"], lanes)
        run = [
            site,
            block,
            phase,
            warp,
            place,
            1,
            patterns.index(found),
            0,
            0,
            1,
            units,
            ideal,
            used,
        ]
        runs.append(run)
        name = unit[of["space"]]
        about = {"line": sites[site]["line"], "array": of["name"], "space": of["space"]}
        row = lines.setdefault(site, {**about, "writes": writes})
        total = totals.setdefault(f"{of['space']}_{'store' if writes else 'load'}", {})
        active = sum(element is not None for element in lanes)
        counted = {"requests": 1, name: units, "ideal": ideal, "bytes": used}
        for key, count in {**counted, "lanes": active}.items():
            row[key] = row.get(key, 0) + count
        for key, count in counted.items():
            total[key] = total.get(key, 0) + count
    asked = sum(row["lanes"] for row in lines.values())
    everywhere = {"sites": list(range(len(sites)))}
    formula = {
        **{
            "level": "global",
            "label": "bytes requested",
            "formula": more.get("formula", "8·M·N·K + 4·M·N"),
        },
        **{"js": "8*M*N*K + 4*M*N", "value": 8 * N**3 + 4 * N * N, "counted": BYTES * asked},
        **{"unit": "bytes", "sum": everywhere, "source": "by hand"},
    }
    return {
        **{"lab": lab, "program": "gemm", "variant": "", "settings": more.get("settings", [])},
        **{
            "beside": beside,
            "file": more["file"],
            "source": source,
            "changed": more.get("changed", []),
        },
        **{
            "since": None if beside else "lab 01",
            "by": "hand",
            "skip": None,
            "failure": None,
            "wrong": None,
            "roofline": None,
            "unmeasured": "not measured: made by hand",
            "no_formula": None,
        },
        **{"tunables": more.get("tunables", {}), "problem": {"M": N, "N": N, "K": N}},
        "launches": [{"kernel": "gemm", "grid": [1, 1, 1], "block": [16, 16, 1]}],
        **{"arrays": arrays, "sites": sites, "patterns": patterns, "runs": runs[::-1]},
        **{
            "lines": list(lines.values()),
            "totals": totals,
            "accesses": {"recorded": asked, "of": asked},
        },
        **{"cut": None, "formulas": [formula]},
    }


def site(line: int, index: int, writes: bool) -> dict[str, Any]:
    return {"line": line, "array": index, "writes": writes, "width": 1, "launch": 0}


def naive(published: bool) -> Iterator[Request]:
    """A thread an element of C: row and column are those of its index, or the other way around."""

    def place(warp: int, lane: int) -> tuple[int, int]:
        y, x = divmod(32 * warp + lane, N)
        return (x, y) if published else (y, x)

    for k in range(N):
        for what in (0, 1):
            for warp in range(8):
                places = [place(warp, lane) for lane in range(32)]
                yield (
                    what,
                    0,
                    0,
                    warp,
                    [(r * N + k) if what == 0 else (k * N + c) for r, c in places],
                )
    for warp in range(8):
        yield 2, 0, 0, warp, [r * N + c for r, c in (place(warp, lane) for lane in range(32))]


def vectors() -> Iterator[Request]:
    for i in range(N):
        for j in range(0, N, 8):
            for k in range(N):
                yield 0, 0, 0, 0, [i * N + k]
                yield 1, 0, 0, 0, [k * N + j + lane for lane in range(8)]
            yield 2, 0, 0, 0, [i * N + j + lane for lane in range(8)]


def scalars() -> Iterator[Request]:
    """As lab 01: an element of C after the other."""
    for i in range(N):
        for j in range(N):
            for k in range(N):
                yield 0, 0, 0, 0, [i * N + k]
                yield 1, 0, 0, 0, [k * N + j]
            yield 2, 0, 0, 0, [i * N + j]


def tile(pad: int) -> Iterator[Request]:
    """A's tile, 8 x 32: copied as lab 07 does, then read."""
    for warp in range(8):
        items = [(32 * warp + lane) for lane in range(32)]
        yield 0, 0, 0, warp, [item // 8 % N * N + item % 8 for item in items]
        yield 1, 0, 0, warp, [item % 8 * (32 + pad) + item // 8 for item in items]
    for k in range(8):
        for warp in range(8):
            yield 2, 0, 1, warp, [k * (32 + pad) + 2 * warp + lane // 16 for lane in range(32)]
    for warp in range(8):
        yield 3, 0, 2, warp, [32 * warp + lane for lane in range(32)]


def of_naive(lab: str, file: str, beside: str | None = None) -> dict[str, Any]:
    source = lines_of(lab, file)
    sums, store = line_with(source, "sum +="), line_with(source, "= sum")
    sites = [site(sums, 0, False), site(sums, 1, False), site(store, 2, True)]
    more = {"arrays": matrices("global"), "requests": naive("published" in file), "changed": [sums]}
    return recording(lab, beside, source, sites, file=file, **more)


def of_tile(pad: int, beside: str | None) -> dict[str, Any]:
    source = lines_of("lab07_ocl_localmem", "kernel.cl")
    copy, read = line_with(source, "a_tile[k][r] ="), line_with(source, "a_tile[k][y")
    store = line_with(source, "= sum[r][c]")
    sites = [site(copy, 0, False), site(copy, 3, True), site(read, 3, False), site(store, 2, True)]
    arrays = [*matrices("global"), array("a_tile", "shared", 8, 32, pad)]
    more: dict[str, Any] = {"tunables": {"PAD": pad, "ROWS_PER_ITEM": 2, "COLS_PER_ITEM": 2}}
    more["formula"] = "4·(ROWS_PER_ITEM+COLS_PER_ITEM)·K·(M/ROWS_PER_ITEM)·(N/COLS_PER_ITEM)+4·M·N"
    more |= {"settings": [f"PAD={pad}"], "arrays": arrays, "requests": tile(pad)}
    return recording("lab07_ocl_localmem", beside, source, sites, file="kernel.cl", **more)


def of_scalars(lab: str, beside: str) -> dict[str, Any]:
    source = lines_of("lab01_cpu_naive", "kernel.c")
    sums, store = line_with(source, "sum +="), line_with(source, "= sum")
    sites = [site(sums, 0, False), site(sums, 1, False), site(store, 2, True)]
    more = {"arrays": matrices("memory"), "requests": scalars(), "file": "kernel.c"}
    return recording(lab, beside, source, sites, **more)


def of_vectors(lab: str, beside: str | None) -> dict[str, Any]:
    source = lines_of("lab02_avx", "kernel.c")
    a, b = line_with(source, "broadcast_ss(&A"), line_with(source, "maskload_ps(&B")
    sites = [
        site(a, 0, False),
        site(b, 1, False),
        site(line_with(source, "maskstore_ps(&C"), 2, True),
    ]
    more = {"arrays": matrices("memory"), "requests": vectors(), "file": "kernel.c"}
    return recording(lab, beside, source, sites, **more)


def empty(lab: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "runs": [],
        "sites": [],
        "arrays": [],
        "patterns": [],
        "lines": [],
        "totals": {},
        "launches": [],
    }
    made = of_naive("lab04_ocl_naive", "kernel.cl")
    said = "does not build: kernel.cl:17: error: expected ';'"
    return {
        **made,
        **nothing,
        "lab": lab,
        "failure": said,
        "formulas": [],
        "source": [],
        "changed": [],
    }


def speed(gflops: float) -> dict[str, Any]:
    of = {"device": "a GPU", "source": "figures/x.json"}
    return {
        **{"intensity": 0.25, "what": "an iteration over k: 4 bytes of A, 4 of B"},
        "points": [{"gflops": gflops, "N": 2048, **of}],
        "ceilings": [{"gflops": 61150.0, "gbs": 4163.0, **of}],
    }


def lab(name: str, backend: str, recordings: list[dict[str, Any]]) -> dict[str, Any]:
    title = (
        (TOP / name / "README.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    )
    about = {"lab": name, "number": name[3:5], "title": title, "backend": backend, "type": "float"}
    return {**about, "before": None, "recordings": recordings}


def labs() -> list[dict[str, Any]]:
    """Of a page five, one of which does not build."""
    cl, cu = "lab04_ocl_naive", "lab08_cuda_naive"
    own = of_naive(cl, "kernel.cl") | {"roofline": speed(5461.0), "unmeasured": None}
    beside = of_naive(cl, "kernel_published.cl", "published")
    beside |= {"variant": "published", "roofline": speed(971.03), "unmeasured": None}
    return [
        lab(
            "lab03_avx_block",
            "cpu",
            [of_vectors("lab03_avx_block", None), of_scalars("lab02_avx", "lab 02")],
        ),
        lab(cl, "opencl", [own, beside]),
        lab("lab05_ocl_coarsen", "opencl", [empty("lab05_ocl_coarsen")]),
        lab("lab07_ocl_localmem", "opencl", [of_tile(4, None), of_tile(0, "PAD=0")]),
        lab(cu, "cuda", [of_naive(cu, "kernel.cu")]),
    ]
