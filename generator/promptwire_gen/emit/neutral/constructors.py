"""What a constructor of a node does with a field before the node holds it: tests, conversions, refusals."""

from __future__ import annotations

from dataclasses import dataclass

from ...neutral.node_classes import NodeClass, NodeField
from ..python import literal_text

# by annotation, how a constructor sees at once that a value may not fit
_UNLIKE = {
    "str": "class_of({0}) is not str",
    "str | None": "{0} is not None and class_of({0}) is not str",
    "int": "class_of({0}) is not int",
    "int | None": "{0} is not None and class_of({0}) is not int",
    "float | None": "{0} is not None and (class_of({0}) is not float and class_of({0}) is not int or {0} - {0} != 0)",
    "bool | None": "{0} is not None and {0} is not True and {0} is not False",
    "JsonObject | None": "{0} is not None and class_of({0}) is not dict",
    "JsonObject | str": "class_of({0}) is not dict and class_of({0}) is not str",
    "JsonObject | str | None": "{0} is not None and class_of({0}) is not dict and class_of({0}) is not str",
    "Mapping[str, float] | None": "{0} is not None and (class_of({0}) is not dict or has_odd({0}.values()))",
    "Mapping[str, str] | None": "{0} is not None and not is_map_of(str, {0})",
    "PerWire | None": "{0} is not None and not is_map_of(dict, {0})",
}
# type checkers learn from `type`, which is the name of a field in other classes
_NO_TUPLE = "type({0}) is not tuple"
_LOOSE = "type({0}) is not tuple or str in map(type, {0})"
# what a constructor accepts -> when it may need work, and what works on it; `{1}` is what errors call the value
_CONVERSIONS = {
    "parts": (_LOOSE, "as_parts({0}, Part, Text)"),
    "texts": ("", "as_texts({0}, {1})"),
    "names": ("", "as_names({0}, {1})"),
    "tools": (_NO_TUPLE, "as_tuple({0}, {1})"),
    "messages": (_NO_TUPLE, "as_messages({0}, Message)"),
    "instructions": (f"type({{0}}) is not str and ({_LOOSE})", "as_instructions({0}, Instruction)"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """What a constructor does where a test holds."""

    test: str
    action: str


def steps(node: NodeClass) -> list[Step]:
    """Give what a constructor does with its arguments, in order: what may not fit is looked at, lists become tuples."""
    candidates = [_look(node, field) for field in node.fields] + [_refusal(field) for field in node.fields]
    candidates += [_conversion(field) for field in node.fields] + [_check(field) for field in node.fields]
    return [step for step in candidates if step is not None]


def _look(node: NodeClass, field: NodeField) -> Step | None:
    name, least = field.name, field.declaration.least
    unlike = None if field.declaration.accepts else _UNLIKE.get(field.holds)
    if unlike is None:
        return None
    test = unlike.format(name)
    if least is not None:
        bare = f"class_of({name}) is not int"
        test = test.replace(bare, f"({bare} or {name} < {least})")
    least_argument = "" if least is None else f", {least}"
    return Step(test, f"check_field({node.name}, {name!r}, {name}{least_argument})")


def _refusal(field: NodeField) -> Step | None:
    if field.declaration.refuse is None:
        return None
    words = field.declaration.constant or literal_text(field.declaration.values)
    guard = "" if field.always else f"{field.name} is not None and "
    error = f"unknown_word({field.name!r}, {field.name}, {literal_text(field.declaration.refuse)}, {words})"
    return Step(f"{guard}{field.name} not in {words}", f"raise {error}")


def _conversion(field: NodeField) -> Step | None:
    if field.declaration.accepts is None:
        return None
    test, conversion = _CONVERSIONS[field.declaration.accepts]
    test = test.format(field.name)
    if not field.always:
        is_there = f"{field.name} is not None"
        test = f"{is_there} and ({test})" if test else is_there
    label = literal_text(field.declaration.label or field.name)
    return Step(test or f"{field.name} != ()", f"{field.name} = {conversion.format(field.name, label)}")


def _check(field: NodeField) -> Step | None:
    if field.declaration.check is None:
        return None
    return Step(
        f"{field.name} != {literal_text(field.declaration.default)}",
        f"{field.declaration.check}({field.name})",
    )


def default_of(field: NodeField) -> str:
    """What a field is when it is not given, as Python says it in a signature; empty where it must be given."""
    declaration = field.declaration
    if declaration.required:
        return ""
    if declaration.default == []:
        return "()"
    if declaration.default == {}:
        return "NO_ITEMS"
    return declaration.default if declaration.type == "options" else literal_text(declaration.default)


def fresh(field: NodeField) -> str:
    """What the node holds: the value given; a container that is not given is one of its own."""
    return (
        f"{{}} if {field.name} is NO_ITEMS else {field.name}"
        if field.declaration.default == {}
        else field.name
    )
