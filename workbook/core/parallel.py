# SPDX-License-Identifier: MIT
"""Several things at a time, as there are cores."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from workbook.core.process import GRACE, end_all
from workbook.core.progress_bar import ProgressBar


def run_all(
    tasks: Sequence[Callable[[], None]], progress: ProgressBar, jobs: int | None = None
) -> None:
    """The first come first; jobs: how many, where it is not as many as there are cores."""
    at_work: set[int] = set()  # threads

    def run(task: Callable[[], None]) -> None:
        at_work.add(threading.get_ident())
        try:
            task()
        finally:
            at_work.discard(threading.get_ident())

    with ThreadPoolExecutor(max(1, min(len(tasks), jobs or os.cpu_count() or 1))) as pool:
        pending: set[Future[None]] = set()
        try:
            pending = {pool.submit(run, task) for task in tasks}
            while pending:
                done, pending = wait(pending, timeout=1)
                for future in done:
                    future.result()
                progress.show()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            wait(pending, timeout=GRACE)
            for thread in list(at_work):
                interrupt(thread)
            raise


def interrupt(thread: int) -> None:
    """One that has no program to wait for, and computes: signals reach the main thread alone."""
    stop = ctypes.py_object(KeyboardInterrupt)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), stop)
