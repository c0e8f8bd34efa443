"""Schemas for tests: pydantic models by hand, and drawn ones, with everything that users declare."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from functools import cache
from random import Random
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

from pydantic import AnyUrl, BaseModel, ConfigDict, Field, RootModel, create_model
from typing_extensions import TypedDict


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Point(BaseModel):
    x: float = Field(ge=-180, le=180)
    y: float = Field(gt=-90, lt=90, multiple_of=0.5)


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(ge=0, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str = Field(max_length=10, min_length=1, pattern="^w+$")


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Chain(BaseModel):
    """A list of names."""

    name: str
    next: Chain | None = Field(None, description="the rest")


class Left(BaseModel):
    right: Right | None = None


class Right(BaseModel):
    left: Left | None = None
    name: str


class Address(BaseModel):
    """Where somebody lives."""

    street: str
    zip: str = Field(pattern=r"^\d{5}$")


class Person(BaseModel):
    name: str = Field(description="full name", max_length=100)
    age: int | None = None
    home: Address = Field(description="where letters go")
    work: Address | None = None
    nick: str = "none"


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Typed(TypedDict):
    """A typed dictionary."""

    name: str
    size: NotRequired[int]


class Zoo(BaseModel):
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = Field(min_length=2, max_length=5)


class Names(RootModel[list[str]]):
    pass


@cache
def field_models() -> dict[str, type[BaseModel]]:
    """Return models of one field for each kind of annotation."""
    annotations: dict[str, Any] = {
        "text": str, "number": float, "integer": int, "flag": bool, "nothing": None, "anything": Any,
        "texts": list[str], "plain_list": list, "plain_dict": dict, "counts": dict[str, int], "points": dict[str, Point],
        "set": set[int], "frozen": frozenset[str], "pair": tuple[int, str], "triple": tuple[int, int, int],
        "many": tuple[str, ...], "optional": str | None, "mixed": int | str, "three": int | str | list[int],
        "color": Color, "level": Level, "word": Literal["a"], "words": Literal["a", "b"], "numbers": Literal[1, 2],
        "mixed_words": (Literal["a", 1] | None), "date": date, "datetime": datetime, "time": time, "duration": timedelta,
        "uuid": UUID, "url": AnyUrl, "decimal": Decimal, "bytes": bytes, "point": Point, "pet": Cat | Dog,
        "person": Person, "tree": Tree, "chain": Chain, "ring": Left, "open": Open, "closed": Closed, "zoo": Zoo,
        "names": Names, "typed": Typed, "nested": list[list[int]], "deep": dict[str, dict[str, list[Point]]],
        "positive": Annotated[int, Field(ge=0)], "below": Annotated[float, Field(lt=1)],
        "short": Annotated[str, Field(max_length=3)], "matched": Annotated[str, Field(pattern="^[a-z]+$")],
        "looking": Annotated[str, Field(json_schema_extra={"pattern": "^(?=a).*$"})],
        "few": Annotated[list[int], Field(min_length=1, max_length=3)], "one": Annotated[list[int], Field(min_length=1)],
        "email": Annotated[str, Field(json_schema_extra={"format": "email"})],
        "odd_format": Annotated[str, Field(json_schema_extra={"format": "iri"})],
        "described": Annotated[int, Field(description="A number", ge=1, le=10)],
        "exampled": Annotated[str, Field(examples=["a"])], "defaulted": Annotated[int, Field(default=5)],
        "listed_default": Annotated[list[int], Field(default=[1])], "null_default": Annotated[int | None, Field(default=None)],
        "titled": Annotated[str, Field(title="T")], "old": Annotated[str, Field(deprecated=True)],
        "pets": list[Cat | Dog], "told_pet": Annotated[Cat | Dog, Field(discriminator="kind", description="the pet")],
        "told_address": Annotated[Address, Field(description="there")], "two_colors": dict[Color, int],
    }  # fmt: skip
    return {
        name: create_model(f"With{name.title().replace('_', '')}", field=(kind, ...))
        for name, kind in annotations.items()
    }


WHOLE_MODELS: tuple[type[BaseModel], ...] = (
    Point,
    Cat,
    Dog,
    Tree,
    Chain,
    Left,
    Person,
    Open,
    Closed,
    Zoo,
    Names,
)


@cache
def drawn_models(count: int = 40) -> list[type[BaseModel]]:
    """Return models of several fields, each of which is declared above, the same ones in every run."""
    random = Random(33)  # noqa: S311  # the same models in every run
    fields = list(field_models().values())
    drawn: list[type[BaseModel]] = []
    for number in range(count):
        chosen = random.sample(fields, random.randint(2, 6))
        rows: dict[str, Any] = {
            f"f{place}": (model | None if random.random() < 0.3 else model, ...)
            for place, model in enumerate(chosen)
        }
        drawn.append(create_model(f"Drawn{number}", **rows))
    return drawn
