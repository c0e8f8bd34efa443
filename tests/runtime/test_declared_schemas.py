"""Functions as tools, classes as JSON Schema, and answers as what a class declares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from functools import partial
from typing import Annotated, Any, ClassVar, ForwardRef, Literal, NoReturn, NotRequired, TypedDict

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter

import promptwire
from promptwire import Answer, Options, Request, ResponseFormat, Tool, openai_chat, user
from promptwire.errors import AnswerError, InvalidRequest
from promptwire.parts import ToolGroup
from tests.internals.runtime import TypeMismatch, data_as, parse_docstring, plain_schema


class Unit(Enum):
    """Of temperature."""

    CELSIUS = "c"
    FAHRENHEIT = "f"


class Place(TypedDict):
    """Where."""

    city: str
    code: NotRequired[int]


@dataclass
class Span:
    start: int
    end: int = 3
    names: list[str] = field(default_factory=list)


class Model(BaseModel):
    """A model of pydantic."""

    name: str
    when: date | None = None


class Node(TypedDict):
    """Holds itself."""

    inner: list[Node]


def weather(  # noqa: D417  # what its annotation says
    place: Place,
    unit: Literal["c", "f"] = "c",
    *,
    days: Annotated[int, "How many."] = 1,
    since: float | None = None,
) -> str:
    """The weather now.

    In any town.

    Args:
        place: Where
            it is.
        unit (str): The unit.

    Returns:
        Text.
    """
    return f"{place} {unit} {days} {since}"


def book(model: Model, unit: Unit, size: int) -> None:
    """Book it.

    :param model: What.
    :param int size: How large.
    :returns: nothing
    """


PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "code": {"type": "integer"}},
    "required": ["city"],
    "description": "Where.",
}
SPAN = {
    "type": "object",
    "properties": {
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "names": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["start"],
}
TYPES: dict[str, tuple[Any, Any]] = {
    "text": (str, {"type": "string"}),
    "nothing": (None, {"type": "null"}),
    "anything": (Any, {}),
    "a list": (list[int], {"type": "array", "items": {"type": "integer"}}),
    "a sequence": (Sequence[bool], {"type": "array", "items": {"type": "boolean"}}),
    "a set": (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    "a tuple of one type": (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    "a tuple": (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    "an object": (Mapping[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    "a bare list": (list, {"type": "array"}),
    "one of two": (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    "words": (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    "mixed words": (Literal["a", 1], {"enum": ["a", 1]}),
    "an enum": (Unit, {"type": "string", "enum": ["c", "f"]}),
    "described": (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
    "a typed dict": (Place, PLACE),
    "a dataclass": (Span, SPAN),
}


@pytest.mark.parametrize(("hint", "schema"), TYPES.values(), ids=TYPES)
def test_plain_annotations_have_a_schema(hint: Any, schema: Any) -> None:
    assert plain_schema(hint) == schema


def test_a_function_is_a_tool() -> None:
    (tool,) = Request("m", user("hi"), tools=(weather,)).tools or ()
    assert tool == Tool(
        "weather",
        "The weather now.\n\nIn any town.",
        {
            "type": "object",
            "properties": {
                "place": {**PLACE, "description": "Where it is."},
                "unit": {"type": "string", "enum": ["c", "f"], "default": "c", "description": "The unit."},
                "days": {"type": "integer", "description": "How many.", "default": 1},
                "since": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
            },
            "required": ["place"],
        },
    )


def test_a_function_stands_wherever_a_tool_can() -> None:
    tool = Tool("forecast", parse_docstring(weather.__doc__ or "").text)
    group = ToolGroup("g", tools=[tool, weather])
    assert [type(each) for each in group.tools] == [Tool, Tool]
    mixed = Request("m", user("hi"), tools=[tool, weather])
    assert mixed.tools == group.tools
    assert (
        openai_chat.build(mixed).body == openai_chat.build(Request("m", user("hi"), tools=group.tools)).body
    )


def test_what_is_not_plain_is_pydantics() -> None:
    (tool,) = Request("m", user("hi"), tools=[book]).tools or ()
    declared: Any = book
    schema = TypeAdapter(declared).json_schema()
    schema["properties"]["model"]["description"] = "What."
    schema["properties"]["size"]["description"] = "How large."
    assert tool == Tool("book", "Book it.", schema)


def test_methods_are_tools() -> None:
    class Town:
        def warm(self, degrees: int) -> bool:
            """Whether it is warm."""
            return degrees > 20

    (tool,) = Request("m", user("hi"), tools=[Town().warm]).tools or ()
    assert tool == Tool("warm", "Whether it is warm.", {"type": "object", "properties": {"degrees": {"type": "integer"}}, "required": ["degrees"]})  # fmt: skip


def test_classes_stand_where_schemas_do() -> None:
    alone = {"additionalProperties": False}
    assert Tool("t", parameters=Place).parameters == PLACE | alone
    assert Tool("t", returns=Span).returns == SPAN | alone
    assert ResponseFormat("json_schema", Model).schema == Model.model_json_schema() | alone


class Trip(BaseModel):
    """A container of others."""

    stay: Model
    stops: list[Model] = []
    seats: dict[str, Model] = {}


class Open(BaseModel, extra="allow"):
    """A model that accepts undeclared keys."""

    name: str = ""


def test_objects_of_a_strict_class_have_all_their_keys_and_no_others() -> None:
    name = {"title": "Name", "type": "string"}
    when = {
        "title": "When",
        "default": None,
        "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
    }
    model = {
        "description": "A model of pydantic.",
        "title": "Model",
        "type": "object",
        "properties": {"name": name, "when": when},
        "required": ["name", "when"],
        "additionalProperties": False,
    }
    strict = ResponseFormat("json_schema", Trip, strict=True).schema
    assert strict == {
        "$defs": {"Model": model},
        "description": "A container of others.",
        "title": "Trip",
        "type": "object",
        "properties": Trip.model_json_schema()["properties"],
        "required": ["stay", "stops", "seats"],
        "additionalProperties": False,
    }
    own = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert ResponseFormat("json_schema", own, strict=True).schema is own
    assert ResponseFormat("json_schema", Open).schema == Open.model_json_schema()
    assert Open.model_json_schema()["additionalProperties"] is True


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic_messages"])
def test_a_strict_class_is_a_form_of_answers_on_apis_that_follow_schemas_to_the_letter(wire: str) -> None:
    form = ResponseFormat("json_schema", Span, "span", strict=True)
    request = Request("m", user("How long?"), options=Options(max_tokens=99), response_format=form)
    for model in ("gpt-4o", "claude-haiku-4-5"):
        assert getattr(promptwire, wire).build(replace(request, model=model)).body


def any_number(*numbers: int) -> None:
    """Take any."""


def unknown(value: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Take what is not defined."""


