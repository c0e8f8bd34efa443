"""Conditions of rules: a path into a request, and a test of the values there.

Facts and rules are parsed into conditions once, when a spec is loaded. Checks, emitted code and the expected results of
generated tests all read this one form. A spec writes a condition as a field, which is given, or as a mapping of a field
to the values that are meant, in words of JSON Schema: `{tools[strict=true]: {minItems: 21}}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeAlias

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from promptwire_text.conditions import OPERATORS, Words

from ..problems import Span, did_you_mean, quote
from .fields import BAD_VALUE, WRONG_TYPE, is_list, is_object, place_inside, refuse
from .nodes import Path, write_bare_word

# the words of a test -> the operator, and what to add to the number
NUMBERS: Mapping[str, tuple[str, int]] = {
    "minimum": (">=", 0),
    "maximum": ("<=", 0),
    "exclusiveMinimum": (">", 0),
    "exclusiveMaximum": ("<", 0),
    "minItems": (">", -1),
    "maxItems": ("<", 1),
    "minLength": ("len>", -1),
    "maxLength": ("len<", 1),
}
TESTS = (*NUMBERS, "not", "set")
# a field with a test behind it, as specs had it before conditions were mappings
TESTED_TEXT = re.compile(r"len\(|[^\[]*(\[[^\]]*\])?[^\[]*[=<>!]")
_FIELD = re.compile(r"[^\s\[\]=<>!]+(\[[^\s\[\]<>!]+\][^\s\[\]=<>!]*)?")


@dataclass(frozen=True, slots=True)
class Condition:
    """The values of a request that a rule looks at, and which of them it means.

    head, tail  the path: a field such as `temperature`, `tools`, `message` or a role, and the keys behind it
    where       in brackets after the head: only nodes of which this condition is true
    operator    one of OPERATORS, empty for any value; `len<` and `len>` compare the number of characters
    operand     words of `=` and `!=`, a regular expression of `!~`, a number, the field whose value is compared
    steps       the keys and indices that lead to its field from the word of the section that holds conditions
    span        where it stands in a spec
    """

    head: str
    tail: str = ""
    where: Condition | None = None
    operator: str = ""
    operand: Operand = ""
    steps: Path = field(default=(), compare=False, repr=False)
    span: Span = field(default=Span("", 1, 1, 1), compare=False, repr=False)

    def __str__(self) -> str:
        """Return the text of the condition, as messages show it: `temperature>2`."""
        operand = "|".join(self.operand) if isinstance(self.operand, tuple) else str(self.operand)
        if self.measures:
            return f"len({self.place}){self.operator[-1]}{operand}"
        return f"{self.place}{self.operator}{operand}"

    @property
    def path(self) -> str:
        """Head and tail."""
        return f"{self.head}.{self.tail}" if self.tail else self.head

    @property
    def place(self) -> str:
        """The path with its brackets."""
        if self.where is None:
            return self.path
        return f"{self.head}[{self.where}]" + (f".{self.tail}" if self.tail else "")

    @property
    def subject(self) -> str:
        """The field, or the whole condition, as a reason names it."""
        return str(self).removeprefix("vendor.")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys after the head."""
        return tuple(self.tail.split(".")) if self.tail else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that values are compared with."""
        return self.operand if isinstance(self.operand, tuple) else ()

    @property
    def has_globs(self) -> bool:
        """Return whether a `*` in one of the words stands for any text."""
        return any("*" in word for word in self.words)

    @property
    def pattern(self) -> str | None:
        """The regular expression that text must match."""
        return self.operand if self.operator == "!~" and isinstance(self.operand, str) else None

    @property
    def compares(self) -> bool:
        """Return whether the operator compares numbers."""
        return self.operator[:1] in ("<", ">")

    @property
    def limit(self) -> float | None:
        """The number that numbers are compared with."""
        return self.operand if self.compares and isinstance(self.operand, (int, float)) else None

    @property
    def other(self) -> Condition | None:
        """The field whose value is compared."""
        return self.operand if isinstance(self.operand, Condition) else None

    @property
    def measures(self) -> bool:
        """Return whether the operator compares the length of text with a number."""
        return self.operator.startswith("len")

    def means(self, value: Any) -> bool:
        """Return whether a value meets the condition, if it is not compared with another field."""
        return OPERATORS[self.operator](value, Words(*self.words) if self.words else self.operand)

    def enter(self, name: str) -> Condition:
        """Return the path of something inside: `stop.count` for `count` of `stop`."""
        return replace(self, tail=f"{self.tail}.{name}".removeprefix("."))

    def with_span(self, span: Span) -> Condition:
        """Return the condition with the place where it was written."""
        where = None if self.where is None else self.where.with_span(span)
        operand = self.operand.with_span(span) if isinstance(self.operand, Condition) else self.operand
        return replace(self, span=span, where=where, operand=operand)

    def with_test(self, operator: str, operand: Operand) -> Condition:
        """Return a condition on the same path."""
        return replace(self, operator=operator, operand=operand)


Operand: TypeAlias = tuple[str, ...] | str | int | float | Condition


def parse_field(text: str) -> Condition:
    """Parse a field, `tools[strict=true].name`; whether it exists is checked with the model of the wire."""
    head, bracket, behind = text.partition("[")
    if not bracket:
        head, _, tail = text.partition(".")
        return Condition(head, tail)
    inside, _, tail = behind.partition("]")
    field, sign, words = inside.partition("=")
    where = parse_field(field)
    where = where.with_test("=", tuple(words.split("|"))) if sign else where
    return Condition(head, tail.removeprefix("."), where)


def parse_key(text: str) -> Condition:
    """Parse the key of a need: a field, or one with the values that are meant, `tools.type=advisor_*|search_*`."""
    end = text.find("]") + 1
    field, sign, words = text[end:].partition("=")
    path = parse_field(text[:end] + field)
    return path.with_test("=", tuple(words.split("|"))) if sign else path


def parse_conditions(value: Any) -> tuple[Condition, ...]:
    """Return the conditions that a spec writes: a field, a mapping of fields to tests, or a list of these."""
    if isinstance(value, str):
        return (_parse_checked_field(value),)
    if is_object(value):
        tests = [
            (field, each)
            for field, test in value.items()
            for each in _parse_tests(_parse_checked_field(field), test)
        ]
        return tuple([replace(each, steps=(field,)) for field, each in tests])
    if is_list(value):
        items = [(index, each) for index, item in enumerate(value) for each in _parse_item(index, item)]
        return tuple([replace(each, steps=(index, *each.steps)) for index, each in items])
    raise refuse(WRONG_TYPE, "must be a field, {field: value}, or a list of these")


def _parse_item(index: int, item: Any) -> tuple[Condition, ...]:
    try:
        return parse_conditions(item)
    except PydanticCustomError as error:
        raise place_inside(error, index) from None


def _parse_checked_field(text: str) -> Condition:
    if TESTED_TEXT.match(text):
        raise refuse(
            BAD_VALUE, f"has a test in the text {quote(text)}: write it as a mapping; gen fmt does it"
        )
    if not _FIELD.fullmatch(text):
        raise refuse(BAD_VALUE, f"names {quote(text)}, which is not a field")
    return parse_field(text)


def _parse_tests(field: Condition, test: Any) -> tuple[Condition, ...]:
    """Return the conditions of one field; those of several words are alternatives."""
    if not is_object(test):
        return (field.with_test("=", _parse_words(test)),)
    if not test or not test.keys() <= set(TESTS):
        unknown = next((word for word in test if word not in TESTS), "nothing")
        hint = did_you_mean(unknown, TESTS) or f"the words are {', '.join(TESTS)}"
        raise refuse(BAD_VALUE, f"tests {field} by {quote(unknown)}: {hint}")
    return tuple([_parse_test(field, word, value) for word, value in test.items()])


def _parse_test(field: Condition, word: str, value: Any) -> Condition:
    if word == "set":
        if not isinstance(value, bool):
            raise refuse(BAD_VALUE, f"must say of {field} {{set: true}} or {{set: false}}")
        return field if value else field.with_test("!=", ("*",))
    if word == "not":
        if is_object(value) and value.keys() == {"pattern"} and isinstance(value["pattern"], str):
            return field.with_test("!~", value["pattern"])
        return field.with_test("!=", _parse_words(value))
    operator, step = NUMBERS[word]
    if word.endswith("Items"):
        field = field.enter("count")
    if isinstance(value, str) and not step:
        return field.with_test(operator, parse_field(value))
    if isinstance(value, bool) or not isinstance(value, int if step else (int, float)):
        raise refuse(BAD_VALUE, f"must compare {field} with a {'whole ' if step else ''}number by {word}")
    return field.with_test(operator, value + step)


def _parse_words(value: Any) -> tuple[str, ...]:
    values = value if is_list(value) and value else [value]
    if not all(isinstance(word, (str, bool, int, float)) for word in values):
        raise refuse(
            WRONG_TYPE, "must compare a field with text, a number, true or false, or a list of these"
        )
    return tuple(map(write_bare_word, values))


def _print_conditions(conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    return tuple(map(str, conditions))


_PLAIN = {"type": ["string", "number", "boolean"]}
_WORDS_SCHEMA = {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]}
_TEST_SCHEMA = {
    "type": "object",
    "properties": {
        **{
            word: {"type": "integer"} if step else {"type": ["number", "string"]}
            for word, (_, step) in NUMBERS.items()
        },
        "not": {
            "anyOf": [
                *_WORDS_SCHEMA["anyOf"],
                {"type": "object", "properties": {"pattern": {"type": "string"}}},
            ]
        },
        "set": {"type": "boolean"},
    },
    "additionalProperties": False,
}
_ONE_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "additionalProperties": {"anyOf": [*_WORDS_SCHEMA["anyOf"], _TEST_SCHEMA]}},
    ]
}
# named, so that the schema for editors describes it once
Conditions = TypeAliasType(
    "Conditions",
    Annotated[
        tuple[Condition, ...],
        PlainValidator(parse_conditions),
        PlainSerializer(_print_conditions),
        WithJsonSchema({"anyOf": [*_ONE_SCHEMA["anyOf"], {"type": "array", "items": _ONE_SCHEMA}]}),
    ],
)
