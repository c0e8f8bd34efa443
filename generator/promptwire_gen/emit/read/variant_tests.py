"""Tests that tell whether a JSON value has the shape of a variant: constants, required keys, guards."""

from __future__ import annotations

from collections.abc import Sequence

from ...spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, KeyShape, Listing, Object, Shape
from ..conditions import all_of, any_of, contains, has_type, is_given, is_one_of
from ..field_holder import FieldHolder
from ..python import Expression, call, literal, literal_tuple, lookup, method, name
from .hole_readers import neutral_value

_JSON_TYPES = {
    "str": ("str",),
    "int": ("int",),
    "number": ("int", "float"),
    "bool": ("bool",),
    "strings": ("list",),
    "object": ("dict",),
    "text_object": ("dict",),
    "number_object": ("dict",),
    "arguments": ("dict",),
    "cache": ("dict",),
    "tools": ("list",),
}
# types with values that the field rejects, such as NaN and objects with non-JSON values
_MAY_NOT_FIT = frozenset({"strings", "number", "text_object", "number_object"})


def matches(shape: Shape, variable: str, place: FieldHolder) -> Expression | None:
    """Return the test for a whole value held by a variable; None when anything matches."""
    if isinstance(shape, Object):
        tests = [call("is_object", name(variable)), *_object(shape, variable, place)]
        return all_of(tests)
    return value_test(shape, name(variable), place)


def _object(shape: Object, variable: str, place: FieldHolder) -> list[Expression]:
    constants_first = sorted(shape.required, key=lambda entry: not isinstance(entry.shape, ConstantShape))
    return [test for entry in constants_first for test in _field(entry, variable, place)]


def _field(entry: KeyShape, variable: str, place: FieldHolder) -> list[Expression]:
    shape = entry.shape
    if isinstance(shape, ConstantShape):
        keys = entry.spellings
        tests = [call("has_constant", name(variable), literal(key), literal(shape.value)) for key in keys]
        test = any_of(tests)
        return [test] if test is not None else []
    json = lookup(variable, entry.spellings)
    if isinstance(shape, Object):
        inside = _nested(shape, json, place)
        return [call("is_object", json), *inside]
    test = value_test(shape, json, place)
    if test is None and isinstance(shape, Hole) and shape.path[0] == "vendor":
        # an option without a value counts as absent
        test = is_given(json)
    elif test is None:
        keys = entry.spellings
        test = any_of([contains(key, name(variable)) for key in keys])
    return [test] if test is not None else []


def _nested(shape: Object, json: Expression, place: FieldHolder) -> list[Expression]:
    """Tests on an object that stands inside the value: each looks it up anew, since tests bind no names."""
    tests: list[Expression] = []
    for entry in shape.fields:
        if entry.optional:
            continue
        if isinstance(entry.shape, ConstantShape):
            tests.append(
                call("has_constant", call("as_object", json), literal(entry.key), literal(entry.shape.value))
            )
            continue
        below = _get(call("as_object", json), entry.spellings)
        if isinstance(entry.shape, Object):
            tests += [call("is_object", below), *_nested(entry.shape, below, place)]
            continue
        test = value_test(entry.shape, below, place)
        tests.append(test if test is not None else is_given(below))
    return tests


def _get(subject: Expression, keys: Sequence[str]) -> Expression:
    first, *others = keys
    return method(subject, "get", literal(first), *([_get(subject, others)] if others else []))


def value_test(shape: Shape, json: Expression, place: FieldHolder) -> Expression | None:
    """Return the test on a JSON value; None when it may be anything."""
    match shape:
        case Hole():
            return hole_test(shape, json, place)
        case ConstantShape():
            return call("same", json, literal(shape.value))
        case Interpolation():
            return is_given(call("parted", json, literal_tuple(shape.texts)))
        case Listing():
            return _list(shape, json, place)
        case Alternatives():
            tests = [_form(form, shape, json, place) for form in shape.forms]
            return (
                any_of([test for test in tests if test is not None])
                if all(test is not None for test in tests)
                else None
            )
        case Object():
            return all_of([call("is_object", json), *_nested(shape, json, place)])
        case _:
            return None


def _form(form: Shape, among: Alternatives, json: Expression, place: FieldHolder) -> Expression | None:
    """Return the test on one form; arguments that a build writes as JSON text must be JSON, without NaN."""
    test = value_test(form, json, place)
    if test is None or not isinstance(form, Hole) or form.filters or place.type_of(form) != "arguments":
        return test
    if all(used.name != "json" for other in among.holes for used in other.filters):
        return test
    return all_of([test, call("is_plain_json", json)])


def _list(shape: Listing, json: Expression, place: FieldHolder) -> Expression:
    repeated = repeated_texts(shape, place)
    if repeated is None:
        return _fixed(shape, json, place)
    path = path_inside(shape.items[0], repeated) or ()
    return is_given(call("texts_of", json, *map(literal, path)))


def _fixed(shape: Listing, json: Expression, place: FieldHolder) -> Expression:
    """Return the test on a list of known length: each of its elements fits."""
    tests: list[Expression] = []
    for index, element in enumerate(shape.items):
        element_json = call("one_of", json, literal(len(shape.items)), literal(index))
        tests.append(value_test(element, element_json, place) or is_given(element_json))
    return all_of(tests) or call("is_list", json)


def repeated_texts(shape: Listing, place: FieldHolder) -> Hole | None:
    """Return the hole that takes one text from each element of a list; None where the list has a known length."""
    return next((hole for hole in shape.holes if hole.listed and place.type_of(hole) == "strings"), None)


def path_inside(element: Shape, hole: Hole) -> tuple[str, ...] | None:
    """Return the keys that lead to a hole inside a repeated element."""
    if element is hole:
        return ()
    if isinstance(element, Object):
        for entry in element.fields:
            below = path_inside(entry.shape, hole)
            if below is not None:
                return (entry.key, *below)
    return None


def guard_test(value: Expression, hole: Hole, place: FieldHolder) -> Expression:
    """Return the test whether the guard of a hole accepts a value: a word, a pattern, or an object."""
    guard = hole.guard or "*"
    if hole.wants_object and place.type_of(hole) == "json":
        return call("is_mapping", value)
    if "*" not in guard:
        return is_one_of(value, [literal(word) for word in guard.split("|")])
    return call("fits", value, literal(guard))


def hole_test(hole: Hole, json: Expression, place: FieldHolder) -> Expression | None:
    """Return the test on the JSON value of a hole; None when it may be anything."""
    tests: list[Expression] = []
    kind = place.type_of(hole)
    if hole.filters and kind == "tools":
        tests.append(call("is_object", json))
    elif hole.filters and (kind != "parts" or hole.keyed):
        tests.append(is_given(neutral_value(hole, json, place)))
    elif kind == "parts":
        tests.append(call("is_list", json) if hole.listed else has_type(json, "str", "list"))
    elif kind == "strings" and hole.listed:
        tests.append(has_type(json, "str"))
    elif kind in _MAY_NOT_FIT or place.field_of(hole).least is not None:
        # the field rejects some values of the type
        tests.append(is_given(neutral_value(hole, json, place)))
    elif kind == "str" and hole.guard is not None:
        return guard_test(call("as_str", json), hole, place)
    elif kind in _JSON_TYPES:
        types = _JSON_TYPES[kind]
        guards: dict[tuple[str, ...], str] = {("dict",): "is_object", ("list",): "is_list"}
        tests.append(call(guards[types], json) if types in guards else has_type(json, *types))
    if hole.guard is not None:
        tests.append(guard_test(json, hole, place))
    return all_of(tests)
