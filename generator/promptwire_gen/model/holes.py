"""Checks of holes and keys: each hole names a field of its kind, its filters exist and fit, and `...` holds objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from promptwire_text.words import is_misspelling

from ..problems import Span, did_you_mean, make_hint, quote
from ..spec.nodes import Scalar
from ..spec.notation import UNPARSED, Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object, Shape, Tolerated
from .neutral import DOTTED, OBJECTS, OPTIONS, REQUEST, UNIONS, Kind, find_field
from .offers import ShapeFilter
from .wire import Variant

# keys whose constants are words of the API
_WORDY = frozenset({"type", "role", "kind", "object"})
_LISTED_TYPES = ("parts", "strings")


def check_holes(
    shape: Shape, kind: Kind, extra: frozenset[str], filters: Mapping[str, ShapeFilter], notation: Notation
) -> None:
    """Check every hole of a node's shape; `extra` are names besides the kind's own fields (slots)."""
    for hole in _list_parsed_holes(shape):
        head = hole.path[0]
        if head == "vendor":
            _check_option(hole, kind, notation)
        elif len(hole.path) > 1 or (head not in kind.fields and head not in extra):
            choices = [*kind.fields, *extra, *(["vendor.name"] if kind.vendor else [])]
            hint = did_you_mean(hole.name, choices) or f"{kind.name} has {', '.join(sorted(choices))}"
            notation.report(
                hole.span, "unknown-hole", f"{quote('$' + hole.name)} is not a field of {kind.name}", hint
            )
        elif hole.listed and head in kind.fields and kind.fields[head].type not in _LISTED_TYPES:
            notation.report(
                hole.span, "bad-hole", f"{quote('$' + hole.name)} is not a list", "leave out the []"
            )
        check_filters(hole, filters, notation, kind)
    _check_texts(shape, kind, notation)
    check_constants(shape, (*kind.fields, *extra), notation)
    _check_places(shape, notation)
    check_forms(shape, filters, notation)


def check_constants(shape: Shape, names: Collection[str], notation: Notation) -> None:
    """Reject a constant that is the name of a field without a place in the shape: its $ was forgotten."""
    carried = {hole.name for hole in shape.holes}
    for entry in (entry for piece in shape.pieces if isinstance(piece, Object) for entry in piece.fields):
        inner = entry.shape
        if not isinstance(inner, (ConstantShape, Tolerated)):
            continue
        for word in inner.values if isinstance(inner, Tolerated) else (inner.value,):
            is_quoted = inner.span.length > len(str(word)) and isinstance(inner, ConstantShape)
            if not is_quoted and entry.key not in _WORDY and _is_name(word, names) and word not in carried:
                message = f"{word} is a constant here, and the name of a field"
                hint = f"write ${word} for its value, or the word in quotes"
                notation.report(inner.span, "bare-name", message, hint)


def _is_name(word: object, names: Collection[str]) -> bool:
    return isinstance(word, str) and (word in names or re.fullmatch(r"vendor\.[a-z_]+", word) is not None)


def _check_option(hole: Hole, kind: Kind, notation: Notation) -> None:
    """Reject vendor options on a node that cannot have any."""
    if not kind.vendor:
        message = f"{kind.name} has no options of one API"
        notation.report(
            hole.span, "bad-hole", message, f"write ${hole.name} in the body: those of the request"
        )
    elif len(hole.path) != 2:
        notation.report(hole.span, "bad-hole", "a vendor hole has one name", "write $vendor.name")


def check_whole(key: Scalar, shape: Shape, kind: Kind, notation: Notation, source: str | None = None) -> None:
    """Reject a shape without a place for a field that every node of its kind has, because it would be lost silently.

    The type of a hosted kind may be the key's `source` instead; the source field of other kinds is always included.
    """
    carried = shape.written_heads
    place = _place_of(source)
    _check_sources(shape, kind, notation, source)
    if source in kind.sources and place not in carried:
        message = f"{quote(str(key.value))} has no place for ${place}, which every {kind.name} given by {source} holds"
        notation.report(key.span, "missing-hole", message, f"write ${place} in its shape")
    for name, field in kind.fields.items():
        if name == "type" and source is not None:
            continue
        # the shape's key states the kind of a response format
        if field.always and name not in carried and (kind.name, name) != ("response_format", "kind"):
            message = f"{quote(str(key.value))} has no place for ${name}, which every {kind.name} holds"
            notation.report(key.span, "missing-hole", message, f"write ${name} in its shape")


def _place_of(source: str | None) -> str | None:
    return "content" if source == "parts" else source


def _check_sources(shape: Shape, kind: Kind, notation: Notation, source: str | None) -> None:
    """Reject a hole for another source: a node has exactly one, so the hole would always be empty."""
    if source not in kind.sources:
        return
    others = {
        _place_of(other): other
        for other in kind.sources
        if other != source and not _is_beside(kind, other, source)
    }
    for hole in shape.holes:
        other = others.get(hole.path[0])
        if other is not None:
            message = f"{quote('$' + hole.name)} has no value where {kind.name} is given by {source}"
            hint = f"one given by {other} has a shape of its own"
            notation.report(hole.span, "bad-hole", message, hint)


def _is_beside(kind: Kind, other: str, source: str | None) -> bool:
    field = kind.fields.get(other)
    return field is not None and field.beside == source


def check_body_holes(
    shape: Object, settings: Collection[str] | None, filters: Mapping[str, ShapeFilter], notation: Notation
) -> None:
    """Check every hole of the body; `settings` are those of the transport section, None if it is broken."""
    for hole in _list_parsed_holes(shape):
        if not _is_of_request(hole, settings):
            message = f"{quote('$' + hole.name)} is not a field of the request"
            notation.report(hole.span, "unknown-hole", message, _suggest_field(hole, settings))
        elif hole.path in (("messages",), ("tools",)) and (
            hole.filters or hole.listed or hole.guard is not None
        ):
            message = f"{quote('$' + hole.name)} is written as the list it is, without filter, guard or []"
            notation.report(hole.span, "bad-hole", message, f"write ${hole.name}")
        check_filters(hole, filters, notation)
    _check_texts(shape, None, notation)
    dotted = [f"{head}.{name}" for head, kind in DOTTED.items() for name in kind.fields]
    check_constants(shape, [*REQUEST, *OPTIONS, *dotted], notation)
    _check_places(shape, notation)
    check_forms(shape, filters, notation)
    _check_twice(shape, notation)


def _is_of_request(hole: Hole, settings: Collection[str] | None) -> bool:
    """Return whether a hole of the body names a field of the request or of its nodes, a setting or a vendor option."""
    match hole.path:
        case (name,):
            return name in REQUEST or name in OPTIONS
        # places of messages are checked with the whole body
        case ("vendor", _) | ("messages", _, *_):
            return True
        case ("settings", name):
            return settings is None or name in settings
        case (head, name):
            return head in DOTTED and name in DOTTED[head].fields
        case _:
            return False


def _suggest_field(hole: Hole, settings: Collection[str] | None) -> str:
    if hole.path[0] == "vendor":
        return "write $vendor.name"
    if hole.path[0] == "settings":
        return did_you_mean(hole.path[-1], settings or ()) or "write the setting in transport.settings"
    dotted = [f"{head}.{name}" for head, kind in DOTTED.items() for name in kind.fields]
    # a key that only this API has is a vendor option
    return (
        did_you_mean(hole.name, [*REQUEST, *OPTIONS, *dotted])
        or f"write $vendor.{hole.path[-1]} for a key of this API alone"
    )


def _check_texts(shape: Shape, kind: Kind | None, notation: Notation) -> None:
    """Reject fields inside text that are not text themselves: Python's `str` of them would be written."""
    inside_text = [piece for piece in shape.pieces if isinstance(piece, Interpolation)]
    for hole in (hole for text in inside_text for hole in _list_parsed_holes(text)):
        type_name = get_type(hole, kind)
        if type_name not in (None, "str"):
            message = f"{quote('${' + hole.name + '}')} is {type_name}: text with holes is read back as text"
            number = type_name in ("int", "number")
            hint = f"write ${hole.name}|number_text" if number else f"write it alone: ${hole.name}"
            notation.report(hole.span, "bad-hole", message, hint)


