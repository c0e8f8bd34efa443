"""Run work on every core in a pool of forked processes, where that is safe and pays off."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

# the task of a worker process: item number -> result
_tasks: dict[str, Callable[[int], Any]] = {}


def map_parallel(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
    """Return the results of a function for every item, in order, computed on every core.

    Only results are pickled. If anything fails, all work is repeated in this process, so that the first error is always
    the same and has its traceback.
    """
    processes = min(count_cores(), len(items)) if _can_fork() else 1
    if processes > 1:
        with suppress(Exception):
            return _run_in_processes(lambda number: work(items[number]), len(items), processes)
    return [work(item) for item in items]


@contextmanager
def run_in_background(work: Callable[[], ResultT]) -> Generator[Callable[[], ResultT | None]]:
    """Run a function in another process; yield a function that waits for its result.

    Yields None if there is no other core or the function failed: the caller then computes the result itself. The
    process ends with the block, even if nobody took its result.
    """
    if not _can_fork() or count_cores() == 1:
        yield lambda: None
        return
    context = get_context("fork")
    results, given = context.Pipe(duplex=False)
    process = context.Process(target=_give, args=(work, given), daemon=True)
    process.start()
    given.close()
    try:
        yield lambda: _take(results)
    finally:
        process.kill()
        process.join()
        results.close()


@contextmanager
def without_collection() -> Generator[None]:
    """Pause the garbage collector: it would scan all trees and models again and again, and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _can_fork() -> bool:
    """Return whether forking is safe: not beside threads, and only on Linux."""
    return sys.platform == "linux" and threading.active_count() == 1


def _run_in_processes(task: Callable[[int], ResultT], count: int, processes: int) -> list[ResultT]:
    """Run numbered tasks in a pool; the first error, or Ctrl-C, cancels those that have not begun."""
    pool = _make_pool(processes, task)
    try:
        return [future.result() for future in [pool.submit(_do, number) for number in range(count)]]
    finally:
        pool.shutdown(cancel_futures=True)


def _make_pool(processes: int, task: Callable[[int], Any]) -> ProcessPoolExecutor:
    """Make a pool of workers for one task; they are forked when the first number is submitted.

    They are not spawned, because a task holds functions that cannot be pickled, and loading the compiler again takes
    half a second.
    """
    return ProcessPoolExecutor(processes, get_context("fork"), initializer=_begin, initargs=(task,))


def _begin(task: Callable[[int], Any]) -> None:
    """Prepare a new process as a worker for one task."""
    _become_worker()
    _tasks["task"] = task


def _become_worker() -> None:
    """Prepare a new process as a worker: signals and the end of its parent end it at once and silently."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # the garbage collector writes to every object, which would copy the parent's memory
    gc.freeze()


def _give(work: Callable[[], Any], given: Connection) -> None:
    """Call a function in a new process and send its result; on failure, close the connection."""
    _become_worker()
    with suppress(Exception):
        given.send(work())


def _take(results: Connection) -> Any:
    with suppress(EOFError):
        return results.recv()
    return None


def _do(number: int) -> Any:
    return _tasks["task"](number)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
