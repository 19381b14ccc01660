# SPDX-License-Identifier: MIT
"""Several things at a time end when they are told to."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import TOP, await_file

COMPUTES = """
import sys
from pathlib import Path
from workbook.core.parallel import run_all
from workbook.core.process import end_by_signals
from workbook.core.progress_bar import ProgressBar

def compute():
    Path(sys.argv[1]).write_text("begun")
    while True:
        pass

end_by_signals()
try:
    run_all([compute, compute], ProgressBar("test", 1.0), 2)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_only_computes(tmp_path: Path, number: signal.Signals) -> None:
    here = tmp_path / "here"
    process = subprocess.Popen([sys.executable, "-c", COMPUTES, str(here)], cwd=TOP)
    try:
        await_file(here)
        process.send_signal(number)
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.wait()