def _check_twice(body: Object, notation: Notation) -> None:
    """Reject a field that two keys of the body write."""
    seen: dict[tuple[str, ...], str] = {}
    for entry in body.fields:
        first_holes = {hole.path: hole for hole in entry.shape.written_holes if hole.path[0] != "settings"}
        for path, hole in first_holes.items():
            if path in seen and path not in (UNPARSED, ("messages",)):
                message = f"{quote('$' + hole.name)} is written under {quote(seen[path])} already"
                hint = f"write =${hole.name} where it is only read, or null for the key that goes"
                notation.report(hole.span, "written-twice", message, hint)
            seen.setdefault(path, entry.key)


def _list_parsed_holes(shape: Shape) -> Iterator[Hole]:
    """Return an iterator over the holes that could be parsed; problems of the others are already reported."""
    return (hole for hole in shape.holes if hole.path != UNPARSED)


def check_filters(
    hole: Hole, filters: Mapping[str, ShapeFilter], notation: Notation, kind: Kind | None = None
) -> None:
    """Check that the filters of a hole exist, that their arguments fit, and that they can be read back."""
    for filter_ in hole.filters:
        shape_filter = filters.get(filter_.name)
        if shape_filter is None:
            hint = make_hint(filter_.name, sorted(filters), "filters")
            notation.report(hole.span, "unknown-filter", f"{quote(filter_.name)} is not a filter", hint)
        elif len(filter_.arguments) != shape_filter.arguments:
            wants = f"{shape_filter.arguments or 'no'} argument" + ("s" if shape_filter.arguments > 1 else "")
            message = f"{quote(filter_.name)} takes {wants}, not {len(filter_.arguments)}"
            words = ",".join(("first", "second", "third")[: shape_filter.arguments])
            example = f"({words})" if words else ""
            notation.report(hole.span, "bad-filter", message, f"write |{filter_.name}{example}")
        elif filter_ is hole.filters[0] and not _is_taken(shape_filter, hole, kind):
            types = " or ".join(sorted(shape_filter.takes))
            message = f"{quote(filter_.name)} writes {types}, not {get_type(hole, kind)}"
            hint = "leave the filter out, or write another field"
            if filter_.name == "json" and get_type(hole, kind) == "object":
                # text to the letter is no object when it is read
                hint = f"write ${hole.name}|object_text"
            notation.report(hole.span, "bad-filter", message, hint)
        elif filter_.name == "keyed" and not _is_result(hole, kind):
            message = '"keyed" writes the content of a tool result as an object'
            notation.report(hole.span, "bad-filter", message, "write $content|keyed(output,error)")
        elif filter_.name == "arguments" and not _is_name_of_result(hole, kind):
            message = '"arguments" writes the arguments of the call that a tool result answers'
            notation.report(hole.span, "bad-filter", message, "write $name|arguments")
        elif shape_filter.reads is None:
            notation.report(
                hole.span, "one-way-filter", f"{quote(filter_.name)} only writes: this shape is read as well",
                "use it in transport, or give the filter an inverse",
            )  # fmt: skip


