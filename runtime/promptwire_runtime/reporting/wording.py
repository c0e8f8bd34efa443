"""What a rule refuses in words of the request and the API: a path of the spec language is nothing to a reader."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .spec_words import TOOL_WORDS, spec_word, split_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .facts import WireFacts

_MOST_SHOWN = 80
_SPEAKERS = {
    "user": "the user",
    "assistant": "the assistant",
    "system": "the system",
    "developer": "the developer",
}
_ENDS = {"first_message": "first", "last_message": "last"}
_LISTED = {
    "stop": "texts that stop",
    "messages": "messages",
    "tools": "tools",
    "metadata": "keys of metadata",
}
_UNCOUNTED = frozenset({"audio", "text", "reasoning", "json"})
_TOLD = {"messages.text": "what the messages say", "conversation.text": "what instructions and messages say"}
_PARTS = {0: "nothing", 1: "one part"}
_LETTER = "schemas that are followed to the letter"
# what a rule finds in schemas that are followed to the letter; {} is the value
_SCHEMAS = {
    "optional": "parameters that may be missing ({})",
    "unions": "parameters of several types ({})",
    "unrequired": "properties that it does not require ({})",
    "properties": "{} properties",
    "open": "objects without additionalProperties false ({})",
    "loose_lists": "arrays without items ({})",
    "depth": "{} levels of objects",
    "min_items": "minItems {}",
    "root": "a root of type {}",
    "keywords": "the keyword {}",
    "formats": "the format {}",
    "patterns": "the pattern {}",
    "refs": "the $ref {}",
    "beside_ref": "the keyword {} beside a $ref",
}


def said(path: str, value: Any, node: object, wire: WireFacts) -> str:
    """Say which value of a node is meant by a path of a rule; None is what a node lacks."""
    head, selector, tail = split_path(path)
    for heads, say in _WORDS.items():
        if head in heads.split():
            return say(head, tail, value, node, selector)
    if tail == "count":
        return f"a list of {value} {_LISTED.get(head, head)}"
    if tail in ("keys", "values"):
        return f"{'the key' if tail == 'keys' else 'the value'} {quoted(value)} in {head}"
    if path == "model" or path in _TOLD:
        return _TOLD.get(path, "the model")
    if head == "vendor":
        return _with_value(f"the option {tail}", value, wire.title)
    kind, _, field = path.rpartition(".")
    if kind and spec_word(node) == kind and kind != "tool_choice":
        return _with_value(f"the {field}", value, article(kind))
    if value is None and spec_word(node) == "message":
        return f"a message without {path}"
    return _with_value(path, value)


def subject(path: str) -> str:
    """Say what a path of a rule leads to, whatever its value: `the name of tools`, `schemas`, `temperature`."""
    head, _, tail = split_path(path)
    field = tail.replace("|", " or ")
    if head == "vendor":
        return f"the option {field}"
    if head == "strict_schemas":
        return _LETTER
    if head == "tools":
        return f"the {field} of tools" if tail and tail != "count" else "tools"
    if head in _SPEAKERS or (head == "tool" and tail):
        return f"{field.replace('.', ' ')} in {_speaker(head)}" if tail else _speaker(head)
    if head == "turn":
        return f"{field.replace('.', ' ')} since the last words of the user"
    if head in _ENDS:
        return f"the {_ENDS[head]} message"
    if head in ("cache", "message", "part", "tool"):
        return {"cache": "cache marks", "message": "messages", "part": "parts", "tool": "tools"}[head]
    return f"{head}.{tail}" if tail and tail not in ("count", "keys", "values") else head


def quoted(value: Any) -> str:
    """Show a value in a sentence; a long text is cut off."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= _MOST_SHOWN else f'"{value[:_MOST_SHOWN]}..."'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else ""


def article(kind: str) -> str:
    """Give the kind of a node as a noun: `an image`, `a tool result`, `text`."""
    noun = kind.replace("_", " ")
    if noun in _UNCOUNTED:
        return noun
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def _with_value(what: str, value: Any, owner: str = "") -> str:
    """Say a value behind its name, and whose it is; None is what the owner lacks."""
    if value is None:
        return f"{owner or 'a request'} without {what.removeprefix('the ')}"
    return " ".join([piece for piece in (what, quoted(value), owner and f"of {owner}") if piece])


def _speaker(role: str) -> str:
    return "what a tool returned" if role == "tool" else f"a message of {_SPEAKERS[role]}"


def _neighbour(value: str, side: str) -> str:
    """Say what stands before or behind: `user.text`, `start`, or the kind of a part alone."""
    if value in ("start", "end"):
        return f"at the {value} of {'its message' if side == 'part' else 'the conversation'}"
    role, _, kind = value.partition(".")
    where = "behind" if side != "before" else "before"
    if role not in _SPEAKERS and role != "tool":
        return f"{where} {article(value)}"
    return f"{where} {_speaker(role)}" + (f" with {article(kind)}" if kind else "")


