"""Types as Python declares them, each read as the JSON that it stands for."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from tests.internals.compiler import AnyJson, Declarations, Kind, ListKind, MappingKind, RecordKind


class Told:
    """Comments of an SDK beside a type."""

    alias = "wire_name"


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Text(TypedDict):
    type: Literal["text"]
    text: str
    note: NotRequired[str]


class Loose(TypedDict, total=False):
    type: Required[Literal["loose"]]
    inner: Iterable[Loose | Text]


class Answer(BaseModel):
    type: Literal["text"]


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    max_tokens: int | None = None
    own_name: str = Field(serialization_alias="ownName2", default="")
    hidden: str = Field(default="", exclude=True)
    mode: Mode | None = None


class Named(BaseModel):
    told: Annotated[str, Told()] = ""
    plain: str = ""


class UnknownText(BaseModel):
    type: Literal["UNKNOWN"] = "UNKNOWN"
    is_unknown: Literal[True] = True


@dataclass
class Data:
    role: str
    parts: list[Text] | str | None = None
    extra: dict[str, Camel] = field(default_factory=dict)


Alias = TypeAliasType("Alias", Text | Sequence[Text])


class Client:
    def chat(self, *, messages: Alias, stop: Sequence[str] | None = None, **rest: Any) -> None: ...


def shown(kind: Kind, depth: int = 2) -> Any:
    """Write a kind as plain data, some levels deep: an object's required keys end in `!`, its words follow."""
    return [one(row, depth) for row in kind]


def one(row: Any, depth: int) -> Any:
    match row:
        case RecordKind():
            if not depth:
                return row.name
            return {
                f"{name}{'!' * key.required}{'|'.join(('', *key.words))}": shown(key.kind, depth - 1)
                for name, key in row.keys.items()
            }
        case ListKind(kind=kind):
            return ["items", *shown(kind, depth)]
        case MappingKind(kind=kind):
            return ["values", *shown(kind, depth)]
        case _:
            assert row == AnyJson()
            return "any"


TEXT: Any = {"type!|text": [], "text!": [], "note": []}
CASES: list[tuple[Any, Any]] = [
    (str, []),
    (Any, ["any"]),
    (object, ["any"]),
    (bytes, []),
    (list[Any], [["items", "any"]]),
    (list, [["items", "any"]]),
    (Mapping[str, float], [["values"]]),
    (Text, [TEXT]),
    (Loose, [{"type!|loose": [], "inner": [["items", "Loose", "Text"]]}]),
    (Text | None, [TEXT]),
    (Alias, [TEXT, ["items", TEXT]]),
    (
        Camel,
        [{"maxTokens": [], "ownName2": [], "mode|fast|slow": []}],
    ),
    (Named, [{"wire_name": [], "plain": []}]),
    (Data, [{"role!": [], "parts": [["items", "Text"]], "extra": [["values", "Camel"]]}]),
    # a model beside the types of requests is one of answers
    (Text | Answer, [TEXT]),
    (Answer | UnknownText, [{"type!|text": []}]),
]


@pytest.mark.parametrize(("declared", "expected"), CASES, ids=lambda value: str(value)[:40])
def test_a_type_is_read_as_its_json(declared: Any, expected: Any) -> None:
    kind = Declarations().kind(declared)
    depth = 1 if declared in (Loose, Data) else 2
    assert shown(kind, depth) == expected


def test_a_type_that_holds_itself_is_one_record() -> None:
    (loose,) = Declarations().kind(Loose)
    assert isinstance(loose, RecordKind)
    (items,) = loose.keys["inner"].kind
    assert isinstance(items, ListKind)
    assert items.kind[0] is loose


def test_parameters_of_a_method_are_keys() -> None:
    keys = Declarations().parameters(Client.chat)
    assert {name: (key.required, shown(key.kind, 1)) for name, key in keys.items()} == {
        "messages": (True, [TEXT, ["items", TEXT]]),
        "stop": (False, [["items"]]),
    }
