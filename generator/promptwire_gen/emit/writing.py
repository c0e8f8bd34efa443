"""Shapes as code that writes them: a display of what is always there, then one `if` for each optional key."""

from __future__ import annotations

from collections.abc import Iterable

from ..spec.shapes import Choice, Constant, Field, Hole, Interpolation, Listing, Object, Shape, Tolerated
from ..spec.walks import required_choices
from .places import Place
from .python import (
    Expression,
    Statement,
    call,
    code,
    display,
    each,
    interpolation,
    item,
    listing,
    literal,
    name,
)
from .python.conditions import all_of, any_of, conditional, is_given, is_the

_MAY_BE_NONE = {"tool_choice", "response_format", "reasoning"}


def written_holes(shape: Shape) -> list[Hole]:
    """The holes that a build writes."""
    return [hole for hole in shape.holes if not hole.read_only]


def value_of(shape: Shape, place: Place) -> Expression:
    """Write a shape whose required holes are all filled."""
    match shape:
        case Hole():
            return place.written(shape)
        case Constant():
            return literal(shape.value)
        case Interpolation():
            return interpolation(shape.texts, [place.written(hole) for hole in shape.holes])
        case Object():
            return object_of(shape, place)
        case Listing():
            return _list_of(shape, place)
        case Choice():
            return _first_form(shape, place)
        case Tolerated():
            raise AssertionError("tolerated constants are never written")


def object_of(shape: Object, place: Place) -> Expression:
    """The display of an object's required keys."""
    return display(
        [(entry.key, value_of(entry.shape, place)) for entry in shape.fields if not entry.optional]
    )


def _list_of(shape: Listing, place: Place) -> Expression:
    repeated = [hole for hole in written_holes(shape) if hole.listed and place.type_of(hole) == "strings"]
    if not repeated:
        return listing([value_of(element, place) for element in shape.items])
    one = _Element(place, repeated[0])
    return each(value_of(shape.items[0], one), "one", place.value(repeated[0]))


class _Element(Place):
    """The place inside a repeated element: its listed hole is the loop variable."""

    def __init__(self, outer: Place, listed: Hole) -> None:
        super().__init__(
            outer.subject,
            outer.kind,
            outer.filters,
            outer.imports,
            outer.nested,
            outer.collapses,
            outer.marks,
            outer.keyed,
            outer.called,
        )
        self._listed = listed

    def written(self, hole: Hole) -> Expression:
        """The loop variable, or any other value of the node."""
        return name("one") if hole is self._listed else super().written(hole)


def _first_form(shape: Choice, place: Place) -> Expression:
    """Choose the first form whose holes are filled; the last one that can be reached needs no test."""
    forms = [form for form in shape.forms if _writable(form)]
    tests = [filled(form, place) for form in forms]
    texts = [None if test is None else code(test) for test in tests]
    # some form is filled: where all that are left share one test, or one needs none, the first of them is it
    end = next(i for i, text in enumerate(texts) if text is None or set(texts[i:]) == {text})
    result = value_of(forms[end], place)
    for form, test in zip(reversed(forms[:end]), reversed(tests[:end]), strict=True):
        assert test is not None
        result = conditional(test, value_of(form, place), result)
    return result


def _writable(form: Shape) -> bool:
    return not isinstance(form, Tolerated)


def filled(shape: Shape, place: Place, source: str | None = None) -> Expression | None:
    """The test whether everything that a shape requires is there, its source aside; None when it always is."""
    tests: list[Expression] = []
    seen: set[tuple[str, ...]] = set()
    for hole in shape.required_holes:
        test = place.given(hole)
        if hole.path not in seen and test is not None and not takes_words(hole) and hole.path != (source,):
            seen.add(hole.path)
            tests.append(test)
        if hole.guard is not None:
            tests.append(place.guarded(place.value(hole), hole.guard))
    for choice in required_choices(shape):
        forms = [filled(form, place) for form in choice.forms if _writable(form)]
        unique = {code(test): test for test in forms if test is not None}
        if unique and all(test is not None for test in forms):
            tests.append(any_of(list(unique.values())) or literal(True))
    return all_of(tests)


def takes_words(hole: Hole) -> bool:
    """Whether a hole takes some words only, so that None is none of them; an option may not be there at all."""
    return hole.guard is not None and "*" not in hole.guard and hole.path[0] != "vendor"


