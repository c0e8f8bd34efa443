"""Checks on one entry of a rule: its field must exist, its words must be ones that the field can have."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ..problems import Span, did_you_mean, quote
from ..spec.notation import Notation
from ..spec.pages import same_spec
from ..spec.patterns import trouble_of
from .neutral import (
    DOTTED,
    MESSAGE,
    OBJECTS,
    OPTIONS,
    PARTS,
    REQUEST,
    RESPONSE_FORMAT,
    ROLES,
    TOOL_CHOICE_MODES,
    TOOLS,
    NeutralField,
)
from .rule_entries import OPERATORS, RuleEntry, parse_entry
from .wire import WireModel

_PART_FIELDS = frozenset(name for kind in PARTS.values() for name in kind.fields)
# what stands in the schemas of strict tools and formats: how much of it, and which words
_SCHEMA_NUMBERS = (
    "optional", "unions", "properties", "unrequired", "open", "loose_lists", "depth", "min_items",
)  # fmt: skip
_SCHEMA_WORDS = ("root", "keywords", "formats", "patterns", "refs", "beside_ref")
_HEADS = {
    "response_format": frozenset(RESPONSE_FORMAT.fields),
    "instructions": frozenset({"role"}),
    "message": frozenset({"role", *MESSAGE.fields}),
    "last_message": frozenset({"role", "part", "text", *MESSAGE.fields}),
    "first_message": frozenset({"role", *MESSAGE.fields}),
    "turn": frozenset({"first", "unmatched"}),
    "cache": frozenset({"ttl", "count", "after", "automatic"}),
    "strict_schemas": frozenset({"recursive", *_SCHEMA_NUMBERS, *_SCHEMA_WORDS}),
    "tools": frozenset(name for kind in TOOLS.values() for name in kind.fields) | {"count"},
    "reasoning": frozenset({"kind", *DOTTED["reasoning"].fields}),
    **{name: frozenset(kind.fields) for name, kind in DOTTED.items() if name != "reasoning"},
    **{role: _PART_FIELDS | {"part", "after", "before", "count"} for role in ROLES},
}
_SIDES = ("after", "before")
_COUNTED = ("strings", "messages", "tools", *OBJECTS)
_SCALAR = NeutralField("str")
_NUMBERS = ("int", "number", "float")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

# paths whose values are words of the neutral model
_WORDS: dict[str, tuple[str, ...]] = {
    "part": tuple(PARTS), "turn.first": tuple(PARTS), "tool": tuple(TOOLS), "tool_choice.mode": TOOL_CHOICE_MODES,
    "instructions.role": ("system", "developer"),
    "message.role": ROLES, "first_message.role": ROLES, "last_message.role": ROLES,
    **{f"{role}.{kind}.after": ("start", *PARTS) for role in ROLES for kind in PARTS},
}  # fmt: skip


def check_entry(text: str, span: Span, model: WireModel, notation: Notation, *, given: bool) -> None:
    """Find problems of an entry: fields, words and operators that do not exist; `given` is a condition."""
    entry = parse_entry(text)
    before = len(notation.problems)
    if entry.selector is not None and entry.selector.operator and not entry.selector.words:
        _check_operand(entry.selector, span, notation)
    if entry.selector is not None and entry.selector.path == "shape":
        _check_shapes(entry.selector, span, model, notation)
    if not _is_known(entry):
        choices: list[str] = [
            *OPTIONS,
            *REQUEST,
            *(f"{head}.{tail}" for head, tails in _HEADS.items() for tail in tails),
        ]
        hint = (
            did_you_mean(entry.path, choices)
            or "write a field of the request, such as temperature or reasoning.effort"
        )
        path = quote(text[: len(text) - len(entry.operator + entry.operand)])
        notation.problem(span, "unknown-field", f"{path} is not a field that a rule can name", hint)
    elif _means_plain_text(entry):
        message = "a rule cannot refuse text itself, which stands in every conversation"
        notation.problem(span, "bad-value", message, "name a field of text, such as user.text.citations")
    elif entry.words:
        _check_words(entry, span, model, notation)
    else:
        _check_operand(entry, span, notation)
    if not given and len(notation.problems) == before:
        _check_place(entry, span, model, notation)


def _check_shapes(selector: RuleEntry, span: Span, model: WireModel, notation: Notation) -> None:
    """Check that tools have the shapes that brackets name: `openapi` of `function#openapi`."""
    shapes = [variant.remembered for variant in model.unions["tool"] if variant.remembered is not None]
    for word in selector.words:
        if word not in shapes:
            hint = (
                did_you_mean(word, shapes)
                or "a shape of its own is a key of tools behind #: function#openapi"
            )
            notation.problem(span, "unknown-shape", f"no tool has the shape {quote(word)}", hint)


def _check_place(entry: RuleEntry, span: Span, model: WireModel, notation: Notation) -> None:
    """Find an entry of the spec's own about what its body has no place for: nothing could be refused or allowed."""
    if not same_spec(span.file, model.file):
        return
    if entry.head in OPTIONS:
        placed = entry.head in model.body.carried_options
    else:
        bare = entry.head in REQUEST and not entry.tail
        placed = not bare or entry.head in {"instructions", *model.body.carried, *model.body.dotted}
    if not placed:
        message = f"the body has no place for {quote(entry.head)}: there is nothing to refuse or allow"
        notation.problem(span, "no-place", message, "give it a place, or leave it out")