def _of_role(role: str, tail: str, value: Any, node: object, chosen: str) -> str:
    """Say what stands in the messages of one role."""
    kind, dot, field = tail.partition(".")
    if tail == "count":
        return f"{_speaker(role)} that holds {_PARTS.get(value, f'{value} parts')}"
    if tail == "part":
        return f"{article(str(value))} in {_speaker(role)}"
    if tail in ("after", "before"):
        return f"{'such ' if chosen else ''}{_speaker(role)} {_neighbour(str(value), tail)}"
    if field in ("after", "before"):
        return f"{article(kind)} {_neighbour(str(value), 'part' if field == 'after' else field)}"
    if not dot:
        return _with_value(f"the {kind}", value, f"{article(spec_word(node))} in {_speaker(role)}")
    return _with_value(_field(field), value, f"{article(kind)} in {_speaker(role)}")


def _of_turn(_head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    """Say what stands in the current turn."""
    kind, _, field = tail.partition(".")
    if tail == "first":
        return f"an answer since the last words of the user that begins with {article(str(value))}"
    if tail == "unmatched":
        return f"an answer since the last words of the user whose calls and results differ by {value}"
    return _with_value(_field(field), value, f"{article(kind)} since the last words of the user")


def _field(field: str) -> str:
    return f"the option {field[7:]}" if field.startswith("vendor.") else f"the {field.replace('|', ' or ')}"


def _of_layers(head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    return f"a layer of instructions of role {quoted(value)}" if tail else _with_value(head, value)


def _of_message(_head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    if tail == "role":
        return f"a message of role {quoted(value)}"
    return _with_value(_field(tail), value, "a message")


def _of_end(head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    end = _ENDS[head]
    if tail == "role":
        return f"a {end} message of role {quoted(value)}"
    if tail == "part":
        return f"a {end} message with {article(str(value))}"
    return _with_value(_field(tail), value, f"the {end} message")


def _of_kind(_head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    return _with_value(f"the {tail}", value, "a part") if tail else article(str(value))


def _of_tool_kind(head: str, tail: str, value: Any, node: object, chosen: str) -> str:
    if tail:
        return _of_role(head, tail, value, node, chosen)
    return "a tool of the API's own" if value == TOOL_WORDS["hosted_tool"] else f"{article(str(value))} tool"


def _of_tools(_head: str, tail: str, value: Any, node: object, chosen: str) -> str:
    if not tail:
        return "a list of tools"
    if tail == "count":
        field, _, word = chosen.partition("=")
        return f"a list of {value} tools" + (f" with {field} {word}" if chosen else "")
    kind, name = getattr(node, "type", None), getattr(node, "name", None)
    shown = kind if isinstance(kind, str) else name if isinstance(name, str) and tail != "name" else None
    which = f"the tool {quoted(shown)}" if shown is not None else "a tool"
    # one of several keys may say the same
    keys = tail.replace("|", " or ")
    return _with_value(f"the {keys.removeprefix('config.')}", value, which)


def _of_schemas(_head: str, tail: str, value: Any, _node: object, _chosen: str) -> str:
    if tail == "recursive":
        return "a schema that refers to itself and is followed to the letter"
    return f"a schema that is followed to the letter with {_SCHEMAS[tail].format(quoted(value))}"


def _of_mark(_head: str, tail: str, value: Any, node: Any, _chosen: str) -> str:
    """Say what is wrong with a cache mark: how many there are, how long it lives, what stands before it."""
    own = getattr(getattr(node, "cache", None), "ttl", None)
    mark = f"a cache mark of {_lifetime(own)}"
    match tail:
        case "":
            return "a cache mark"
        case "count":
            return f"cache mark number {value}"
        case "ttl":
            return f"a cache mark of {_lifetime(value)}"
        case "after":
            return f"{mark} behind {'no other' if value == 'start' else 'one of ' + _lifetime(value)}"
        case _:
            return f"{mark} before the request's own of {_lifetime(value)}"


def _lifetime(ttl: Any) -> str:
    """Say how long a mark lives: `5m` is 5 minutes."""
    if ttl in (None, "default"):
        return "the default lifetime"
    text = str(ttl)
    unit = {"m": "minute", "h": "hour", "d": "day", "s": "second"}.get(text[-1:])
    if unit is None or not text[:-1].isdecimal():
        return text
    return f"{text[:-1]} {unit}{'' if text[:-1] == '1' else 's'}"


# heads of paths -> what says them: (head, tail, value, node, what stands in brackets)
_WORDS: dict[str, Callable[[str, str, Any, object, str], str]] = {
    "user assistant system developer": _of_role,
    "instructions": _of_layers,
    "message": _of_message,
    "first_message last_message": _of_end,
    "turn": _of_turn,
    "part": _of_kind,
    "tool": _of_tool_kind,
    "tools": _of_tools,
    "strict_schemas": _of_schemas,
    "cache": _of_mark,
}
