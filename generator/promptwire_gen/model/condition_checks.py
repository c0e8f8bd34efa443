"""Checks on one condition of a rule: its field must exist, its words must be ones that the field can have."""

from __future__ import annotations

from promptwire_text.conditions import Words

from ..problems import did_you_mean, make_hint, quote
from ..spec.notation import Notation
from ..spec.pages import is_same_spec
from ..spec.patterns import find_pattern_trouble
from ..spec.rule_conditions import Condition, Operand
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
from .wire import WireModel

_PART_FIELDS = frozenset(name for kind in PARTS.values() for name in kind.fields)
# what stands in the schemas of strict tools and formats: how much of it, and which words
_SCHEMA_NUMBERS = (
    "optional", "unions", "properties", "unrequired", "open", "loose_lists", "untyped", "anything", "lax_objects",
    "depth", "min_items", "dangling", "most_optional", "most_unions",
)  # fmt: skip
_SCHEMA_WORDS = ("root", "keywords", "formats", "patterns", "refs", "beside_ref")
_HEADS = {
    "response_format": frozenset(RESPONSE_FORMAT.fields),
    "instructions": frozenset({"role"}),
    "message": frozenset({"role", *MESSAGE.fields}),
    "last_message": frozenset({"role", "part", "text", *MESSAGE.fields}),
    "first_message": frozenset({"role", *MESSAGE.fields}),
    "turn": frozenset({"first", "unmatched"}),
    "calls": frozenset({"repeated", "ungrouped"}),
    "documents": frozenset({"repeated"}),
    "items": frozenset({"compacted", "repeated"}),
    "references": frozenset({"unknown"}),
    "cache": frozenset({"ttl", "count", "after", "automatic"}),
    "strict_schemas": frozenset({"recursive", *_SCHEMA_NUMBERS, *_SCHEMA_WORDS}),
    "tools": frozenset(name for kind in TOOLS.values() for name in kind.fields) | {"count"},
    "reasoning": frozenset({"kind", *DOTTED["reasoning"].fields}),
    **{name: frozenset(kind.fields) for name, kind in DOTTED.items() if name != "reasoning"},
    **{role: _PART_FIELDS | {"part", "after", "before", "count", "empty"} for role in ROLES},
}
# what rules count in the schemas of tools, as `tools.parameters.loose_lists`
COUNTED_AT_ONCE = ("loose_lists", "outdated", "invalid")
COUNTED_IN_SCHEMAS = (
    *COUNTED_AT_ONCE,
    "undefined",
    "bare_required",
    "typed_enums",
    "dangling",
    "clashing_refs",
)
# fields that rules derive from others -> the kinds of parts that have them
DERIVED_FIELDS = {
    "actual_type": ("image", "document"),
    "arguments_type": ("tool_call",),
    "data_type": ("document",),
    "empty": ("text",),
    "error": ("tool_result",),
    "error_part": ("tool_result",),
}
# numbers that only the API counts: facts state their limits, and no request holds them
COUNTED_BY_APIS = ("input_tokens", "request_bytes")
_SIDES = ("after", "before")
_COUNTED = ("strings", "messages", "tools", *OBJECTS)
_SCALAR = NeutralField("str")
_NUMBERS = ("int", "number", "float")

# paths whose values are words of the neutral model
_WORDS: dict[str, tuple[str, ...]] = {
    "calls.repeated": ("answer", "request"),
    "part": tuple(PARTS), "turn.first": tuple(PARTS), "tool": tuple(TOOLS), "tool_choice.mode": TOOL_CHOICE_MODES,
    "instructions.role": ("system", "developer"),
    "message.role": ROLES, "first_message.role": ROLES, "last_message.role": ROLES,
    **{f"{role}.{kind}.after": ("start", *PARTS) for role in ROLES for kind in PARTS},
}  # fmt: skip


