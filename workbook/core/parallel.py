# SPDX-License-Identifier: MIT
"""Several things at a time, as there are cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from workbook.core.process import end_all
from workbook.core.progress_bar import ProgressBar


def run_all(tasks: Sequence[Callable[[], None]], progress: ProgressBar, jobs: int | None = None) -> None:
    """The first come first; jobs: how many, where it is not as many as there are cores."""
    with ThreadPoolExecutor(max(1, min(len(tasks), jobs or os.cpu_count() or 1))) as pool:
        try:
            pending: set[Future[None]] = {pool.submit(task) for task in tasks}
            while pending:
                done, pending = wait(pending, timeout=1)
                for future in done:
                    future.result()
                progress.show()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise
