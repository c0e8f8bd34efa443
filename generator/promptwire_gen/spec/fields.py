"""Base class, field helpers and field types of sections: each type has a check, and a JSON Schema for editors."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final, Literal, LiteralString, Self, TypeAlias, TypeGuard

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainValidator,
    Strict as Conversion,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from .nodes import Table
from .patterns import find_pattern_trouble

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
BAD_VALUE: Final = "bad-value"
WRONG_TYPE: Final = "wrong-type"
WIRE_NAME: Final = "[a-z][a-z0-9_]{1,63}"
_WIRE_NAME_WANTED: Final = "2 to 64 lower-case letters, digits or _, a letter first"


def find_name_trouble(name: str) -> str | None:
    """Return the problem of a name of a wire, as a predicate; None if it is valid."""
    if re.fullmatch(WIRE_NAME, name) is None:
        return f"must be {_WIRE_NAME_WANTED}"
    if keyword.iskeyword(name):
        return "is a word of Python's own: choose another name"
    return None


def refuse(rule: LiteralString, message: str) -> PydanticCustomError:
    """Return the error that a check raises; `message` is a predicate: `must be ...`."""
    # the text is passed as a value, because a template would interpret its braces
    return PydanticCustomError(rule, "refused", {"message": message})


def place_inside(error: PydanticCustomError, step: str | int) -> PydanticCustomError:
    """Return an error with one more step of the path to the value, a key or an index."""
    context = error.context or {}
    inside = (step, *context.get("inside", ()))
    return PydanticCustomError(error.type, "refused", {**context, "inside": inside})  # pyright: ignore[reportArgumentType]


def check_text(pattern: str, description: str) -> tuple[AfterValidator, WithJsonSchema]:
    """Return the check of a text, and its JSON Schema; `description` completes the sentence "must be ..."."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise refuse(BAD_VALUE, f"must be {description}")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "string", "pattern": f"^(?:{pattern})$"})


def _check_regular_expression(value: str) -> str:
    trouble = find_pattern_trouble(value)
    if trouble is not None:
        raise refuse(BAD_VALUE, trouble)
    return value