def _is_taken(shape_filter: ShapeFilter, hole: Hole, kind: Kind | None) -> bool:
    return not shape_filter.takes or get_type(hole, kind) in (None, *shape_filter.takes)


def get_type(hole: Hole, kind: Kind | None) -> str | None:
    """Return the type of the field that a hole names; None for vendor options, settings and slots."""
    field = find_field(hole.path, kind)
    if field is None:
        return None
    return "object" if field.type in OBJECTS else field.type


def _is_result(hole: Hole, kind: Kind | None) -> bool:
    """Return whether a hole is the whole content of a tool result, with one filter."""
    is_one_text = hole.path == ("content",) and not hole.listed and len(hole.filters) == 1
    return is_one_text and kind is not None and kind.name == "tool_result"


def _is_name_of_result(hole: Hole, kind: Kind | None) -> bool:
    return hole.path == ("name",) and kind is not None and kind.name == "tool_result"


def _check_places(shape: Shape, notation: Notation, *, inside: str = "") -> None:
    """Check that listed holes repeat the element around them, and that interpolated holes are plain.

    `inside` says that the shape is in a list or in `or`, which are written as a whole: each key is written always or
    never.
    """
    match shape:
        case Object():
            if inside:
                _check_always(shape, inside, notation)
            for entry in shape.fields:
                _check_places(entry.shape, notation, inside=inside)
        case Listing():
            _check_repeated(shape, notation)
            for element in shape.items:
                _check_places(element, notation, inside="a list")
        case Alternatives():
            for form in shape.forms:
                _check_places(form, notation, inside='"or"')
        case Interpolation():
            _check_plain(shape, notation)
        case _:
            return


