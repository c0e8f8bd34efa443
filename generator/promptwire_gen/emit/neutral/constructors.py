"""The code of node constructors for one field: tests, conversions and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from ...neutral.node_classes import NodeClass, NodeField
from ..literals import write_literal

# annotation without None -> a cheap test that finds values of a possibly wrong type
_UNLIKE = {
    "str": "class_of({0}) is not str",
    "int": "class_of({0}) is not int",
    "float": "not is_number({0})",
    "bool": "class_of({0}) is not bool",
    "JsonObject": "class_of({0}) is not dict",
    "JsonObject | str": "class_of({0}) is not dict and class_of({0}) is not str",
    "Mapping[str, float]": "(class_of({0}) is not dict or has_odd({0}.values()))",
    "Mapping[str, str]": "not is_map_of(str, {0})",
    "PerWire": "not is_map_of(dict, {0})",
}
# `type`, by which type checkers narrow; elsewhere `class_of`, because some classes have a field `type`
_NO_TUPLE = "type({0}) is not tuple"
_FUNCTIONS = "type({0}) is not tuple or any(map(callable, {0}))"
_LOOSE = "type({0}) is not tuple or str in map(type, {0})"
# input type -> (condition, conversion); `{1}` is the name of the value in errors
_CONVERSIONS = {
    "parts": (_LOOSE, "as_parts({0}, Part, Text)"),
    "texts": ("", "as_texts({0}, {1})"),
    "names": ("", "as_names({0}, {1})"),
    "tools": (_FUNCTIONS, "as_tools({0}, {1}, Tool)"),
    "format": ("isinstance({0}, type)", "as_format({0}, ResponseFormat)"),
    "messages": (_NO_TUPLE, "as_messages({0}, Message)"),
    "instructions": ("type({0}) is not str", "as_instructions({0}, Instruction)"),
}


@dataclass(frozen=True, slots=True)
class ConstructorStep:
    """One statement of a constructor, and its condition; without one it always runs."""

    test: str
    action: str


def list_type_tests(node: NodeClass) -> tuple[str, ...]:
    """Return the tests of which one is true if a value may not fit its field; rarely given fields have their own."""
    uncommon = node.noted if node.declaration.given == "uncommon" else ()
    return tuple(
        [doubt for field in node.fields if field not in uncommon and (doubt := _make_type_test(field))]
    )


def _make_type_test(field: NodeField) -> str:
    name, least, bare = field.name, field.declaration.least, field.holds.removesuffix(" | None")
    if field.declaration.accepts not in (None, "schema") or bare not in _UNLIKE:
        return ""
    test = _UNLIKE[bare].format(name)
    if least is not None:
        test = f"({test} or {name} < {least})"
    if field.always:
        return f"({test})" if " and " in test else test
    return f"({name} is not None and {test})"


def list_schema_fields(node: NodeClass) -> tuple[str, ...]:
    """Return the names of fields that hold a JSON Schema, for which a class can be given instead."""
    return tuple([field.name for field in node.fields if field.declaration.accepts == "schema"])


def list_least_numbers(node: NodeClass) -> dict[str, int]:
    """Return the minimum of numeric fields: field name -> number."""
    least = {field.name: field.declaration.least for field in node.fields}
    return {name: number for name, number in least.items() if number is not None}


def list_steps(node: NodeClass) -> tuple[ConstructorStep, ...]:
    """Return the statements for values that fit, in order: single words are refused, lists become tuples."""
    candidates = [_refuse_word(field) for field in node.fields] + [
        _convert_value(field) for field in node.fields
    ]
    candidates += [_check(field) for field in node.fields]
    return tuple([step for step in candidates if step is not None])


def _refuse_word(field: NodeField) -> ConstructorStep | None:
    if field.declaration.refuse is None:
        return None
    words = field.declaration.constant or write_literal(field.declaration.values)
    guard = "" if field.always else f"{field.name} is not None and "
    error = f"unknown_word({field.name!r}, {field.name}, {write_literal(field.declaration.refuse)}, {words})"
    return ConstructorStep(f"{guard}{field.name} not in {words}", f"raise {error}")


def _convert_value(field: NodeField) -> ConstructorStep | None:
    if field.declaration.accepts in (None, "schema"):
        return None
    test, conversion = _CONVERSIONS[field.declaration.accepts]
    test = test.format(field.name)
    if not field.always:
        tests = [f"{field.name} is not None", f"({test})" if " or " in test else test]
        test = " and ".join(filter(None, tests))
    label = write_literal(field.declaration.label or field.name)
    return ConstructorStep(test, f"{field.name} = {conversion.format(field.name, label)}")


def _check(field: NodeField) -> ConstructorStep | None:
    if field.declaration.check is None:
        return None
    return ConstructorStep("", f"{field.declaration.check}({field.name})")


def write_default(field: NodeField) -> str:
    """Return the default of a parameter in a signature; empty for a required one."""
    declaration = field.declaration
    if declaration.required:
        return ""
    if declaration.default == []:
        return "()"
    if declaration.default == {}:
        return "NO_ITEMS"
    return declaration.default if declaration.type == "options" else write_literal(declaration.default)


def write_stored_value(field: NodeField) -> str:
    """Return the expression that the node stores: the given value, or a new container if none is given."""
    name = field.name
    return f"({{}} if {name} is NO_ITEMS else {name})" if field.declaration.default == {} else name


_WIDTH = 104


def make_class_doc(node: NodeClass, noted: Sequence[tuple[str, str]]) -> str:
    """Return the docstring of a class; `noted` are names and descriptions of its flags."""
    base = node.declaration.base
    rows = [_wrap_row(field.name, describe_field(field)) for field in node.fields if not field.inherited]
    inherited = ", ".join([field.name for field in node.fields if field.inherited])
    rows += [_wrap_row(inherited, f"Optional fields of every {base}.")] if inherited else []
    paragraphs = ["\n".join(wrap(part, _WIDTH)) for part in node.declaration.doc.split("\n\n")]
    if rows:
        paragraphs.append("Args:\n" + "\n".join(rows))
    if noted:
        paragraphs.append("Attributes:\n" + "\n".join([_wrap_row(name, meaning) for name, meaning in noted]))
    text = "\n\n".join(paragraphs)
    return "\n    ".join(text.splitlines()).replace("\n    \n", "\n\n") + ("\n    " if "\n" in text else "")


def describe_field(field: NodeField) -> str:
    """Return the description of a field: its sentence, unit, minimum and allowed words."""
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


def _wrap_row(name: str, meaning: str) -> str:
    return "\n".join(wrap(f"{name}: {meaning}", _WIDTH, initial_indent="    ", subsequent_indent="        "))