def _check_calendar_day(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise refuse(BAD_VALUE, "must be a day such as 2026-11-30") from None
    return value


def _check_group(value: str) -> str:
    pattern = _check_regular_expression(value)
    if re.compile(pattern).groups != 1:
        raise refuse(BAD_VALUE, "must have one group, which is the family")
    return pattern


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value is a list of a spec."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a mapping of a spec."""
    return isinstance(value, dict)


def as_list(value: Any) -> list[Any]:
    """Accept a single value for a list of one."""
    return value if is_list(value) else [value]


def _convert_setting_value(value: Any) -> str | tuple[str, ...]:
    values: list[Any] = as_list(value)
    if not all(isinstance(text, str) for text in values):
        raise refuse(WRONG_TYPE, "must be text or a list of texts")
    # settings are used in URLs and headers
    if any(_CONTROL.search(text) for text in values):
        raise refuse(BAD_VALUE, "must be text of one line")
    return value if isinstance(value, str) else tuple(values)


def as_forms(value: Any) -> list[Any]:
    """Accept a text for a form without conditions, and one form for a list of one."""
    if not isinstance(value, (str, list)):
        raise refuse(WRONG_TYPE, "must be text or a list of forms")
    forms = as_list(value)
    if not forms:
        raise refuse(BAD_VALUE, "must have at least one form")
    return [{"url": form} if isinstance(form, str) else form for form in forms]


def _check_event(value: Any) -> Any:
    """Check that a list is the name of an event and its data."""
    if is_list(value) and not (len(value) == 2 and isinstance(value[0], str) and value[0].isprintable()):
        raise refuse(BAD_VALUE, "must be the data of an event, or a list of its name and the data")
    return value


def _reject_number(value: Any) -> Any:
    """Reject 1, which pydantic would accept as true."""
    return str(value) if type(value) in (int, float) else value


def _check_number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(WRONG_TYPE, "must be a number")
    return value


def _check_count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise refuse(BAD_VALUE, "must be a whole number, 0 or more")
    return value


def _check_plain_value(value: Any) -> Any:
    if type(value) not in (str, int, float, bool):
        raise refuse(WRONG_TYPE, "must be text, a number, true or false")
    return value


def _check_answer_body(value: Any) -> Any:
    """Check that the body of an example is an object or a list."""
    if not (is_object(value) or is_list(value)):
        raise refuse(WRONG_TYPE, "must be a mapping, or a list of one")
    return value


def _annotate_shapes(
    key: str | None = None, wanted: str = "must be a mapping"
) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the annotations of a section of shapes: editors check its keys, and the shapes stay raw nodes."""

    def table(value: Any) -> Table:
        if not isinstance(value, Table):
            raise refuse(WRONG_TYPE, wanted)
        return value

    schema: dict[str, Any] = {"type": "object"}
    if key is not None:
        schema |= {"patternProperties": {key: _SHAPE}, "additionalProperties": False}
    return PlainValidator(table), WithJsonSchema(schema)


_SHAPE = {"description": "A shape: the wire's own JSON with holes such as $name."}
_PART_KEY = "^[a-z_]+([.][a-z0-9_]+)?(#[a-z0-9_]+)?[!~]?(@[a-z_|,]+)?(>[a-z_]+)?$"
_KIND_KEY = "^[a-z_]+([.#@][a-z0-9_]+)*~?$"

WireName: TypeAlias = Annotated[str, *check_text(WIRE_NAME, _WIRE_NAME_WANTED)]
Word: TypeAlias = Annotated[str, *check_text("[a-z][a-z0-9_]*", "one lower-case word")]
Name: TypeAlias = Annotated[str, *check_text(r"\S+", "text without spaces")]
# no control characters, and none that change the direction of text
_IN_LINE = r"[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_SEEN = r"[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
Line: TypeAlias = Annotated[str, *check_text(f"{_IN_LINE}*{_SEEN}{_IN_LINE}*", "one line of text")]
Prose: TypeAlias = Annotated[str, *check_text(r"[\s\S]*\S[\s\S]*", "text, not nothing but blanks")]
PathText: TypeAlias = Annotated[
    str,
    *check_text(
        r"(?:[A-Za-z_][A-Za-z0-9_-]*(?:\[(?:\$[A-Za-z_]+|[0-9])?\])?(?:\.|$(?!\n)))*(?<!\.)",
        "a path such as choices[].delta or content[$index].text",
    ),
]
EACH: Final = "[]"
_KEY_AND_PLACE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)(\[(?:\$([A-Za-z_]+)|([0-9]))?\])?")


@dataclass(frozen=True, slots=True)
class EventIndex:
    """An index in a list, which an event holds under a key: `[$key]`."""

    key: str


class JsonPath(tuple[str | int | EventIndex, ...]):
    """A path in JSON, parsed from its text: keys, indices in lists, and `EACH` for every element of a list."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a path such as `content[$index].text`."""
        pieces: list[str | int | EventIndex] = []
        for key, place, index, digit in _KEY_AND_PLACE.findall(text):
            pieces.append(key)
            if place:
                pieces.append(EventIndex(index) if index else int(digit) if digit else EACH)
        return cls(pieces)

    @property
    def without_indices(self) -> tuple[str, ...]:
        """The path with `EACH` in place of every index."""
        return tuple([piece if isinstance(piece, str) else EACH for piece in self])

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate the text, then parse it."""
        return core_schema.no_info_after_validator_function(cls.parse, handler(PathText))


Link: TypeAlias = Annotated[str, *check_text(r"https://[^\s\x00-\x1f]+", "a link that begins with https://")]
Address: TypeAlias = Annotated[
    str, *check_text(r"https?://[^\s\x00-\x1f]+", "a link that begins with https:// or http://")
]
Url: TypeAlias = Annotated[
    str, *check_text(r"(?:https?://|\$\{)[^\s\x00-\x1f]+", 'a URL, or "${setting}/path"')
]
Header: TypeAlias = Annotated[str, *check_text(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "the name of a header")]
OptionalHeader: TypeAlias = Annotated[
    str,
    *check_text(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\??", "the name of a header, with a ? when it may be missing"),
]
EnvName: TypeAlias = Annotated[str, *check_text("[A-Z][A-Z0-9_]*", "the name of an environment variable")]
Pattern: TypeAlias = Annotated[
    str, AfterValidator(_check_regular_expression), WithJsonSchema({"type": "string", "format": "regex"})
]
Day: TypeAlias = Annotated[
    str,
    *check_text("20[0-9]{2}-[0-9]{2}-[0-9]{2}", "a day such as 2026-11-30"),
    AfterValidator(_check_calendar_day),
]
FamilyPattern: TypeAlias = Annotated[
    str, AfterValidator(_check_group), WithJsonSchema({"type": "string", "format": "regex"})
]
PlainValue: TypeAlias = Annotated[
    str | int | float | bool,
    PlainValidator(_check_plain_value),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
Number: TypeAlias = Annotated[int | float, PlainValidator(_check_number), WithJsonSchema({"type": "number"})]
Count: TypeAlias = Annotated[
    int, PlainValidator(_check_count), WithJsonSchema({"type": "integer", "minimum": 0})
]
SettingValue: TypeAlias = Annotated[
    str | tuple[str, ...],
    PlainValidator(_convert_setting_value),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]
AnswerBody: TypeAlias = Annotated[
    Any, PlainValidator(_check_answer_body), WithJsonSchema({"type": ["object", "array"]})
]
SentEvent: TypeAlias = Annotated[Any, AfterValidator(_check_event)]
Support: TypeAlias = Annotated[Literal[True, False, "unknown"], BeforeValidator(_reject_number)]
# YAML has lists; specs are immutable, so they are stored as tuples
Many = Conversion(strict=False)
OneOrMany = BeforeValidator(as_list, json_schema_input_type=str | list[str])

BodyShape: TypeAlias = Annotated[Table, *_annotate_shapes()]
AnswerShape: TypeAlias = Annotated[
    Table, *_annotate_shapes(wanted="must be a mapping (for a list of one object, with in_list: true)")
]
MessageShapes: TypeAlias = Annotated[Table, *_annotate_shapes(_KIND_KEY)]
UnionShapes: TypeAlias = Annotated[Table, *_annotate_shapes(_KIND_KEY)]
PartShapes: TypeAlias = Annotated[Table, *_annotate_shapes(_PART_KEY)]


class Strict(BaseModel):
    """Base of all sections: no unknown keys, no conversion, immutable."""

    model_config = ConfigDict(defer_build=True, extra="forbid", strict=True, frozen=True)


class Dated(Strict):
    """Base of facts and rules that may hold for a time only."""

    from_: Day | None = Field(default=None, alias="from", description="The first day on which it holds.")
    until: Day | None = Field(default=None, description="The last day on which it holds.")

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.from_ is not None and self.until is not None and self.from_ > self.until:
            raise refuse(BAD_VALUE, f"holds from {self.from_} until {self.until}, which is earlier")
        return self


def maybe(description: str) -> Any:
    """Return an optional field that defaults to None."""
    return Field(default=None, description=description)


def listed(description: str) -> Any:
    """Return an optional list that defaults to an empty one."""
    return Field(default=(), description=description)


def conditional(description: str) -> Any:
    """Return optional conditions, by default none; editors need no default of them."""
    return Field(default_factory=tuple, description=description)


def named(description: str) -> Any:
    """Return an optional mapping that defaults to an empty one."""
    return Field(default_factory=dict, description=description)


def flag(description: str) -> Any:
    """Return an optional boolean that defaults to false."""
    return Field(default=False, description=description)
