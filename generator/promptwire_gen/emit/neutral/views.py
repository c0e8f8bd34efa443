"""The classes of nodes: names, types and single expressions for the template that lays them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap

from ...neutral.node_classes import Module, NeutralModel, NodeClass, NodeField
from ...neutral.source import arguments
from ..python import literal_text
from .constructors import Step, default_of, fresh, steps

_WIDTH = 104
# name -> the hand-written module of the runtime that has it
_WRITTEN = {
    "class_of": "wire_json.kinds",
    "Any": "typed",
    "Iterable": "typed",
    "Mapping": "typed",
    "TypeAlias": "typed",
    "Node": "nodes.node",
    "unfrozen": "nodes.node",
    "NO_ITEMS": "nodes.node",
    "open_as": "nodes.node",
    "check_field": "nodes.checks",
    "check_start": "nodes.checks",
    "has_odd": "nodes.checks",
    "is_map_of": "nodes.checks",
    "not_one_source": "nodes.checks",
    "unknown_word": "nodes.checks",
    "as_instructions": "nodes.accepted",
    "as_messages": "nodes.accepted",
    "as_names": "nodes.accepted",
    "as_parts": "nodes.accepted",
    "as_texts": "nodes.accepted",
    "as_tuple": "nodes.accepted",
    "form_of": "nodes.plain",
    "given_names": "nodes.plain",
    "is_blank": "nodes.plain",
    "is_usual_call": "nodes.plain",
    "is_usual_result": "nodes.plain",
    "kind_of_reasoning": "nodes.plain",
    "request_given": "nodes.plain",
}
_NOTED = {
    "plain": "whether nothing optional is given, so that builders may take their fast path.",
    "plain_word": "which usual form it has, for the fast path of builders; empty where more than parts is given.",
    "source": "the name of the one field that holds it.",
    "given": "the names of the fields that are given.",
    "given_rare": "the names of the given options and rarely used fields, and what is unusual in its turns.",
}


@dataclass(frozen=True, slots=True)
class Noted:
    """What a node notes about itself when it is made."""

    name: str
    annotation: str
    value: str


@dataclass(frozen=True, slots=True)
class ClassView:
    """One class as its template sees it."""

    node: NodeClass
    base: str
    doc: str
    kind: str | None
    slots: str
    match_args: str
    parameters: tuple[str, ...]
    annotations: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    sources: tuple[str, ...]
    held: tuple[tuple[str, str], ...]
    noted: tuple[Noted, ...]


def class_views(module: Module) -> list[ClassView]:
    """Prepare every class of a module."""
    return [_view(node) for node in module.nodes]


def _view(node: NodeClass) -> ClassView:
    declaration = node.declaration
    own = [field for field in node.fields if not field.inherited]
    noted = tuple(_noted(node))
    new_notes = [note for note in noted if not (note.name == "plain" and declaration.base is not None)]
    called = declaration.kind if declaration.table in ("tools", "none") and declaration.kind else None
    return ClassView(
        node,
        declaration.base or "Node",
        _doc(node),
        called,
        _tuple([*(field.name for field in own), *(note.name for note in new_notes)]),
        _tuple([field.name for field in node.fields if not field.keyword]),
        tuple(_parameters(node)),
        (
            *((field.name, field.holds) for field in own),
            *((note.name, note.annotation) for note in new_notes),
        ),
        tuple(_constants(node)),
        tuple(steps(node)),
        declaration.sources,
        tuple([(field.name, fresh(field)) for field in node.fields]),
        noted,
    )


def _parameters(node: NodeClass) -> Iterator[str]:
    """What the constructor takes, as its signature says it."""
    starred = False
    for field in node.fields:
        if field.keyword and not starred:
            starred = True
            yield "*"
        default = default_of(field)
        yield f"{field.name}: {field.takes}{f' = {default}' if default else ''}"


def _tuple(names: Iterable[str]) -> str:
    """Write names as a tuple."""
    return f"({' '.join([f'{literal_text(name)},' for name in names])})"


def _constants(node: NodeClass) -> Iterator[tuple[str, str]]:
    for field in node.fields:
        if field.declaration.constant is not None:
            yield field.declaration.constant, _tuple(field.declaration.values)
    if node.declaration.given == "all":
        yield "OPTION_NAMES", _tuple([field.name for field in node.fields])
    if node.declaration.given == "rare":
        yield "RARE_FIELDS", _tuple([field.name for field in rare(node)])


def rare(node: NodeClass) -> list[NodeField]:
    """The fields that most requests leave out."""
    return [field for field in node.fields if not field.declaration.common]


def _noted(node: NodeClass) -> Iterator[Noted]:
    declaration, absent = node.declaration, " and ".join([f"{field.name} is None" for field in node.counted])
    if declaration.plain_word is not None:
        yield Noted("plain", "str", f'{declaration.plain_word} if {absent} else ""')
    elif declaration.plain:
        conditions = [declaration.plain] if isinstance(declaration.plain, str) else []
        yield Noted("plain", "bool", " and ".join([absent, *conditions]))
    if declaration.sources:
        *first, last = declaration.sources
        chosen = " else ".join([f'"{name}" if {name} is not None' for name in first])
        yield Noted("source", "str", f'{chosen} else "{last}"')
    if declaration.given == "all":
        values = ", ".join([field.name for field in node.fields])
        yield Noted("given", "frozenset[str]", f"given_names(OPTION_NAMES, ({values}))")
    elif declaration.given == "rare":
        names = [field.name for field in rare(node)]
        without = " and ".join([f"{name} is None" for name in names])
        uncommon = f"None if {without} else given_names(RARE_FIELDS, ({', '.join(names)}))"
        yield Noted(
            "given",
            "frozenset[str]",
            f"request_given({uncommon}, options, messages, instructions, LAYER_ROLES)",
        )


def _doc(node: NodeClass) -> str:
    lines = [_row(field.name, described(field)) for field in node.fields]
    paragraphs = ["\n".join(wrap(part, _WIDTH)) for part in node.declaration.doc.split("\n\n")]
    if lines:
        paragraphs.append("Args:\n" + "\n".join(lines))
    noted = [_row(name, _NOTED[key]) for name, key in _notes(node)]
    if noted:
        paragraphs.append("Attributes:\n" + "\n".join(noted))
    text = "\n\n".join(paragraphs)
    return "\n    ".join(text.splitlines()).replace("\n    \n", "\n\n") + ("\n    " if "\n" in text else "")


def _notes(node: NodeClass) -> Iterator[tuple[str, str]]:
    for note in _noted(node):
        if note.name == "plain" and node.declaration.plain_word:
            yield note.name, "plain_word"
        else:
            yield (
                note.name,
                "given_rare" if note.name == "given" and node.declaration.given == "rare" else note.name,
            )


def described(field: NodeField) -> str:
    """Say what a field means: its sentence, its unit and its least number, the words that it may be."""
    declaration = field.declaration
    doc = " ".join(declaration.doc.split())
    facts = [
        f"In {declaration.unit}" if declaration.unit else "",
        f"at least {declaration.least}" if declaration.least is not None else "",
    ]
    words = ", ".join([f"`{value}`" for value in declaration.values if f"`{value}`" not in doc])
    phrases = [
        ", ".join(filter(None, facts)),
        f"{'Such as' if declaration.open else 'One of'} {words}" if words else "",
    ]
    phrases.append("Never sent" if declaration.written == "never" else "")
    sentences = [f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases if phrase]
    return " ".join([f"{doc.removesuffix('.')}.", *sentences])


def _row(name: str, meaning: str) -> str:
    return "\n".join(wrap(f"{name}: {meaning}", _WIDTH, initial_indent="    ", subsequent_indent="        "))


# ---- names


def imported(module: Module, model: NeutralModel, text: Iterable[str]) -> dict[str, list[str]]:
    """Give what a module imports: the module of the runtime, as its modules write it -> names."""
    words = {word for line in text for word in re.findall(r"[A-Za-z_]+", line)}
    own = {node.name for node in module.nodes} | module.before.keys() | module.after.keys()
    names: dict[str, list[str]] = {}
    for name in sorted(words - own, key=_sorting):
        place = _places(model).get(name)
        if place is not None and place != f".{module.name}":
            names.setdefault(place, []).append(name)
    return dict(sorted(names.items()))


def _sorting(name: str) -> tuple[int, str]:
    """Sort constants first, then classes, as ruff does."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)