def check_field(condition: Condition, notation: Notation) -> bool:
    """Return whether rules can name the field of a condition; if not, report it."""
    if _is_known(condition):
        return True
    choices: list[str] = [
        *OPTIONS,
        *REQUEST,
        *COUNTED_BY_APIS,
        *(f"{head}.{tail}" for head, tails in _HEADS.items() for tail in tails),
    ]
    hint = (
        did_you_mean(condition.path, choices)
        or "write a field of the request, such as temperature or reasoning.effort"
    )
    message = f"{quote(condition.place)} is not a field that a rule can name"
    notation.report(condition.span, "unknown-field", message, hint)
    return False


def check_condition(condition: Condition, model: WireModel, notation: Notation, *, given: bool) -> None:
    """Report fields, words and operators of a condition that do not exist.

    `given` says that the condition decides whether a rule holds; else it says what the rule rejects or allows.
    """
    before = len(notation.problems)
    where = condition.where
    if where is not None and where.operator and not where.words:
        _check_operand(where, notation)
    if where is not None and where.path == "shape":
        _check_shapes(where, model, notation)
    if not check_field(condition, notation):
        return
    if _means_plain_text(condition):
        message = "a rule cannot reject text itself, which stands in every conversation"
        hint = "name a field of text, such as user.text.citations"
        notation.report(condition.span, "bad-value", message, hint)
    elif condition.head in COUNTED_BY_APIS and (given or condition.operator != ">"):
        message = f"promptwire does not count {condition.head}: a fact can state a limit, and no rule can look at it"
        hint = "write the limit of a model as maximum: 200000"
        notation.report(condition.span, "bad-value", message, hint)
    elif condition.words:
        _check_words(condition, model, notation)
    else:
        _check_operand(condition, notation)
    if not given and len(notation.problems) == before:
        _check_place(condition, model, notation)


def _check_shapes(selector: Condition, model: WireModel, notation: Notation) -> None:
    """Check that tools have the shapes that brackets name: `openapi` of `function#openapi`."""
    shapes = [variant.remembered for variant in model.unions["tool"] if variant.remembered is not None]
    for word in selector.words:
        if word not in shapes:
            hint = (
                did_you_mean(word, shapes)
                or "a shape of its own is a key of tools behind #: function#openapi"
            )
            notation.report(selector.span, "unknown-shape", f"no tool has the shape {quote(word)}", hint)


def _check_place(condition: Condition, model: WireModel, notation: Notation) -> None:
    """Report a condition of the spec's own about a field that its body has no place for."""
    if not is_same_spec(condition.span.file, model.file):
        return
    if condition.head in OPTIONS:
        placed = condition.head in model.body.carried_options
    else:
        bare = condition.head in REQUEST and not condition.tail
        placed = not bare or condition.head in {"instructions", *model.body.carried, *model.body.dotted}
    if not placed:
        message = f"the body has no place for {quote(condition.head)}: there is nothing to refuse or allow"
        notation.report(condition.span, "no-place", message, "give it a place, or leave it out")


def _list_words(condition: Condition, model: WireModel) -> tuple[str, ...]:
    """Return the words that a field can have; empty where it takes any."""
    if condition.path in ("reasoning.mode", "reasoning.kind", "response_format.kind"):
        modes = [variant.mode for variant in model.unions[condition.head]]
        usual = ("text", "json", "json_schema") if condition.head == "response_format" else ()
        return tuple(dict.fromkeys([*modes, *usual])) if modes else ()
    field = OPTIONS.get(condition.path) or REQUEST.get(condition.path)
    if condition.head == "tools":
        field = next(
            (kind.fields[condition.tail] for kind in TOOLS.values() if condition.tail in kind.fields), None
        )
    elif condition.head in ROLES and "." in condition.tail:
        kind, _, name = condition.tail.partition(".")
        field = PARTS[kind].fields.get(name.partition("|")[0])
    if (field is not None and field.type == "bool") or condition.path in (
        "tool_choice.parallel",
        "strict_schemas.recursive",
    ):
        return ("true", "false")
    return _WORDS.get("part" if condition.tail == "part" else condition.path, ())


