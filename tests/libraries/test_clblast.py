# SPDX-License-Identifier: MIT
"""What CLBlast's tuners find is kept for the device: the tuners are stubs here."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbook import UserError
from workbook.libraries import clblast

TUNER = """#!/bin/sh
cat >tuned.json <<END
{"kernel_family": "%s", "device": "a GPU", "device_type": "GPU", "best_time": "%s",
 "best_parameters": "%s"}
END
"""


def said(family: str, time: str, parameters: str) -> clblast.Said:
    return {"kernel_family": family, "best_time": time, "best_parameters": parameters}


def test_the_fastest_part_of_a_kernel_counts() -> None:
    parts = [
        said("xgemm_1", "0.5", "MWG=16 PRECISION=32"),
        said("xgemm_2", "0.25", "MWG=64 PRECISION=32"),
    ]
    more = [
        said("xgemm_direct_1", "0.1", "WGD=8"),
        said("pad", "9", "P=1"),
        said("padtranspose", "1", "Q=2"),
    ]
    expected = {"Xgemm": "MWG=64", "XgemmDirect": "WGD=8", "Pad": "P=1", "Padtranspose": "Q=2"}
    assert clblast.best_of([*parts, *more]) == expected
    assert clblast.best_of([*more, *reversed(parts)]) == expected


def test_those_of_other_devices_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clblast, "TABLE", tmp_path / "build/clblast.tsv")
    clblast.keep("a GPU", {"Xgemm": "MWG=1", "Copy": "C=1"})
    clblast.keep("another", {"Xgemm": "MWG=2"})
    clblast.keep("a GPU", {"Xgemm": "MWG=3"})
    assert clblast.TABLE.read_text() == "another\tXgemm\tMWG=2\na GPU\tXgemm\tMWG=3\n"


def test_the_device_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = tmp_path / "tuner"
    tuner.write_text(
        '#!/bin/sh\n[ "$2 $4" = "1 0" ] || { echo invalid >&2; exit 8; }\n'
        + TUNER % ("copy", "1", "C=1")
    )
    tuner.chmod(0o755)
    monkeypatch.setattr(clblast, "PROBE", str(tuner))
    work = tmp_path / "work"
    work.mkdir()
    assert clblast.place_of("a GPU", work) == (["-platform", "1", "-device", "0"], "GPU")
    with pytest.raises(UserError, match="do not find a CPU"):
        clblast.place_of("a CPU", work)


def test_a_tuner_that_fails_is_told(tmp_path: Path) -> None:
    tuner = tmp_path / "tuner"
    tuner.write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    tuner.chmod(0o755)
    with pytest.raises(UserError, match="tuner ended with status 3: no memory"):
        clblast.tune(str(tuner), [], tmp_path)
