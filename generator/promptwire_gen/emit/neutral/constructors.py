"""What a constructor of a node does with a field before the node holds it: tests, conversions, refusals."""

from __future__ import annotations

from dataclasses import dataclass

from ...neutral.node_classes import NodeClass, NodeField
from ..python import literal_text

# by annotation, None aside: how a constructor sees at once that a value may not fit
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
# type checkers learn from `type`, which is the name of a field in other classes
_NO_TUPLE = "type({0}) is not tuple"
_FUNCTIONS = "type({0}) is not tuple or any(map(callable, {0}))"
_LOOSE = "type({0}) is not tuple or str in map(type, {0})"
# what a constructor accepts -> when it may need work, and what works on it; `{1}` is what errors call the value
_CONVERSIONS = {
    "parts": (_LOOSE, "as_parts({0}, Part, Text)"),
    "texts": ("", "as_texts({0}, {1})"),
    "names": ("", "as_names({0}, {1})"),
    "tools": (_FUNCTIONS, "as_tools({0}, {1}, Tool)"),
    "messages": (_NO_TUPLE, "as_messages({0}, Message)"),
    "instructions": ("type({0}) is not str", "as_instructions({0}, Instruction)"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """What a constructor does where a test holds; without one, always."""

    test: str
    action: str


def doubts(node: NodeClass) -> tuple[str, ...]:
    """Give the tests of which one holds where a value may not fit its field, but for those that most nodes lack."""
    uncommon = node.noted if node.declaration.given == "uncommon" else ()
    return tuple([doubt for field in node.fields if field not in uncommon and (doubt := _doubt(field))])


def _doubt(field: NodeField) -> str:
    name, least, bare = field.name, field.declaration.least, field.holds.removesuffix(" | None")
    if field.declaration.accepts not in (None, "schema") or bare not in _UNLIKE:
        return ""
    test = _UNLIKE[bare].format(name)
    if least is not None:
        test = f"({test} or {name} < {least})"
    if field.always:
        return f"({test})" if " and " in test else test
    return f"({name} is not None and {test})"


def schemas(node: NodeClass) -> tuple[str, ...]:
    """Name the fields that hold a JSON Schema, for which a class may be given that declares one."""
    return tuple([field.name for field in node.fields if field.declaration.accepts == "schema"])


def least_numbers(node: NodeClass) -> dict[str, int]:
    """Give the least numbers that fields take: name of a field -> number."""
    least = {field.name: field.declaration.least for field in node.fields}
    return {name: number for name, number in least.items() if number is not None}


def steps(node: NodeClass) -> tuple[Step, ...]:
    """Give what a constructor does with values that fit, in order: words are refused, lists become tuples."""
    candidates = [_refusal(field) for field in node.fields] + [_conversion(field) for field in node.fields]
    candidates += [_check(field) for field in node.fields]
    return tuple([step for step in candidates if step is not None])


def _refusal(field: NodeField) -> Step | None:
    if field.declaration.refuse is None:
        return None
    words = field.declaration.constant or literal_text(field.declaration.values)
    guard = "" if field.always else f"{field.name} is not None and "
    error = f"unknown_word({field.name!r}, {field.name}, {literal_text(field.declaration.refuse)}, {words})"
    return Step(f"{guard}{field.name} not in {words}", f"raise {error}")


def _conversion(field: NodeField) -> Step | None:
    if field.declaration.accepts in (None, "schema"):
        return None
    test, conversion = _CONVERSIONS[field.declaration.accepts]
    test = test.format(field.name)
    if not field.always:
        tests = [f"{field.name} is not None", f"({test})" if " or " in test else test]
        test = " and ".join(filter(None, tests))
    label = literal_text(field.declaration.label or field.name)
    return Step(test, f"{field.name} = {conversion.format(field.name, label)}")


def _check(field: NodeField) -> Step | None:
    if field.declaration.check is None:
        return None
    return Step("", f"{field.declaration.check}({field.name})")


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
    name = field.name
    return f"({{}} if {name} is NO_ITEMS else {name})" if field.declaration.default == {} else name
