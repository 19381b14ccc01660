# SPDX-License-Identifier: MIT
"""Long work tells how long it may take: a line with a bar in a terminal, a line now and then
elsewhere."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from tests.support import TOP, run
from tests.terminal import in_terminal
from workbook.core.progress_bar import ProgressBar, fit, in_words

WORK = """
import sys, time
from workbook.core import progress_bar
{settings}
with progress_bar.ProgressBar("work", about={about}) as work:
    for part in range({parts}):
        work.show_only(
            f"part {{part}} of the work, whose name is rather long, so that it must be cut"
        )
        time.sleep({each})
        work.print(f"row {{part}}")
"""


def script(about: float, parts: int, each: float, settings: str = "") -> list[str]:
    code = WORK.format(about=about, parts=parts, each=each, settings=settings)
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_line_is_never_wider_than_the_terminal(width: int) -> None:
    said = in_terminal(script(60, 1, 0.1), TOP, columns=width).out
    lines = re.split(r"[\r\n]+", said)
    assert any(line.startswith("work [") for line in lines)
    assert max(map(len, lines)) < width


def test_in_a_terminal_there_is_a_bar_and_the_time_that_is_left() -> None:
    said = in_terminal(script(4, 1, 2.2), TOP).out
    assert "work [                    ] about 4 s left: part 0" in said
    assert "work [##########          ] about 2 s left: part 0" in said  # without a call: it ticks


def test_without_a_terminal_what_is_over_soon_says_nothing() -> None:
    result = run(script(60, 3, 0), TOP)
    assert result.err == ""
    assert result.out == "row 0\nrow 1\nrow 2\n"


class Clocked(ProgressBar):
    """By a clock of ours, however busy the machine is."""

    tenths = 0

    def seconds(self) -> float:
        return self.tenths / 10


def lines_of(about: float, seconds: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What work of so many seconds writes where there is no terminal."""
    work = Clocked("work", about)
    with work:
        for work.tenths in range(10 * seconds):
            work.show_only("a part that has a name which is rather long, so that it has to be cut")
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_there_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = lines_of(30, 25, capsys)
    assert [line.split(" left")[0] for line in lines] == [
        f"work: about {left} s" for left in (28, 18, 8)
    ]
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("variable", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_a_dumb_terminal_and_no_color_get_no_escape_codes(variable: dict[str, str]) -> None:
    result = in_terminal(script(60, 2, 0), TOP, env=variable)
    assert "\033" not in result.out
    assert variable == {"NO_COLOR": "1"} or "[" not in result.out


def test_the_work_goes_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    command = " ".join(f"'{word}'" for word in script(60, 2, 0.2, "progress_bar.SOON = 0"))
    result = run(
        f"{{ {command} 2>&3; echo $? >status; }} 3>&1 >out | true",
        tmp_path,
        env={"PYTHONPATH": str(TOP)},
    )
    assert (tmp_path / "out").read_text() == "row 0\nrow 1\n"
    assert result.err == ""


def test_what_is_done_corrects_the_time() -> None:
    work = ProgressBar("work", about=60)
    work.start = time.monotonic() - 10
    work.done(0.25)
    assert work.about == pytest.approx(40, abs=1)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (99, "99 s"), (150, "2 min"), (7200, "2 h 0 min")]
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ("lab03 gemm N=512", 16, "lab03 gemm N=512"),
        ("lab03 gemm N=512", 15, "lab03 gemm"),  # and not N=51
        ("lab03 gemm N=512", 9, "lab03"),
    ],
)
def test_no_word_is_cut(line: str, width: int, shown: str) -> None:
    assert fit(line, width) == shown
