"""What one model call sees: the conversation with the tools that show and the instructions that count."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import InvalidRequest
from ..model.options import ToolChoice
from ..model.request import Request
from ..nodes.records import replace
from ..reporting.notes import Note
from .catalogue import Toolkits
from .config import NATIVE
from .deferring import Mode
from .injecting import injected_text, with_text, without_text
from .showing import block_of, names_of
from .state import ToolkitState


class View(NamedTuple):
    """A request that is ready to be built, the names of its tools, and what is to be said of it."""

    request: Request
    shown: frozenset[str]
    notes: tuple[Note, ...]


def view_of(catalogue: Toolkits, state: ToolkitState, mode: Mode, bare: Request) -> View:
    """Add to a conversation what toolkits show, and what they say.

    Raises InvalidRequest for a tool whose name a toolkit has, and for the choice of a function that does not show.
    """
    catalogue.check_names(bare)
    block = block_of(catalogue, state, mode)
    tools = (*bare.tools, *block.tools) if bare.tools else block.tools
    shown = block.names.union(names_of(bare.tools)) if bare.tools else block.names
    notes = [mode.note(catalogue)]
    if mode.word == NATIVE:
        notes += [
            _uncached(name) for name, row in catalogue.members.items() if row.member.tool.cache is not None
        ]
    request = replace(bare, tools=tools or None)
    if bare.tool_choice is not None:
        choice = _choice(catalogue, bare.tool_choice, shown, notes)
        request = replace(request, tool_choice=choice)
    text = injected_text(catalogue, state)
    return View(with_text(request, text) if text else request, shown, tuple(notes))


def _choice(
    catalogue: Toolkits, choice: ToolChoice, shown: frozenset[str], notes: list[Note]
) -> ToolChoice | None:
    """Keep a choice of what shows; one of a container that is expanded has been followed, and goes with a note."""
    names = [choice.name] if choice.name is not None else list(choice.names or ())
    hidden = [name for name in names if name in catalogue.members and name not in shown]
    if hidden:
        where = catalogue.members[hidden[0]].path[-1]
        trouble = f'tool_choice names "{hidden[0]}", which does not show: expand {where} first'
        raise InvalidRequest(trouble, field="tool_choice")
    done = [name for name in names if name in catalogue.kits and name not in shown]
    if not done:
        return choice
    notes.append(
        Note("dropped", "tool_choice", done[0], "the toolkit is expanded: nothing is left to choose")
    )
    left = tuple([name for name in names if name not in done])
    return replace(choice, names=left) if left else None


def _uncached(name: str) -> Note:
    why = "what is deferred is not in the prefix that a cache mark keeps"
    return Note("dropped", f"tools.{name}", "cache", why)


def without_view(catalogue: Toolkits, state: ToolkitState, mode: Mode, request: Request) -> Request:
    """Take from a request what an earlier view added: the tools of toolkits, and what they say behind all else."""
    own = {*catalogue.kits, *catalogue.members}
    kept = [tool for tool in request.tools or () if tool != mode.search and own.isdisjoint(names_of((tool,)))]
    request = replace(request, tools=tuple(kept) or None) if len(kept) < len(request.tools or ()) else request
    text = injected_text(catalogue, state)
    return without_text(request, text) if text else request