def _check_words(condition: Condition, model: WireModel, notation: Notation) -> None:
    """Check the words that values are compared with."""
    span, first = condition.span, condition.words[0]
    if first[:1] in ("<", ">", "="):
        message = f"{quote(condition.operator + first[:1])} is not an operator"
        advice = f"write {condition.path}{first[:1]}={'|'.join(condition.words)[1:]}"
        notation.report(span, "bad-value", message, advice)
    elif condition.head in ROLES and (condition.tail in _SIDES or condition.tail.endswith(".before")):
        for value in condition.words:
            if not (_is_neighbour(value) or ("." in condition.tail and _is_kind(value))):
                hint = "write start, end, or a role and a kind of part, such as assistant.tool_call or user.*"
                notation.report(span, "bad-value", f"{quote(value)} is no message beside one", hint)
    else:
        known_words = _list_words(condition, model)
        for value in condition.words if known_words else ():
            if not any(map(Words(value).match, known_words)):
                hint = make_hint(value, known_words, "values")
                notation.report(span, "bad-value", f"{quote(value)} is not a value of {condition.path}", hint)


def is_inside_messages(condition: Condition) -> bool:
    """Return whether a condition looks at any message or part; the first and the last message are known."""
    if is_part_count(condition):
        return False
    inside = condition.head in ("part", "message", *(role for role in ROLES if role != "tool"))
    marks = condition.head == "cache" and condition.tail != "ttl"
    return inside or marks or (condition.head == "tool" and bool(condition.tail))


def is_part_count(condition: Condition) -> bool:
    """Return whether a condition is about the number of parts of a kind: `messages.image.count`."""
    return condition.head in ("messages", *ROLES) and condition.keys[1:] == ("count",)


def is_pointed_out(condition: Condition) -> bool:
    """Return whether a condition inside messages is about one node alone, not its neighbours or its number."""
    return condition.head != "cache" and condition.tail.rpartition(".")[2] not in (
        "after",
        "before",
        "alone",
        "unnamed",
        "count",
        "empty",
    )


def _means_plain_text(condition: Condition) -> bool:
    """Return whether a condition looks at text that is nothing else: such text is written without a look."""
    if condition.path == "part" or (condition.head in ROLES and condition.tail == "part"):
        return condition.means("text")
    lacking = condition.tail.startswith("text.") and "|" in condition.tail
    return condition.head in ROLES and (lacking or condition.tail in ("text", "text.text"))


def _is_neighbour(value: str) -> bool:
    role, _, kind = value.partition(".")
    if not kind:
        return value in ("start", "end", "*")
    return any(map(Words(role).match, ROLES)) and _is_kind(kind)


def _is_kind(value: str) -> bool:
    return any(map(Words(value).match, PARTS))


def _is_known(condition: Condition) -> bool:
    head, tail = condition.head, condition.tail
    if condition.where is not None and not _is_known_selector(condition):
        return False
    if is_part_count(condition):
        return condition.keys[0] in PARTS and (condition.where is None or condition.where.head == "parts")
    if head in ("turn", *ROLES) and "." in tail:
        return _is_field_of_part(condition)
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
    if condition.path in ("messages.text", "conversation.text"):
        return True
    heads = ("part", "tool", "continuation", *COUNTED_BY_APIS)
    return not tail and (head in OPTIONS or head in REQUEST or head in heads)