def _words_of(entry: RuleEntry, model: WireModel) -> tuple[str, ...]:
    """The words that a field can have; empty where it takes any."""
    if entry.path in ("reasoning.mode", "reasoning.kind", "response_format.kind"):
        modes = [variant.mode for variant in model.unions[entry.head]]
        usual = ("text", "json", "json_schema") if entry.head == "response_format" else ()
        return tuple(dict.fromkeys([*modes, *usual])) if modes else ()
    field = OPTIONS.get(entry.path) or REQUEST.get(entry.path)
    if entry.head == "tools":
        field = next((kind.fields[entry.tail] for kind in TOOLS.values() if entry.tail in kind.fields), None)
    elif entry.head in ROLES and "." in entry.tail:
        kind, _, name = entry.tail.partition(".")
        field = PARTS[kind].fields.get(name.partition("|")[0])
    if (field is not None and field.type == "bool") or entry.path in (
        "tool_choice.parallel",
        "strict_schemas.recursive",
    ):
        return ("true", "false")
    return _WORDS.get("part" if entry.tail == "part" else entry.path, ())


def _check_words(entry: RuleEntry, span: Span, model: WireModel, notation: Notation) -> None:
    """Check what values are compared with, where they are words."""
    if entry.operand[:1] in ("<", ">", "="):
        message = f"{quote(entry.operator + entry.operand[:1])} is not an operator"
        advice = f"write {entry.path}{entry.operand[:1]}={entry.operand[1:]}"
        notation.problem(span, "bad-value", message, advice)
    elif entry.head in ROLES and (entry.tail in _SIDES or entry.tail.endswith(".before")):
        for value in entry.words:
            if not (_is_neighbour(value) or ("." in entry.tail and _is_kind(value))):
                hint = "write start, end, or a role and a kind of part, such as assistant.tool_call or user.*"
                notation.problem(span, "bad-value", f"{quote(value)} is no message beside one", hint)
    else:
        known_words = _words_of(entry, model)
        for value in entry.words if known_words else ():
            if not any(fnmatchcase(word, value) for word in known_words):
                hint = did_you_mean(value, known_words) or f"the values are {', '.join(known_words)}"
                notation.problem(span, "bad-value", f"{quote(value)} is not a value of {entry.path}", hint)


def is_inside_messages(entry: RuleEntry) -> bool:
    """Tell whether an entry looks at any message or part; the first and the last message are known."""
    inside = entry.head in ("part", "message", *(role for role in ROLES if role != "tool"))
    marks = entry.head == "cache" and entry.tail != "ttl"
    return inside or marks or (entry.head == "tool" and bool(entry.tail))


def is_pointed_out(entry: RuleEntry) -> bool:
    """Tell whether an entry inside messages is about one node alone, not its neighbours or its number."""
    return entry.head != "cache" and entry.tail.rpartition(".")[2] not in ("after", "before", "count")


def _means_plain_text(entry: RuleEntry) -> bool:
    """Tell whether an entry looks at text that is nothing else: such text is written without a look."""
    if entry.path == "part" or (entry.head in ROLES and entry.tail == "part"):
        matches = not entry.words or any(fnmatchcase("text", glob) for glob in entry.words)
        return matches is not (entry.operator == "!=")
    lacking = entry.tail.startswith("text.") and "|" in entry.tail
    return entry.head in ROLES and (lacking or entry.tail in ("text", "text.text"))


def _is_neighbour(value: str) -> bool:
    role, _, kind = value.partition(".")
    if not kind:
        return value in ("start", "end", "*")
    return any(fnmatchcase(name, role) for name in ROLES) and _is_kind(kind)


