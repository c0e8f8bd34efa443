"""Schema of the neutral model's YAML files: nodes, fields, and how constructors convert values."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ..spec.fields import Many, Name, Prose, Strict, Word, check_text, flag, listed, maybe, named

FieldType: TypeAlias = Literal[
    "str", "int", "number", "bool", "json", "object", "text_object", "number_object", "arguments", "strings",
    "parts", "tools", "messages", "instructions", "options", "tool_choice", "response_format", "reasoning",
    "continuation", "cache", "per_wire", "provenance", "kept",
]  # fmt: skip
ClassName: TypeAlias = Annotated[
    str, *check_text("[A-Z][A-Za-z]*", "the name of a class: letters, a capital first")
]
ConstantName: TypeAlias = Annotated[
    str, *check_text("[A-Z][A-Z_]*", "the name of a constant: capitals and _")
]
Call: TypeAlias = Annotated[
    str,
    *check_text(
        r"(not )?[a-z_]+\([a-z_]+(, [a-z_]+)*\)", "a function and the fields it takes: is_blank(text)"
    ),
]
Loss: TypeAlias = Literal["hint", "tuning", "meaning"]
Table: TypeAlias = Literal[
    "parts", "tools", "layer", "tool_choice", "response_format", "reasoning", "continuation", "cache", "message",
    "options", "request", "none",
]  # fmt: skip


class FieldDeclaration(Strict):
    """One field. Without `required` and `default`, it is None when not given."""

    doc: Prose = Field(description="What it means, as a sentence.")
    type: FieldType | None = maybe("What it holds, in the words of specs.")
    annotation: Name | Prose | None = maybe("What it holds, as Python says it, where no spec ever names it.")
    unit: Word | None = maybe("What a number counts.")
    least: int | None = maybe("The least number that any API takes.")
    values: Annotated[tuple[str, ...], Many] = listed(
        "The words that it may be; with `open`, those that are known."
    )
    open: bool = flag("Whether there are more values than those listed.")
    refuse: Prose | None = maybe(
        "What a word is called that is none of the values: a constructor refuses it."
    )
    constant: ConstantName | None = maybe("The constant that lists the values.")
    required: bool = flag("Whether a constructor must be given it.")
    nullable: bool = flag("Of a required field: whether it may be None.")
    default: Any = maybe("What it is when it is not given.")
    keyword: bool = flag("Whether it is given by name alone.")
    accepts: (
        Literal["parts", "texts", "names", "tools", "schema", "format", "messages", "instructions"] | None
    ) = maybe("What a constructor takes instead of what the field holds.")
    label: Prose | None = maybe("What errors of `accepts` call it; its name by default.")
    check: Name | None = maybe("A function that refuses values; it sees all but the default.")
    beside: Word | None = maybe(
        "The source that may have this field beside it, and that says the same to the API that gave it."
    )
    called: Word | None = maybe("What specs and request files call it.")
    hole: bool = Field(default=True, description="Whether a shape may name it.")
    looked_at: bool = flag("Whether builders look at it in plain nodes as well.")
    free: bool = flag("Whether a node is plain with it: no builder writes it.")
    usual: Literal["id", "name", "object", "text", "given"] | None = maybe(
        "What a plain node surely has there; `given` where that is tested."
    )
    common: bool = flag("Whether most requests have it.")
    advisory: bool = flag("Whether dropping it changes nothing for the model.")
    false_by_default: bool = flag("Whether False says no more than leaving it out.")
    written: Literal["never"] | None = maybe("Whether it is never sent.")
    loss: Loss | None = maybe("What is lost with it.")


class PropertyDeclaration(Strict):
    """A property computed from fields."""

    doc: Prose = Field(description="What it means, as a sentence.")
    annotation: Prose = Field(description="Its type, as Python says it.")
    call: Call = Field(description="The function that gives it, and the fields it takes.")


class NodeDeclaration(Strict):
    """One node class."""

    doc: Prose = Field(description="What it is: one sentence, then what else there is to say.")
    kind: Word | None = maybe("What specs and request files call it.")
    table: Table = Field(
        default="none", description="Where the compiler's table has it; parts have their base."
    )
    base: ClassName | None = maybe("The class above, whose fields it has too.")
    methods: ClassName | None = maybe("The hand-written class with its methods, which it extends.")
    keyword_only: bool = flag("Whether all its fields are given by name.")
    plain: Literal[True, False] | Call = flag(
        "Whether it notes that nothing optional is given; or what must hold besides."
    )
    plain_word: Call | None = maybe("What gives the word for it, where nothing optional is given.")
    sources: Annotated[tuple[Word, ...], Many] = listed("The fields of which exactly one must be given.")
    given: Literal["all", "uncommon"] | None = maybe(
        "Whether it notes which of all, or of the uncommon fields, are given."
    )
    empty: ConstantName | None = maybe("The constant that is a node without fields.")
    made: Annotated[tuple[Word, ...], Many] = listed(
        "The fields that reading gives most nodes, whose values it has looked at."
    )
    by_model: bool = flag("Whether a model wrote it, and no caller can complete it.")
    named_fields: bool = flag("Whether functions of the runtime pass its fields on by name.")
    shares: Annotated[tuple[Word, ...], Many] = listed("The shared fields that it has.")
    fields: dict[Word, FieldDeclaration] = named("Its own fields, in order.")
    properties: dict[Word, PropertyDeclaration] = named("Values that follow from its fields.")


class FileDeclaration(Strict):
    """One file: a module of node classes, or fields shared by many classes."""

    doc: Prose | None = maybe("What the module holds.")
    before: dict[ClassName, Prose] = named("Names for types that the classes use.")
    after: dict[ClassName, Prose] = named("Names for types that are made of the classes.")
    shared: dict[Word, FieldDeclaration] = named("Fields that many nodes have.")
    nodes: dict[ClassName, NodeDeclaration] = named("The classes, in order.")