def _is_field_of_part(condition: Condition) -> bool:
    """Return whether a kind of part has the field, or each of several, or the field is a neighbour or an option."""
    kind, _, name = condition.tail.partition(".")
    if kind not in PARTS:
        return False
    if name in PARTS[kind].fields or condition.head == "turn":
        return name in PARTS[kind].fields
    if (kind == "json" and name == "value.*") or kind in DERIVED_FIELDS.get(name, ()):
        return True
    if "|" in name:
        return condition.operator == "!=" and PARTS[kind].fields.keys() >= set(name.split("|"))
    field = PARTS[kind].fields.get(name.partition(".")[0])
    return (
        name in (*_SIDES, "alone", "unnamed")
        or name.startswith("vendor.")
        or (field is not None and field.type in OBJECTS)
    )


def _is_number(condition: Condition) -> bool:
    """Return whether the values of a condition are numbers, or may be (options of one API are of any type)."""
    numbers = condition.head == "strict_schemas" and condition.tail in _SCHEMA_NUMBERS
    if (
        numbers
        or condition.path in [f"tools.parameters.{word}" for word in COUNTED_IN_SCHEMAS]
        or _has_any_values(condition)
        or condition.keys[-1:] == ("count",)
        or condition.path in ("turn.unmatched", *COUNTED_BY_APIS)
    ):
        return True
    fields = DOTTED[condition.head].fields if condition.head in DOTTED else {}
    field = fields.get(condition.tail) or (OPTIONS.get(condition.head) if not condition.tail else None)
    if condition.head in ROLES and "." in condition.tail:
        kind, _, name = condition.tail.partition(".")
        field = PARTS[kind].fields.get(name)
    return field is not None and field.type in _NUMBERS


def _has_any_values(condition: Condition) -> bool:
    """Return whether the values of a condition may be of any type: options of one API, values of an object."""
    if "vendor" in (condition.head, *condition.keys) or condition.path.startswith("tools.config."):
        return True
    return condition.tail == "values"


def _is_known_selector(condition: Condition) -> bool:
    """Return whether the nodes that a condition begins with have the field in its brackets."""
    selector = condition.where
    if selector is None or selector.where is not None:
        return False
    if condition.head == "tools":
        return selector.path in _HEADS["tools"] or (selector.path == "shape" and selector.operator == "=")
    if condition.head == "cache":
        return selector.path == "ttl" and bool(selector.words)
    is_field = selector.path in ("parts", *MESSAGE.fields) or (
        selector.head == "vendor" and bool(selector.tail)
    )
    is_field = is_field or (selector.head == "parts" and selector.tail in _PART_FIELDS)
    # the part itself that the condition is about
    is_field = is_field or (
        selector.head == "part"
        and condition.keys[0] in PARTS
        and selector.tail in PARTS[condition.keys[0]].fields
    )
    return condition.head in ROLES and is_field


def _holds_number(operand: Operand) -> bool:
    """Return whether an operand is a field of the request that holds a number."""
    return (
        isinstance(operand, Condition) and not operand.operator and _is_known(operand) and _is_number(operand)
    )


def _check_operand(condition: Condition, notation: Notation) -> None:
    """Check numbers, fields that hold one, and regular expressions behind an operator."""
    operand, span = condition.operand, condition.span
    if condition.pattern is not None:
        trouble = find_pattern_trouble(condition.pattern)
        if trouble is not None:
            hint = "write one that all of the text must match"
            notation.report(span, "bad-value", f"{quote(condition.pattern)} {trouble}", hint)
    elif condition.measures:
        if _is_number(condition) and not _has_any_values(condition):
            message = f"{condition.path} is a number, which has no characters"
            notation.report(span, "bad-value", message, "write minimum or maximum")
    elif condition.compares:
        if condition.limit is None and not _holds_number(operand):
            message = f"{quote(str(operand))} is neither a number nor a field of the request that holds one"
            notation.report(
                span, "bad-value", message, "write a number, such as temperature: {exclusiveMinimum: 2}"
            )
        if not _is_number(condition):
            message = f"{condition.path} is no number to compare"
            notation.report(
                span, "bad-value", message, "compare numbers, such as temperature, or stop by minItems"
            )