def recursive(node: Node) -> None:
    """Take what holds itself."""


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "no name": (lambda value: value, "a tool needs a name, but a lambda has none"),
    "a partial function": (partial(weather, days=2), "a tool needs a name, but a partial has none"),
    "any number of values": (
        any_number,
        r"any_number: models pass arguments by name, which \*numbers does not accept",
    ),
    "an unknown name": (
        unknown,
        "unknown: its parameters cannot be inspected: name 'Missing' is not defined",
    ),
}


@pytest.mark.parametrize(("function", "why"), REFUSED.values(), ids=REFUSED)
def test_other_functions_are_refused(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        Request("m", user("hi"), tools=[function])


def test_without_pydantic_what_is_not_plain_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(
        InvalidRequest, match="recursive: no JSON Schema is known for node: Node; install pydantic, or"
    ):
        Request("m", user("hi"), tools=[recursive])
    with pytest.raises(InvalidRequest, match="Node: no JSON Schema is known for Node; install pydantic, or"):
        Tool("t", parameters=Node)
    with pytest.raises(AnswerError, match="without pydantic, or pydantic does not know it"):
        answer('{"inner": []}').data_as(frozenset[int])


def test_a_class_without_a_schema_is_refused() -> None:
    with pytest.raises(
        InvalidRequest, match="Random: no JSON Schema is known for Random: Unable to generate"
    ):
        Tool("t", parameters=type("Random", (), {}))


def test_a_class_is_no_tool() -> None:
    with pytest.raises(
        InvalidRequest, match=r"Span is a class; pass a function, or Tool\(..., parameters=Span\)"
    ):
        Request("m", user("hi"), tools=(Span,))


def answer(text: str) -> Answer:
    message = {"role": "assistant", "content": text}
    return openai_chat.read_answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def test_answers_are_data_of_a_class() -> None:
    assert answer('{"name": "x", "when": "2026-01-02"}').data_as(Model) == Model(
        name="x", when=date(2026, 1, 2)
    )
    assert answer('{"city": "Oslo"}').data_as(Place) == {"city": "Oslo"}
    assert answer('{"start": 1, "names": ["a"]}').data_as(Span) == Span(1, names=["a"])
    assert answer('["c"]').data_as(list[Unit]) == [Unit.CELSIUS]
    assert answer('{"inner": [{"inner": []}]}').data_as(Node) == {"inner": [{"inner": []}]}


WRONG: dict[str, tuple[str, Any, str]] = {
    "no JSON": ("Oslo", Place, "the answer is no JSON: .*: 'Oslo'"),
    "a member is missing": ("{}", Place, "the answer is no Place: the JSON lacks 'city'"),
    "a member too many": ('{"city": "a", "b": 1}', Place, "the JSON has the unknown key 'b' for Place"),
    "a member of another type": ('{"start": 1, "names": ["a", 2]}', Span, r"names\[1\] is a number, not str"),
    "no number of a literal": ("true", Literal[1, 2], "the JSON is True, not one of 1, 2"),
    "no word": ('"k"', Unit, "the JSON is 'k', not one of 'c', 'f'"),
    "no model": (
        '{"name": 1}',
        Model,
        "the answer is no Model: 1 validation error for Model name Input should be",
    ),
}


@pytest.mark.parametrize(("text", "kind", "why"), WRONG.values(), ids=WRONG)
def test_other_answers_are_refused(text: str, kind: Any, why: str) -> None:
    with pytest.raises(AnswerError, match=why):
        answer(text).data_as(kind)


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.sampled_from("ab")
KEYS = st.sampled_from(["city", "code", "start", "end", "names"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
CHECKED = [
    str,
    int,
    float,
    bool,
    None,
    list[int],
    dict[str, float | None],
    Literal["a", 1],
    int | list[str],
    Place,
    Span,
]


@pytest.mark.parametrize("hint", CHECKED, ids=str)
@given(data=JSON)
def test_data_is_made_where_its_schema_allows_it(hint: Any, data: Any) -> None:
    schema = plain_schema(hint)
    # what a class does not know is refused; 1.0 is an integer to JSON Schema, and no int
    closed = {**schema, "additionalProperties": False} if "properties" in schema else schema
    fits = Draft202012Validator(closed).is_valid(data) and not _has_whole_float(data)
    try:
        data_as(data, hint)
    except TypeMismatch:
        assert not fits
    else:
        assert fits or _has_whole_float(data)


def _has_whole_float(data: Any) -> bool:
    if isinstance(data, list):
        return any(map(_has_whole_float, data))
    if isinstance(data, dict):
        return any(map(_has_whole_float, data.values()))
    return isinstance(data, float) and data.is_integer()


NUMPY = """Add.

Parameters
----------
a : int
    First
    of two.
b
    Second.

Returns
-------
int
    The sum.
"""


def test_docstrings_of_numpy() -> None:
    assert parse_docstring(NUMPY) == ("Add.", {"a": "First of two.", "b": "Second."})


def test_docstrings_without_sections() -> None:
    assert parse_docstring("Note: this is text.\n\nAnd more: too.") == (
        "Note: this is text.\n\nAnd more: too.",
        {},
    )
    assert parse_docstring("") == ("", {})


@pytest.mark.parametrize("kind", [ForwardRef("Missing"), ClassVar[int], NoReturn, print])
def test_a_type_that_pydantic_does_not_know_is_our_error(kind: Any) -> None:
    with pytest.raises(AnswerError, match="pydantic does not know it"):
        answer("{}").data_as(kind)
