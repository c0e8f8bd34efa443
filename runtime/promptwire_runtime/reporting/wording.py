"""Describe values that rules reject in words of the request and the API, not as paths of the spec language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from ..predicates.conditions import FieldPath
from ..schemas.correcting import invalid_places
from .facts import WireFacts
from .spec_words import TOOL_WORDS, spec_word

_MOST_SHOWN = 80
# numbers of more bits are not written out
_MOST_BITS = 128
_SPEAKERS = ("user", "assistant", "system", "developer")
_ENDS = {"first_message": "first", "last_message": "last"}
_UNCOUNTED = frozenset({"audio", "text", "reasoning", "json"})
_TEXTS = {
    "messages.text": "the text of the messages",
    "conversation.text": "the text of instructions and messages",
}
_PARTS = {0: "nothing", 1: "one part"}
_STRICT = "strict schemas"
_MOST_PLACES = 3
_OTHERS = {
    "calls": "a call with the id of another one",
    "documents": "a document with the name of another one",
    "items": "an item with the id of another one",
    "references": "a reference to a tool that the request does not have",
}
# what a rule finds in strict schemas; {} is the value
_SCHEMAS = {
    "optional": "optional parameters ({})",
    "unions": "parameters of several types ({})",
    "most_optional": "optional parameters ({} in one schema)",
    "most_unions": "parameters of several types ({} in one schema)",
    "unrequired": "properties that it does not require ({})",
    "properties": "{} properties",
    "open": "objects without additionalProperties false ({})",
    "loose_lists": "arrays without items ({})",
    "outdated": "schemas of an earlier draft ({})",
    "undefined": "required properties that it does not define ({})",
    "bare_required": "required without properties ({})",
    "typed_enums": "enums of other types than text ({})",
    "dangling": "references that lead nowhere ({})",
    "clashing_refs": "references beside which stand words of their definition ({})",
    "untyped": "parts without a type ({})",
    "anything": "true in place of a schema ({})",
    "lax_objects": "objects without a required property ({})",
    "depth": "{} levels of objects",
    "min_items": "minItems {}",
    "root": "a root of type {}",
    "keywords": "the keyword {}",
    "formats": "the format {}",
    "patterns": "the pattern {}",
    "refs": "the $ref {}",
    "beside_ref": "the keyword {} beside a $ref",
}


def describe_value(path: FieldPath | str, value: Any, node: object, wire: WireFacts) -> str:
    """Return a description of the value of a node that a path of a rule, or the name of a field, refers to.

    The value None means that the node does not have it.
    """
    if isinstance(path, str):
        path = FieldPath(*path.split("."))
    head, tail = path.head, path.tail
    if path.text == "tool.name" and spec_word(node) in TOOL_WORDS.values():
        return _of_tools(path, value, node)
    if head in _WORDS:
        return _WORDS[head](path, value, node)
    if path.keys[-1:] == ("count",):
        return f"{head} with {value} entries" if tail == "count" else _of_parts(path, value)
    if tail in ("keys", "values"):
        return f"{'the key' if tail == 'keys' else 'the value'} {quoted(value)} in {head}"
    if path.text == "model" or path.text in _TEXTS:
        return _TEXTS.get(path.text, "the model")
    if head == "vendor":
        return _with_value(f"the option {tail}", value, wire.title)
    if len(path.keys) == 1 and spec_word(node) == head != "tool_choice":
        return _with_value(f"the {tail}", value, article(head))
    if value is None and spec_word(node) == "message":
        return f"a message without {path}"
    return _with_value(path.text, value)


def subject(path: FieldPath) -> str:
    """Return a description of what a path of a rule refers to, without a value: `the name of tools`, `temperature`."""
    head, tail = path.head, path.tail
    field = _either(path)
    if len(path.keys) == 2 and path.keys[1] == "count":
        return f"{path.keys[0].replace('_', ' ')} parts"
    if head == "vendor":
        return f"the option {field}"
    if head == "strict_schemas":
        return _STRICT
    if head == "tools":
        return f"the {field} of tools" if tail and tail != "count" else "tools"
    if head in _SPEAKERS or (head == "tool" and tail):
        return f"{field.replace('.', ' ')} in {_speaker(head)}" if tail else _speaker(head)
    if head == "turn":
        return f"{field.replace('.', ' ')} since the last user message"
    if head in _OTHERS:
        return _OTHERS[head]
    if head in _ENDS:
        return f"the {_ENDS[head]} message"
    if head in ("cache", "message", "part", "tool"):
        return {"cache": "cache marks", "message": "messages", "part": "parts", "tool": "tools"}[head]
    return f"{head}.{tail}" if tail and tail not in ("count", "keys", "values") else head


def quoted(value: Any) -> str:
    """Return a value for use in a sentence. A long text is shortened."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= _MOST_SHOWN else f'"{value[:_MOST_SHOWN]}..."'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        # Python refuses to write some thousands of digits
        return "a very large number" if value > 0 else "a very large negative number"
    return str(value) if isinstance(value, (int, float)) else ""