def write_optional(entry: Field, target: Expression, place: Place, depth: int = 0) -> list[Statement]:
    """Statements that write one optional key when it has a value."""
    shape = entry.shape
    if not written_holes(shape):
        return []
    key = item(target, entry.key)
    if isinstance(shape, Object):
        return _write_object(entry, shape, target, place, depth)
    if isinstance(shape, Hole) and place.type_of(shape) in _MAY_BE_NONE and not shape.filters:
        value = f"{shape.path[0]}_json"
        test = place.given(shape)
        assert test is not None
        block: list[Statement] = [
            f"{value} = {code(place.written(shape))}",
            (f"if {code(is_given(name(value)))}:", [f"{code(key)} = {value}"]),
        ]
        return [(f"if {code(test)}:", block)]
    if isinstance(shape, Choice) and differ(shape):
        return _write_choice(shape, key, place)
    if isinstance(shape, Hole) and (place.type_of(shape) == "tools" or _is_list_of_parts(shape, place)):
        return _write_unless_empty(shape, key, place)
    test = filled(shape, place)
    assign = f"{code(key)} = {code(value_of(shape, place))}"
    return [assign] if test is None else [(f"if {code(test)}:", [assign]), *_unfilled(shape, place)]


def _refused(shape: Shape, place: Place) -> list[Statement]:
    """Report values that the guards of an optional shape do not take."""
    guarded = {h.path: h for h in written_holes(shape) if h.guard is not None and not h.fixed}
    out: list[Statement] = []
    for hole in guarded.values():
        why = f"this wire takes {', '.join(str(hole.guard).split('|'))} here"
        report = code(call("build.lost", _node(place), place.field(hole), literal(why)))
        given = place.given(hole)
        out.append((f"if {code(given)}:", [report]) if given is not None else report)
    if len(out) == 1 and not isinstance(out[0], str):
        return [(f"el{out[0][0]}", out[0][1])]
    return [("else:", out)] if out else []


def _is_list_of_parts(hole: Hole, place: Place) -> bool:
    return place.type_of(hole) == "parts" and hole.listed and not hole.filters


def _write_unless_empty(hole: Hole, key: Expression, place: Place) -> list[Statement]:
    """Write a list of nodes; where none of them has a place on this wire, there is no list."""
    value = f"{hole.path[0]}_json"
    block: list[Statement] = [
        f"{value} = {code(place.written(hole))}",
        (f"if {value}:", [f"{code(key)} = {value}"]),
    ]
    test = place.given(hole)
    return block if test is None else [(f"if {code(test)}:", block)]


def differ(shape: Choice) -> bool:
    """Whether the forms of a choice write different holes, so that one form may leave a value of another behind."""
    paths = [{hole.path for hole in written_holes(form)} for form in shape.forms]
    return any(path != paths[0] for path in paths)


def lost_to_another(holes: Iterable[Hole], place: Place) -> list[Statement]:
    """Statements that report values which only the other forms of a key, that are not written, could carry."""
    out: list[Statement] = []
    for hole in holes:
        given = place.given(hole)
        field = place.kind.fields.get(hole.path[0]) if place.kind is not None else None
        if field is not None and field.advisory:
            report = code(call("build.unused", name(place.subject), place.field(hole)))
        else:
            why = literal("another form of the same key is written")
            report = code(call("build.lost", name(place.subject), place.field(hole), why))
        out.append(report if given is None else (f"if {code(given)}:", [report]))
    return out


def _write_choice(shape: Choice, key: Expression, place: Place) -> list[Statement]:
    """One branch a form; a branch reports the values that only the other forms could carry."""
    out: list[Statement] = []
    forms = [form for form in shape.forms if written_holes(form)]
    word = "if"
    for index, form in enumerate(forms):
        test = filled(form, place)
        own = {hole.path for hole in written_holes(form)}
        block: list[Statement] = [f"{code(key)} = {code(value_of(form, place))}"]
        # an earlier form that takes any value of one hole is empty here, or it would have been written
        rest = [other for other in forms[:index] if not _takes_any(other)] + forms[index + 1 :]
        others = {h.path: h for other in rest for h in written_holes(other) if h.path not in own}
        block += lost_to_another(others.values(), place)
        if test is None:
            return [*out, ("else:", block)] if out else block
        out.append((f"{word} {code(test)}:", block))
        word = "elif"
    return [*out, *_unfilled(shape, place)]


