# SPDX-License-Identifier: MIT
"""The measurements that tests of what holds for all of them try."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import strategies as st

from workbook.report.data import measurements

MS = st.floats(1e-6, 999999999, allow_nan=False)
ANY = st.one_of(st.none(), st.floats(0, 999999999))
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TUNABLES = st.sampled_from(["", "BLOCK=8", "BLOCK=16 TILE=4"])


@st.composite
def cells(draw: st.DrawFn) -> pd.DataFrame:
    """The rows of a lab: a few cells, each with all its repetitions, or why it has none."""
    rows: list[dict[str, Any]] = []
    keys = st.tuples(
        st.sampled_from(["", "published"]),
        st.sampled_from(["float", "int"]),
        st.integers(1, 999999),
        TUNABLES,
    )
    for variant, type_, n, tunables in draw(st.lists(keys, min_size=1, max_size=4, unique=True)):
        cell: dict[str, Any] = {"lab": "lab04_ocl_naive", "variant": variant}
        cell.update(backend="opencl", type=type_)
        cell.update(
            M=n, N=n, K=n, settings=tunables, device=draw(NAMES), stamp=draw(st.just("77") | NAMES)
        )
        times = draw(st.lists(MS, max_size=6))
        in_round = draw(st.integers(0, 3))
        if not times:
            rows.append({**cell, "verified": "skipped", "why": draw(NAMES)})
        for rep, ms in enumerate(times, 1):
            turn = (rep - 1) // in_round + 1 if in_round else None
            more = {name: draw(ANY) for name in measurements.TIMES[1:] + measurements.RATES}
            rows.append(
                {**cell, **more, "rep": rep, "kernel_ms": ms, "verified": "full", "round": turn}
            )
    return measurements.frame(rows)