def article(kind: str) -> str:
    """Return the kind of a node with an article: `an image`, `a tool result`, `text`."""
    noun = kind.replace("_", " ")
    if noun in _UNCOUNTED:
        return noun
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def _with_value(what: str, value: Any, owner: str = "") -> str:
    """Return a name with its value and owner. The value None means that the owner does not have it."""
    if value is None:
        return f"{owner or 'a request'} without {what.removeprefix('the ')}"
    return " ".join([piece for piece in (what, quoted(value), owner and f"of {owner}") if piece])


def _either(path: FieldPath) -> str:
    """Return the field of a path. Alternative keys are joined with `or`."""
    return ".".join((*path.keys, " or ".join(path.either)) if path.either else path.keys)


def _speaker(role: str) -> str:
    return "an assistant message" if role == "assistant" else f"a {role} message"


def _neighbour(value: str, side: str) -> str:
    """Return a description of a neighbour: `user.text`, `start`, or only the kind of a part."""
    if value in ("start", "end"):
        return f"at the {value} of {'its message' if side == 'part' else 'the conversation'}"
    role, _, kind = value.partition(".")
    where = "after" if side != "before" else "before"
    if role not in _SPEAKERS and role != "tool":
        return f"{where} {article(value)}"
    return f"{where} {_speaker(role)}" + (f" with {article(kind)}" if kind else "")


def _of_parts(path: FieldPath, value: Any) -> str:
    """Return a description of the number of parts of a kind, in a request or in one message."""
    kind = path.keys[0].replace("_", " ")
    noun = f"{kind} part" if kind in _UNCOUNTED else kind
    owner = "a request" if path.head == "messages" else _speaker(path.head)
    return f"{owner} with {value} {noun}{'' if value == 1 else 's'}"


def _of_little(path: FieldPath, node: object) -> str:
    """Return a description of a text that says nothing, or of a message with nothing else, or with one kind alone."""
    kind, speaker = path.keys[0].replace("_", " "), _speaker(path.head)
    if path.keys[-1] == "unnamed":
        return f"{kind} before the text of {speaker} without an id"
    if path.tail == "empty":
        return f"{speaker} with nothing{' but an empty text' if getattr(node, 'parts', ()) else ''}"
    return (
        f"an empty {kind} in {speaker}" if path.keys[-1] == "empty" else f"{speaker} with nothing but {kind}"
    )


def _of_role(path: FieldPath, value: Any, node: object) -> str:
    """Return a description of a value in the messages of one role."""
    kind, *field = path.keys or ("",)
    speaker = _speaker(path.head)
    if field == ["count"]:
        return _of_parts(path, value)
    if path.tail == "count":
        return f"{speaker} with {_PARTS.get(value, f'{value} parts')}"
    if path.keys[-1:] in (("empty",), ("alone",), ("unnamed",)):
        return _of_little(path, node)
    if path.tail == "part":
        return f"{article(str(value))} in {speaker}"
    if path.tail in ("after", "before"):
        return f"{'such ' if path.where else ''}{speaker} {_neighbour(str(value), path.tail)}"
    if field in (["after"], ["before"]):
        return f"{article(kind)} {_neighbour(str(value), 'part' if field == ['after'] else 'before')}"
    if field == ["value", "*"]:
        return f"the key {quoted(value)} inside {article(kind)} in {speaker}"
    if path.either:
        return _with_value(f"the {' or '.join(path.either)}", value, f"{article(kind)} in {speaker}")
    if not field:
        return _with_value(f"the {kind}", value, f"{article(spec_word(node))} in {speaker}")
    return _with_value(_field(field), value, f"{article(kind)} in {speaker}")


def _of_turn(path: FieldPath, value: Any, _node: object) -> str:
    if path.tail == "first":
        return f"an answer since the last user message that begins with {article(str(value))}"
    if path.tail == "unmatched":
        return f"an answer since the last user message whose calls and results differ by {value}"
    kind, *field = path.keys
    return _with_value(_field(field), value, f"{article(kind)} since the last user message")


def _of_calls(path: FieldPath, value: Any, node: object) -> str:
    if path.tail == "ungrouped":
        return f"a call of {quoted(getattr(node, 'name', None))} that does not name its group {quoted(value)}"
    place = "the same answer" if value == "answer" else "an earlier answer"
    return f"the id {quoted(getattr(node, 'id', None))}, which another call of {place} has,"


def _of_documents(_path: FieldPath, value: Any, _node: object) -> str:
    return f"the name {quoted(value)}, which another document of the request has,"


def _of_items(path: FieldPath, value: Any, _node: object) -> str:
    if path.tail == "compacted":
        return f"{quoted(value)} before a compaction, and none behind it,"
    return f"the id {quoted(value)}, which another item of the request has,"


def _of_references(_path: FieldPath, value: Any, _node: object) -> str:
    return f"a reference to the tool {quoted(value)}, which the request does not have,"


