"""Work on every core: a pool of forked processes, where that pays and is safe."""

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

# of one worker: what it does with the item of a number
_tasks: dict[str, Callable[[int], Any]] = {}


def spread(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
    """Do the work for every item, on every core; the results in the order of the items.

    Only results are pickled. When anything fails, all is done again here, in order: the first error is always the
    same, with its traceback.
    """
    processes = min(cores(), len(items)) if _can_fork() else 1
    if processes > 1:
        with suppress(Exception):
            return _in_processes(lambda number: work(items[number]), len(items), processes)
    return [work(item) for item in items]


@contextmanager
def beside(work: Callable[[], ResultT]) -> Generator[Callable[[], ResultT | None]]:
    """Do some work in another process meanwhile; yield what waits for its result.

    None where there is no other core, or where it failed: then whoever needs the result makes it. With the block, the
    process ends too: nobody waits for what nobody took.
    """
    if not _can_fork() or cores() == 1:
        yield lambda: None
        return
    context = get_context("fork")
    results, given = context.Pipe(duplex=False)
    process = context.Process(target=_give, args=(work, given), daemon=True)
    process.start()
    given.close()
    try:
        yield lambda: _taken(results)
    finally:
        process.kill()
        process.join()
        results.close()


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _can_fork() -> bool:
    """Whether to fork: beside threads, or outside Linux, it is not safe."""
    return sys.platform == "linux" and threading.active_count() == 1


def _in_processes(task: Callable[[int], ResultT], count: int, processes: int) -> list[ResultT]:
    """Do a numbered task in a pool; the first error, or Ctrl-C, cancels what has not begun."""
    pool = _pool(processes, task)
    try:
        return [future.result() for future in [pool.submit(_do, number) for number in range(count)]]
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(processes: int, task: Callable[[int], Any]) -> ProcessPoolExecutor:
    """Make a pool of workers for one task; they are forked when the first number is submitted.

    Not spawned: a task holds functions that no pickle takes, and loading the compiler anew takes half a second.
    """
    return ProcessPoolExecutor(processes, get_context("fork"), initializer=_begin, initargs=(task,))


def _begin(task: Callable[[int], Any]) -> None:
    """Make a new process a worker for one task."""
    _be_worker()
    _tasks["task"] = task


def _be_worker() -> None:
    """Make a new process a worker: signals end it at once and silently, and so does the end of its parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # looking for garbage writes to every object: what the parent made would be copied
    gc.freeze()


def _give(work: Callable[[], Any], given: Connection) -> None:
    """Do some work in a new process, and give its result; where it fails, the end of the connection says so."""
    _be_worker()
    with suppress(Exception):
        given.send(work())


def _taken(results: Connection) -> Any:
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
