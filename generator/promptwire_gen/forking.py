"""Work on other cores: a forked process starts with all that is loaded, and what it makes comes through a pipe."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Generic, Self, TypeVar

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def can_fork() -> bool:
    """Whether to work in other processes: not on one core, and beside threads or outside Linux it is not safe."""
    return sys.platform == "linux" and threading.active_count() == 1 and cores() > 1


class Fork(Generic[ResultT]):
    """A process that begins at once; the work needs no pickling, its result does."""

    def __init__(self, work: Callable[[], ResultT]) -> None:
        self._receiver, sender = multiprocessing.Pipe(duplex=False)
        forking = multiprocessing.get_context("fork")
        self._process = forking.Process(target=_send, args=(self._receiver, sender, work), daemon=True)
        # Ctrl-C reaches every process of a terminal: this one ends the others
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if it is still at work."""
        self._process.terminate()
        self._process.join()

    def made(self) -> tuple[ResultT, ...]:
        """Wait, and return the result alone in a tuple; an empty one when the work failed."""
        made: tuple[ResultT, ...] = ()
        with suppress(EOFError, OSError):
            made = self._receiver.recv()
        self._process.join()
        return made


def spread(work: Callable[[Iterable[ItemT]], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
    """Do the work on every core; each process asks for its next item when it is ready for it.

    When one fails, all is done again here, in order: the first error is always the same, with its traceback.
    """
    processes = min(cores(), len(items)) if can_fork() else 1
    if processes < 2:
        return [work(items)]
    turns: SimpleQueue[int | None] = multiprocessing.get_context("fork").SimpleQueue()

    def take_turns() -> ResultT:
        return work(items[turn] for turn in iter(turns.get, None))

    with ExitStack() as running:
        forks = [running.enter_context(Fork(take_turns)) for _ in range(processes - 1)]
        for turn in (*range(len(items)), *[None] * processes):
            turns.put(turn)
        made = [_attempt(take_turns), *(fork.made() for fork in forks)]
    return [result for results in made for result in results] if all(made) else [work(items)]


def _attempt(work: Callable[[], ResultT]) -> tuple[ResultT, ...]:
    """Do some work; whatever goes wrong is met again by who does it once more."""
    try:
        return (work(),)
    except Exception:  # noqa: BLE001
        return ()


def _send(receiver: Connection, sender: Connection, work: Callable[[], ResultT]) -> None:
    # who ends this process ends it at once, whatever its parent does when it is ended
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # without its reader, a process that outlives its parent cannot wait for it to read
    receiver.close()
    with suppress(BrokenPipeError):
        sender.send(_attempt(work))