def _check_plain(shape: Interpolation, notation: Notation) -> None:
    for hole in shape.holes:
        if hole.listed or hole.filters or hole.guard is not None:
            message = "a hole inside text has no filter, guard or []"
            notation.report(hole.span, "bad-hole", message, f"write ${{{hole.name}}}")


def _check_always(shape: Object, inside: str, notation: Notation) -> None:
    """Check that every key of an object that is written as a whole is always written."""
    for entry in shape.fields:
        if entry.optional and any(not hole.read_only for hole in entry.shape.holes):
            notation.report(
                entry.span, "never-written", f"inside {inside} an optional key is never written",
                f"write {quote(entry.key)}, or one form with it and one without it",
            )  # fmt: skip
    if shape.extra_keys is not None and not shape.extra_keys.read_only:
        notation.report(
            shape.extra_keys.span, "never-written", f"inside {inside} a rest of keys is never written",
            "give the list or the whole value a hole of its own",
        )  # fmt: skip


def _check_repeated(shape: Listing, notation: Notation) -> None:
    repeated = [hole for element in shape.items for hole in element.holes if hole.listed]
    if len(repeated) > 1:
        message = f"{quote(f'${repeated[0].name}[]')} repeats this element already: two lists cannot"
        notation.report(repeated[1].span, "bad-list", message, f"leave out the [] of ${repeated[1].name}")
    elif repeated and len(shape.items) != 1:
        message = f"{quote(f'${repeated[0].name}[]')} repeats its element: the list holds no other"
        notation.report(repeated[0].span, "bad-list", message, "leave out the other elements")
    for element in shape.items:
        if isinstance(element, Hole) and element.path == ("instructions",) and not element.filters:
            message = '"$instructions" is the whole list already, or a text'
            hint = 'write "$instructions[]" for a list, $instructions for a list or text'
            notation.report(element.span, "bad-list", message, hint)