def _places(model: NeutralModel) -> Mapping[str, str]:
    places = {name: f"..{place}" for name, place in _WRITTEN.items()}
    for module in model.modules:
        names = [*module.before, *module.after, *(node.name for node in module.nodes)]
        names += [node.declaration.empty for node in module.nodes if node.declaration.empty]
        names += [
            field.declaration.constant
            for node in module.nodes
            for field in node.fields
            if field.declaration.constant
        ]
        places |= dict.fromkeys(names, f".{module.name}")
    return places


def words_of(view: ClassView) -> list[str]:
    """Every piece of code of a class that may name what is imported."""
    pieces = [view.base, "Any open_as unfrozen", *(f"{step.test} {step.action}" for step in view.steps)]
    pieces += view.parameters
    pieces += [annotation for _, annotation in view.annotations]
    pieces += [value for _, value in view.held] + [note.value for note in view.noted]
    pieces += [f"{prop.call} {prop.annotation}" for prop in view.node.properties.values()]
    pieces += ["not_one_source"] if view.sources else []
    return pieces


def property_call(call: str) -> str:
    """Write a call of a property: its arguments are fields of the node."""
    name = call.partition("(")[0]
    return f"{name}({', '.join([f'self.{argument}' for argument in arguments(call)])})"


def constructor_fields(node: NodeClass) -> list[tuple[str, str]]:
    """The fields that a caller may give by name alone, sources and what belongs to them aside: name and type."""
    sources = node.declaration.sources
    return [
        (field.name, field.takes)
        for field in node.fields
        if field.keyword and field.name not in sources and not (sources and field.declaration.looked_at)
    ]
