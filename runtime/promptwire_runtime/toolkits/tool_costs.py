"""The cost of a request's tools: whole, collapsed into containers, or deferred by the API."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..loading.dumping import dump_request
from ..model.request import Request
from ..model.tools import AnyTool, ToolGroup
from ..nodes.records import replace
from .catalogue import Toolkits
from .config import CONTAINERS, NATIVE, NONE
from .deferring import Target
from .session import Session
from .state import ToolkitState

_MODES = {"whole": NONE, "collapsed": CONTAINERS, "deferred": NATIVE}


class Cost(NamedTuple):
    """The tools of one way to send them.

    way     `whole`, `collapsed` or `deferred`
    tools   how many the model sees from the start; a group of deferred tools counts as one
    start   what those cost, by the caller's estimate
    sent    what all that is sent costs, deferred tools too
    """

    way: str
    tools: int
    start: int
    sent: int


def costs(
    toolkits: Toolkits,
    request: Request,
    *,
    state: ToolkitState | None = None,
    wire: Target | None = None,
    estimate: Callable[[str], int] = len,
) -> tuple[Cost, ...]:
    """Compare what the tools of a request and its toolkits cost, each way that the API knows.

    Args:
        toolkits: the toolkits.
        request: the request that has them; its own tools count too.
        state: what is expanded already.
        wire: the module of the API; `deferred` is compared where it defers tools itself.
        estimate: counts a text, the neutral JSON of tools: characters unless a tokenizer is given.
    """
    rows: list[Cost] = []
    for way, word in _MODES.items():
        config = replace(toolkits.config, enabled=True, deferral=word)
        session = Session(Toolkits(toolkits.tops, config), request, state or ToolkitState(), wire)
        if session.mode.word == word:
            tools = session.request.tools or ()
            seen = tuple(_seen(tools))
            rows.append(Cost(way, len(seen), estimate(_text(seen)), estimate(_text(tools))))
    return tuple(rows)


def cost_table(rows: Iterable[Cost], unit: str = "characters") -> str:
    """Lay costs out as a table; `unit` is what the estimate counted."""
    lines = [("tools", "shown", f"{unit} at the start", f"{unit} sent")]
    lines += [(row.way, f"{row.tools:,}", f"{row.start:,}", f"{row.sent:,}") for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        [
            "  ".join([first.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])])
            for first, *numbers in lines
        ]
    )


def _seen(tools: Iterable[AnyTool]) -> Iterator[AnyTool]:
    """Yield the tools that a model sees before it searches; a group is its name and description."""
    for tool in tools:
        if isinstance(tool, ToolGroup):
            yield replace(tool, tools=tuple(_seen(tool.tools)))
        elif not getattr(tool, "deferred", None):
            yield tool


def _text(tools: tuple[AnyTool, ...]) -> str:
    rows = dump_request(Request(tools=tools)).get("tools", [])
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
