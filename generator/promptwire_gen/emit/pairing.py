"""Tool calls and results, where a wire refuses one without the other: `open_calls` are ids without result so far.

These lines only find out that something does not simply follow; the runtime says what it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model.wire import WireModel
from .python import Statement, code, literal

_CALLS = frozenset({"tool_call", "custom_tool_call"})
_RESULTS = frozenset({"tool_result", "custom_tool_result"})


def takes_calls(model: WireModel, kinds: Iterable[str]) -> bool:
    """Whether the function that writes messages with parts of these kinds opens or closes calls."""
    return bool(model.pairs) and not (_CALLS | _RESULTS).isdisjoint(kinds)


def opened(model: WireModel) -> list[Statement]:
    """What stands before the loop over the messages: most requests are one text, and need no list."""
    return ["open_calls: list[Any] | None = None"] if model.pairs else []


def listed(model: WireModel) -> list[Statement]:
    """What stands before the call that writes a message part by part."""
    # an attribute of its own is found sooner than one of the class
    noticed = ["build.left_out = None"] if model.merges else []
    return [("if open_calls is None:", ["open_calls = []", *noticed])] if model.pairs else []


def paired(model: WireModel, mode: str) -> list[Statement]:
    """What follows a part that was written: a call is open, a result closes one, as a rule the first."""
    if not model.pairs:
        return []
    if mode in _CALLS:
        return ["open_calls.append(part.id)"]
    if mode in _RESULTS:
        closes: Statement = ("if open_calls and open_calls[0] == part.call_id:", ["del open_calls[0]"])
        return [closes, ("else:", ["build.close_call(part, open_calls)"])]
    return []


def turn_ended(model: WireModel) -> list[Statement]:
    """What stands before a message: no call is open when the messages behind it, or their turn, have ended."""
    if model.pairs == "next":
        return [('if open_calls and role != "tool":', ["build.check_pairs(open_calls)"])]
    if model.pairs == "turn":
        shape = model.messages.get("assistant")
        speaker = shape.wire_role if shape is not None else "assistant"
        # one chain, since a tuple made for each turn would cost more
        test = f"if open_calls and now != before != {code(literal(speaker))}:"
        return [(test, ["build.check_pairs(open_calls)"])]
    return []


def all_ended(model: WireModel) -> list[Statement]:
    """What stands behind the loop."""
    return [("if open_calls:", ["build.check_pairs(open_calls)"])] if model.pairs else []