def _is_kind(value: str) -> bool:
    return any(fnmatchcase(name, value) for name in PARTS)


def _is_known(entry: RuleEntry) -> bool:
    head, tail = entry.head, entry.tail
    if entry.selector is not None and not _is_known_selector(entry):
        return False
    if head in ("turn", *ROLES) and "." in tail:
        return _is_field_of_part(entry)
    if head in ("message", "first_message", "last_message") and tail.startswith("vendor."):
        return True
    if head == "tools" and tail.partition(".")[0] in ("parameters", "config", "format"):
        return True
    if head in _HEADS and tail:
        return tail in _HEADS[head]
    if head == "vendor":
        return bool(tail)
    if tail in ("count", "keys", "values"):
        type_name = (OPTIONS.get(head) or REQUEST.get(head) or _SCALAR).type
        return type_name in _COUNTED if tail == "count" else type_name in OBJECTS
    if entry.path in ("messages.text", "conversation.text"):
        return True
    return not tail and (head in OPTIONS or head in REQUEST or head in ("part", "tool", "continuation"))


def _is_field_of_part(entry: RuleEntry) -> bool:
    """Tell whether a kind of part has the field, or each of several, or may stand beside something."""
    kind, _, name = entry.tail.partition(".")
    if kind not in PARTS:
        return False
    if name in PARTS[kind].fields or entry.head == "turn":
        return name in PARTS[kind].fields
    if "|" in name:
        return entry.operator == "!=" and PARTS[kind].fields.keys() >= set(name.split("|"))
    return name in _SIDES or name.startswith("vendor.")


def _is_number(entry: RuleEntry) -> bool:
    """Tell whether the values of an entry are numbers, or may be (options of one API are of any type)."""
    numbers = entry.head == "strict_schemas" and entry.tail in _SCHEMA_NUMBERS
    anything = "vendor" in (entry.head, *entry.tail.split(".")) or entry.path.startswith("tools.config.")
    if numbers or anything or entry.tail in ("count", "values") or entry.path == "turn.unmatched":
        return True
    fields = DOTTED[entry.head].fields if entry.head in DOTTED else {}
    field = fields.get(entry.tail) or (OPTIONS.get(entry.head) if not entry.tail else None)
    if entry.head in ROLES and "." in entry.tail:
        kind, _, name = entry.tail.partition(".")
        field = PARTS[kind].fields.get(name)
    return field is not None and field.type in _NUMBERS


def _is_known_selector(entry: RuleEntry) -> bool:
    """Tell whether the nodes that an entry begins with have the field in its brackets."""
    selector = entry.selector
    if selector is None or selector.selector is not None:
        return False
    if entry.head == "tools":
        return selector.path in _HEADS["tools"] or (selector.path == "shape" and selector.operator == "=")
    if entry.head == "cache":
        return selector.path == "ttl" and bool(selector.words)
    is_field = selector.path in ("parts", *MESSAGE.fields) or (
        selector.head == "vendor" and bool(selector.tail)
    )
    is_field = is_field or (selector.head == "parts" and selector.tail in _PART_FIELDS)
    return entry.head in ROLES and is_field


def _check_operand(entry: RuleEntry, span: Span, notation: Notation) -> None:
    """Check what numbers are compared with, and regular expressions."""
    if entry.operator == "!~":
        trouble = trouble_of(entry.operand)
        if trouble is not None:
            hint = "write one that all of the text must match"
            notation.problem(span, "bad-value", f"{quote(entry.operand)} {trouble}", hint)
    elif entry.compares:
        other = parse_entry(entry.operand)
        is_count = _is_known(other) and not other.operator and _is_number(other)
        if not (_NUMBER.fullmatch(entry.operand) or is_count):
            message = f"{quote(entry.operand)} is neither a number nor a field of the request that holds one"
            notation.problem(span, "bad-value", message, "write a number, such as temperature>2")
        if not _is_number(entry):
            message = f"{entry.path} is no number to compare"
            notation.problem(
                span, "bad-value", message, "compare numbers, such as temperature>2 or stop.count>4"
            )
    elif entry.operator:
        message = (
            f"{quote(entry.operator)} is not followed by a word"
            if entry.operator in OPERATORS
            else (f"{quote(entry.operator)} is not an operator")
        )
        notation.problem(span, "bad-value", message, f"the operators are {' '.join(OPERATORS)}")