def _takes_any(form: Shape) -> bool:
    """Whether a form is written whenever its one value is given."""
    holes = written_holes(form)
    return len(holes) == 1 and holes[0].guard is None


def _write_object(
    entry: Field, shape: Object, target: Expression, place: Place, depth: int
) -> list[Statement]:
    test = filled(shape, place)
    if test is not None or not _has_optional(shape):
        key = item(target, entry.key)
        block: list[Statement] = [f"{code(key)} = {code(object_of(shape, place))}"]
        block += complete(shape, key, place, depth + 1)
        if test is None:
            return block
        out: list[Statement] = [(f"if {code(test)}:", block)]
        return out + _unfilled(shape, place)
    variable = f"{_identifier(entry.key)}_json"
    inner: list[Statement] = [f"{variable}: dict[str, Any] = {{}}"]
    inner += complete(shape, name(variable), place, depth + 1)
    constants = [(e.key, value_of(e.shape, place)) for e in shape.fields if not e.optional]
    value = f"{{{code(display(constants))[1:-1]}, **{variable}}}" if constants else variable
    return [*inner, (f"if {variable}:", [f"{code(item(target, entry.key))} = {value}"])]


def _identifier(key: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in key).strip("_").lower() or "value"


def _has_optional(shape: Object) -> bool:
    rest = shape.rest is not None and not shape.rest.read_only
    return rest or any(entry.optional and written_holes(entry.shape) for entry in shape.fields)


def _unfilled(shape: Shape, place: Place) -> list[Statement]:
    """Report what is lost when an optional shape lacks a value that it requires."""
    found = {hole.path: hole for hole in written_holes(shape) if place.given(hole) is not None}
    if len(found) < 2:
        return _refused(shape, place)
    wanted = " and ".join(
        dict.fromkeys(hole.name for hole in shape.required_holes if place.given(hole) is not None)
    )
    why = f"it is written together with {wanted}" if wanted else "no form of its key takes it as it is"
    out: list[Statement] = []
    for path, hole in found.items():
        test = place.given(hole)
        if test is not None and path not in _alone(shape):
            report = call("build.lost", _node(place), place.field(hole), literal(why))
            out.append((f"if {code(test)}:", [code(report)]))
    return [("else:", out)] if out else []


def _alone(shape: Shape) -> set[tuple[str, ...]]:
    """The values that are enough for some form of a shape."""
    found: set[tuple[str, ...]] = set()
    for form in shape.forms if isinstance(shape, Choice) else ():
        needs = {hole.path for hole in form.required_holes}
        guarded = any(hole.guard is not None for hole in form.required_holes)
        if len(needs) == 1 and not guarded and not list(required_choices(form)):
            found |= needs
    return found


def _node(place: Place) -> Expression:
    return name(place.subject)


def complete(shape: Object, target: Expression, place: Place, depth: int = 0) -> list[Statement]:
    """Statements that write the optional keys of an object, also inside its required objects, and its rest."""
    out: list[Statement] = []
    for entry in shape.fields:
        if entry.optional:
            out += write_optional(entry, target, place, depth)
        elif isinstance(entry.shape, Object):
            out += complete(entry.shape, item(target, entry.key), place, depth + 1)
    if shape.rest is not None:
        out += _write_rest(shape.rest, target, place)
    return out


def _write_rest(rest: Hole, target: Expression, place: Place) -> list[Statement]:
    value = place.value(rest)
    node = _node(place)
    if place.type_of(rest) in _MAY_BE_NONE:
        # not _json: the object that it is spread in may be named after the same word
        variable = f"{rest.path[0]}_rest"
        spread = call("build.spread", target, name(variable), node)
        test = place.given(rest)
        assert test is not None
        return [(f"if {code(test)}:", [f"{variable} = {code(place.written(rest))}", code(spread)])]
    option = [literal(rest.path[1])] if rest.path[0] == "vendor" else []
    written: Statement = code(call("build.spread", target, value, node, *option))
    if rest.path[0] == "vendor":
        test = place.given(rest)
        assert test is not None
        return [(f"if {code(test)}:", [written])]
    if place.kind is None or not place.kind.fields[rest.path[0]].always:
        return [(f"if {code(is_given(value))}:", [written])]
    absent = code(call("build.missing", node, literal(rest.name)))
    return [(f"if {code(is_the(value, literal(None)))}:", [absent]), ("else:", [written])]
