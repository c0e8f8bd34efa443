"""What a file of the neutral model may say: nodes, their fields, and what a constructor does with them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ..spec.fields import Many, Name, Prose, Word, checked_text
from ..spec.schema import Strict

FieldType: TypeAlias = Literal[
    "str", "int", "number", "bool", "json", "object", "text_object", "number_object", "arguments", "strings",
    "parts", "tools", "messages", "instructions", "options", "tool_choice", "response_format", "reasoning",
    "continuation", "cache", "per_wire", "provenance", "kept",
]  # fmt: skip
ClassName: TypeAlias = Annotated[
    str, *checked_text("[A-Z][A-Za-z]*", "the name of a class: letters, a capital first")
]
ConstantName: TypeAlias = Annotated[
    str, *checked_text("[A-Z][A-Z_]*", "the name of a constant: capitals and _")
]
Call: TypeAlias = Annotated[
    str,
    *checked_text(
        r"(not )?[a-z_]+\([a-z_]+(, [a-z_]+)*\)", "a function and the fields it takes: is_blank(text)"
    ),
]
Loss: TypeAlias = Literal["hint", "tuning", "meaning"]
Table: TypeAlias = Literal[
    "parts", "tools", "layer", "tool_choice", "response_format", "reasoning", "continuation", "cache", "message",
    "options", "request", "none",
]  # fmt: skip


class FieldDeclaration(Strict):
    """One field. Without `required` and `default` it is None when it is not given."""

    doc: Prose = Field(description="What it means, as a sentence.")
    type: FieldType | None = Field(default=None, description="What it holds, in the words of specs.")
    annotation: Name | Prose | None = Field(
        default=None, description="What it holds, as Python says it, where no spec ever names it."
    )
    unit: Word | None = Field(default=None, description="What a number counts.")
    least: int | None = Field(default=None, description="The least number that any API takes.")
    values: Annotated[tuple[str, ...], Many] = Field(
        default=(), description="The words that it may be; with `open`, those that are known."
    )
    open: bool = Field(default=False, description="Whether there are more values than those listed.")
    refuse: Prose | None = Field(
        default=None,
        description="What a word is called that is none of the values: a constructor refuses it.",
    )
    constant: ConstantName | None = Field(default=None, description="The constant that lists the values.")
    required: bool = Field(default=False, description="Whether a constructor must be given it.")
    nullable: bool = Field(default=False, description="Of a required field: whether it may be None.")
    default: Any = Field(default=None, description="What it is when it is not given.")
    keyword: bool = Field(default=False, description="Whether it is given by name alone.")
    accepts: Literal["parts", "texts", "names", "tools", "messages", "instructions"] | None = Field(
        default=None, description="What a constructor takes instead of what the field holds."
    )
    label: Prose | None = Field(
        default=None, description="What errors of `accepts` call it; its name by default."
    )
    check: Name | None = Field(
        default=None, description="A function that refuses values; it sees all but the default."
    )
    called: Word | None = Field(default=None, description="What specs and request files call it.")
    hole: bool = Field(default=True, description="Whether a shape may name it.")
    looked_at: bool = Field(default=False, description="Whether builders look at it in plain nodes as well.")
    free: bool = Field(default=False, description="Whether a node is plain with it: no builder writes it.")
    usual: Literal["id", "name", "object", "text", "given"] | None = Field(
        default=None, description="What a plain node surely has there; `given` where that is tested."
    )
    common: bool = Field(default=False, description="Whether most requests have it.")
    advisory: bool = Field(default=False, description="Whether dropping it changes nothing for the model.")
    false_by_default: bool = Field(
        default=False, description="Whether False says no more than leaving it out."
    )
    written: Literal["never"] | None = Field(default=None, description="Whether it is never sent.")
    loss: Loss | None = Field(default=None, description="What is lost with it.")


class PropertyDeclaration(Strict):
    """A value that follows from fields."""

    doc: Prose = Field(description="What it means, as a sentence.")
    annotation: Prose = Field(description="Its type, as Python says it.")
    call: Call = Field(description="The function that gives it, and the fields it takes.")


class NodeDeclaration(Strict):
    """One class of nodes."""

    doc: Prose = Field(description="What it is: one sentence, then what else there is to say.")
    kind: Word | None = Field(default=None, description="What specs and request files call it.")
    table: Table = Field(
        default="none", description="Where the compiler's table has it; parts have their base."
    )
    base: ClassName | None = Field(default=None, description="The class above, whose fields it has too.")
    keyword_only: bool = Field(default=False, description="Whether all its fields are given by name.")
    plain: Literal[True, False] | Call = Field(
        default=False,
        description="Whether it notes that nothing optional is given; or what must hold besides.",
    )
    plain_word: Call | None = Field(
        default=None, description="What gives the word for it, where nothing optional is given."
    )
    sources: Annotated[tuple[Word, ...], Many] = Field(
        default=(), description="The fields of which exactly one must be given."
    )
    given: Literal["all", "rare"] | None = Field(
        default=None, description="Whether it notes which of all, or of the rarely used fields, are given."
    )
    empty: ConstantName | None = Field(
        default=None, description="The constant that is a node without fields."
    )
    by_model: bool = Field(
        default=False, description="Whether a model wrote it, and no caller can complete it."
    )
    shares: Annotated[tuple[Word, ...], Many] = Field(
        default=(), description="The shared fields that it has."
    )
    fields: dict[Word, FieldDeclaration] = Field(
        default_factory=dict, description="Its own fields, in order."
    )
    properties: dict[Word, PropertyDeclaration] = Field(
        default_factory=dict, description="Values that follow from its fields."
    )


class FileDeclaration(Strict):
    """One file: a module of node classes, or the fields that many of them share."""

    doc: Prose | None = Field(default=None, description="What the module holds.")
    before: dict[ClassName, Prose] = Field(
        default_factory=dict, description="Names for types that the classes use."
    )
    after: dict[ClassName, Prose] = Field(
        default_factory=dict, description="Names for types that are made of the classes."
    )
    shared: dict[Word, FieldDeclaration] = Field(
        default_factory=dict, description="Fields that many nodes have."
    )
    nodes: dict[ClassName, NodeDeclaration] = Field(
        default_factory=dict, description="The classes, in order."
    )