def _field(keys: Sequence[str]) -> str:
    first, *inner = keys or ("",)
    return f"the option {'.'.join(inner)}" if first == "vendor" and inner else f"the {'.'.join(keys)}"


def _of_layers(path: FieldPath, value: Any, _node: object) -> str:
    return f"a layer of instructions of role {quoted(value)}" if path.tail else _with_value(path.head, value)


def _of_message(path: FieldPath, value: Any, _node: object) -> str:
    if path.tail == "role":
        return f"a message of role {quoted(value)}"
    return _with_value(_field(path.keys), value, "a message")


def _of_end(path: FieldPath, value: Any, _node: object) -> str:
    end = _ENDS[path.head]
    if path.tail == "role":
        return f"a {end} message of role {quoted(value)}"
    if path.tail == "part":
        return f"a {end} message with {article(str(value))}"
    return _with_value(_field(path.keys), value, f"the {end} message")


def _of_kind(path: FieldPath, value: Any, _node: object) -> str:
    return _with_value(f"the {path.tail}", value, "a part") if path.keys else article(str(value))


def _of_tool_kind(path: FieldPath, value: Any, node: object) -> str:
    if path.keys:
        return _of_role(path, value, node)
    return "a hosted tool" if value == TOOL_WORDS["hosted_tool"] else f"{article(str(value))} tool"


def _of_tools(path: FieldPath, value: Any, node: object) -> str:
    if not path.keys:
        return "a list of tools"
    if path.tail == "count":
        chosen = path.where
        return f"a list of {value} tools" + (f" with {chosen.path} {chosen.operand}" if chosen else "")
    kind, name = getattr(node, "type", None), getattr(node, "name", None)
    named = isinstance(name, str) and path.tail != "name"
    shown = kind if isinstance(kind, str) else name if named else None
    which = f"the tool {quoted(shown)}" if shown is not None else "a tool"
    if path.tail == "parameters.odd_names":
        return f"the parameter {quoted(value)} of {which}"
    if path.tail == "parameters.*":
        return f"{value} in the parameters of {which}"
    if path.tail == "parameters.invalid":
        return f"{_invalid_keywords(node)} in the parameters of {which}"
    if path.keys[0] == "parameters" and path.keys[1:] and path.keys[1] in _SCHEMAS and isinstance(value, int):
        return f"{_SCHEMAS[path.keys[1]].format(value)} in the parameters of {which}"
    if path.tail == "config.keys":
        return _with_value("the key", value, which)
    return _with_value(f"the {_either(path).removeprefix('config.')}", value, which)


def _invalid_keywords(tool: object) -> str:
    """Return the places of the first keywords that no JSON Schema has with such values."""
    first = list(islice(invalid_places(getattr(tool, "parameters", None)), _MOST_PLACES + 1))
    more = " and more" if len(first) > _MOST_PLACES else ""
    return ", ".join(first[:_MOST_PLACES]) + more


def _of_schemas(path: FieldPath, value: Any, _node: object) -> str:
    if path.tail == "recursive":
        return "a strict schema that refers to itself"
    return f"a strict schema with {_SCHEMAS[path.tail].format(quoted(value))}"


def _of_mark(path: FieldPath, value: Any, node: Any) -> str:
    """Return a description of a cache mark: its number, its lifetime, or the mark before it."""
    own = getattr(getattr(node, "cache", None), "ttl", None)
    mark = f"a cache mark of {_lifetime(own)}"
    match path.tail:
        case "":
            return "a cache mark"
        case "count":
            return f"cache mark number {value}"
        case "ttl":
            return f"a cache mark of {_lifetime(value)}"
        case "after":
            return f"{mark} after {'no other' if value == 'start' else 'one of ' + _lifetime(value)}"
        case _:
            return f"{mark} before the request's own of {_lifetime(value)}"


def _lifetime(ttl: Any) -> str:
    """Return the lifetime of a mark in words: `5m` is `5 minutes`."""
    if ttl in (None, "default"):
        return "the default lifetime"
    text = str(ttl)
    unit = {"m": "minute", "h": "hour", "d": "day", "s": "second"}.get(text[-1:])
    if unit is None or not text[:-1].isdecimal():
        return text
    return f"{text[:-1]} {unit}{'' if text[:-1] == '1' else 's'}"


# the head of a path -> the function that describes a value there
_WORDS: dict[str, Callable[[FieldPath, Any, object], str]] = {
    **dict.fromkeys(_SPEAKERS, _of_role),
    **dict.fromkeys(_ENDS, _of_end),
    "instructions": _of_layers,
    "turn": _of_turn,
    "calls": _of_calls,
    "documents": _of_documents,
    "items": _of_items,
    "references": _of_references,
    "message": _of_message,
    "part": _of_kind,
    "tool": _of_tool_kind,
    "tools": _of_tools,
    "strict_schemas": _of_schemas,
    "cache": _of_mark,
}
