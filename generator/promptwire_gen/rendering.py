"""Artifacts to formatted texts, shared among the cores: a wire's files are made together, by one process."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from .emit.artifact import Artifact
from .emit.environment import environment
from .emit.format import format_all
from .emit.header import MARK
from .plugins import PluginError
from .problems import SpecError

# the name of a plugin, and a file of its
Order: TypeAlias = tuple[str, Artifact]
Texts: TypeAlias = dict[str, str]


def make_texts(orders: Sequence[Order], template_folders: Sequence[Path]) -> Texts:
    """Render and format every file; path -> text.

    Raises PluginError, SpecError, FormatError or jinja's TemplateError.
    """
    _check_paths(orders)
    jinja = environment(template_folders)

    def make(share: Sequence[Order]) -> Texts:
        return format_all({order[1].path: _text(*order, jinja) for order in share})

    return _on_every_core(make, _shares(orders, os.cpu_count() or 1 if _can_fork() else 1))


def _check_paths(orders: Sequence[Order]) -> None:
    owners: dict[str, str] = {}
    for plugin, artifact in orders:
        first = owners.setdefault(artifact.path, plugin)
        if first is not plugin:
            raise PluginError(f'"{artifact.path}" is made by two plugins: {first} and {plugin}')


def _text(plugin: str, artifact: Artifact, jinja: Any) -> str:
    text = artifact.text
    if text is None:
        text = jinja.get_template(str(artifact.template)).render(**_context(plugin, artifact))
    if MARK not in text[:400]:
        raise PluginError(f'plugin "{plugin}": {artifact.path} lacks the mark {MARK!r} in its first lines')
    return text


def _context(plugin: str, artifact: Artifact) -> Mapping[str, Any]:
    if not callable(artifact.context):
        return artifact.context
    try:
        return artifact.context()
    except SpecError:
        raise
    except Exception as error:
        raise PluginError(f'plugin "{plugin}" fails: {type(error).__name__}: {error}') from error


def _shares(orders: Sequence[Order], count: int) -> list[list[Order]]:
    """Deal the wires out in turn; files about all wires go to the first share."""
    wires = sorted({artifact.wire for _, artifact in orders if artifact.wire is not None})
    turn = {wire: index % count for index, wire in enumerate(wires)}
    shares: list[list[Order]] = [[] for _ in range(count)]
    for order in orders:
        shares[turn.get(order[1].wire or "", 0)].append(order)
    return [share for share in shares if share]


def _can_fork() -> bool:
    """A forked process starts with everything loaded; beside threads, or outside Linux, it is not safe."""
    return sys.platform == "linux" and threading.active_count() == 1


def _on_every_core(make: Callable[[Sequence[Order]], Texts], shares: Sequence[Sequence[Order]]) -> Texts:
    """Make the first share here and each other one in a process of its own."""
    forks = [_Fork(make, share) for share in shares[1:]]
    texts = make(shares[0]) if shares else {}
    for fork, share in zip(forks, shares[1:], strict=True):
        made = fork.texts()
        # what failed is done again here, where the error keeps its traceback
        texts |= make(share) if made is None else made
    return texts


class _Fork:
    """A process that makes one share; its work needs no pickling, its texts come through a pipe."""

    def __init__(self, make: Callable[[Sequence[Order]], Texts], share: Sequence[Order]) -> None:
        self._receiver, sender = multiprocessing.Pipe(duplex=False)
        forking = multiprocessing.get_context("fork")
        self._process = forking.Process(target=_send, args=(sender, make, share), daemon=True)
        self._process.start()
        sender.close()

    def texts(self) -> Texts | None:
        """Wait for the texts; None when the process failed."""
        try:
            made: Texts | None = self._receiver.recv()
        except EOFError:
            made = None
        self._process.join()
        return made


def _send(sender: Connection, make: Callable[[Sequence[Order]], Texts], share: Sequence[Order]) -> None:
    try:
        made = make(share)
    except Exception:  # noqa: BLE001  # the parent meets it again
        sender.send(None)
    else:
        sender.send(made)