def check_forms(shape: Shape, filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    """Reject forms after one that takes all their values, unless reading can distinguish them."""
    for piece in shape.pieces:
        if isinstance(piece, Alternatives):
            _check_order(piece.forms, filters, notation)


def _check_order(forms: tuple[Shape, ...], filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    for index, later in enumerate(forms):
        for earlier in forms[:index]:
            if not _list_fields(earlier) <= _list_fields(later) or not _list_fields(earlier):
                continue
            if _describe_json(earlier, filters) == _describe_json(later, filters):
                message = "this form is never written or read: one before it takes the same values"
                notation.report(
                    later.span, "never-written", message, f"it stands at {_describe_place(earlier)}"
                )
                break
            narrow = _find_narrow_filter(earlier, filters)
            if narrow is not None:
                message = f"{quote(narrow)} takes some values only, and this form would take the others"
                notation.report(
                    later.span, "never-written", message, f"write it before {_describe_place(earlier)}"
                )
                break


def _describe_place(form: Shape) -> str:
    return f"{form.span.file}:{form.span.line}:{form.span.column}"


def _list_fields(form: Shape) -> set[tuple[str, ...]]:
    """Return the fields that must be given for a form to be written; a guard takes only some values."""
    if any(hole.read_only or hole.guard is not None for hole in form.holes):
        return set()
    return {hole.path for hole in form.required_holes}


def _find_narrow_filter(form: Shape, filters: Mapping[str, ShapeFilter]) -> str | None:
    """Return the filter of a form that takes only some values of its field."""
    names = [filter_.name for hole in form.required_holes for filter_ in hole.filters]
    return next((name for name in names if name in filters and filters[name].narrow), None)


def _describe_json(form: Shape, filters: Mapping[str, ShapeFilter]) -> object:
    """Return a key for the JSON of a form; of two forms with equal keys, reading always takes the first."""
    match form:
        case ConstantShape(value=value):
            return type(value), value
        case Tolerated(values=values):
            return "one of", values
        case Hole(filters=()):
            return "value", form.path, form.listed
        case Hole():
            last = filters.get(form.filters[-1].name)
            looks = last.result if last is not None else "any"
            return (looks, form.path) if looks == "any" else looks
        case Interpolation(texts=texts):
            return "text", texts
        case Listing(items=shapes):
            return "list", tuple([_describe_json(element, filters) for element in shapes])
        case Object():
            keys = [
                (entry.key, entry.optional, _describe_json(entry.shape, filters)) for entry in form.fields
            ]
            return "object", tuple(keys), form.extra_keys is not None
        case Alternatives(forms=shapes):
            return "or", tuple([_describe_json(alternative, filters) for alternative in shapes])


# types that may be objects; vendor options have no type
_WITH_KEYS = (None, "object", "json", "arguments")


def check_extra_keys(shape: Shape, kind: Kind | None, notation: Notation) -> None:
    """Reject `...` with a field that is never an object; `kind` is None for the request."""
    for rest in _find_extra_keys(shape):
        type_name = get_type(rest, kind)
        if rest.path != UNPARSED and type_name not in (*_WITH_KEYS, *UNIONS):
            message = f"{quote('$' + rest.name)} is {type_name}, which has no keys to stand among others"
            notation.report(rest.span, "bad-rest", message, f"give it a key of its own: key: ${rest.name}")


def check_option_keys(shape: Shape, notation: Notation) -> None:
    """Reject a key that is nearly the name of the vendor option it holds: one of the two is misspelt."""
    for entry in [entry for piece in shape.pieces if isinstance(piece, Object) for entry in piece.fields]:
        hole = entry.shape
        if not isinstance(hole, Hole) or hole.path[0] != "vendor" or len(hole.path) != 2:
            continue
        option = hole.path[1]
        is_same = _strip_separators(entry.key) == _strip_separators(option)
        if not is_same and is_misspelling(entry.key, option):
            message = f"the key {quote(entry.key)} holds ${hole.name}, which is spelled otherwise"
            notation.report(
                entry.span, "near-name", message, f"write {option}?: ${hole.name}, or name both alike"
            )


def _strip_separators(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def check_whole_value(key: Scalar, shape: Shape, notation: Notation) -> None:
    """Reject a number as the whole shape of a part or union, because the fields of the node would be lost."""
    if (
        isinstance(shape, ConstantShape)
        and isinstance(shape.value, (int, float))
        and not isinstance(shape.value, bool)
    ):
        message = f"the shape of {quote(str(key.value))} is the number {shape.value}"
        notation.report(
            shape.span, "bad-shape", message, "write the JSON of the API: an object, a text or a word"
        )


def check_spread(
    body: Shape, unions: Mapping[str, Sequence[Variant]], broken: Collection[str], notation: Notation
) -> None:
    """Reject union shapes that are not objects where the body merges them into its keys."""
    for rest in _find_extra_keys(body):
        for variant in unions.get(rest.name, ()):
            if f"{variant.union}.{variant.key}" not in broken and not _has_keys(variant.shape, variant.kind):
                message = f"{quote(variant.key)} must be a mapping: its keys stand among others"
                hint = f"...: ${rest.name} is at {_locate(rest.span)}"
                notation.report(variant.shape.span, "bad-rest", message, hint)


def _find_extra_keys(shape: Shape) -> Iterator[Hole]:
    return (
        piece.extra_keys
        for piece in shape.pieces
        if isinstance(piece, Object) and isinstance(piece.extra_keys, Hole)
    )


def _has_keys(shape: Shape, kind: Kind) -> bool:
    if isinstance(shape, Alternatives):
        return all(_has_keys(form, kind) for form in shape.forms)
    return isinstance(shape, Object) or (isinstance(shape, Hole) and get_type(shape, kind) in _WITH_KEYS)


def _locate(span: Span) -> str:
    return f"{span.file}:{span.line}"
