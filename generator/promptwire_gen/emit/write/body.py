"""The writers of a body, in the order of the spec's keys, and the table of request fields without a key.

The keys that most requests leave out have functions of their own, a page of them each. A dialect keeps its parent's
pages. A page of the parent serves a dialect that lacks some of its options of the API: options that a wire does not
know are never passed to a page, so what the page has for them is never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS, DOTTED, OPTIONS, REQUEST
from ...model.rules import list_conditions_inside, list_conditions_on_tools
from ...model.transport import names_model
from ...model.wire import WireModel
from ...spec.shapes import Alternatives, Hole, KeyShape, Object, Shape
from ...spec.wire_rules import IN_MESSAGES
from ..docs import make_body_doc, print_shape
from ..field_holder import SETTINGS, FieldHolder
from ..literals import make_identifier
from .node import read_only_options
from .plain_messages import PlainText, ShownParts
from .rule_facts import list_rejected, means_one


@dataclass(frozen=True)
class BodyEntry:
    """A key of the body, with the variables that it needs; `page` writes it at length."""

    key: KeyShape
    page: BodyPage | None = None

    @property
    def variables(self) -> list[str]:
        """The variables that the key needs."""
        return list_variables([self.key])


@dataclass(frozen=True)
class BodyWriter:
    """The function that writes the body.

    Attributes:
        texts: The one message of a conversation, where that is one text of the user or the assistant.
        shown: The same, where it is texts and images of the user.
    """

    wire: WireModel
    texts: Sequence[PlainText]
    shown: ShownParts | None

    @property
    def doc(self) -> str:
        """Return the docstring of the function."""
        return make_body_doc("Write the whole body", self.wire)

    @cached_property
    def required(self) -> list[KeyShape]:
        """The keys without holes, which every body has."""
        body = self.wire.body
        return [
            entry
            for entry in body.shape.required
            if entry is not body.messages and not entry.shape.written_holes
        ]

    @cached_property
    def late(self) -> list[KeyShape]:
        """Keys of settings that may change while messages are written."""
        rules = [
            rule for rule in self.wire.rules if list_conditions_inside(rule) or list_conditions_on_tools(rule)
        ]
        added = {setting for rule in rules for setting in rule.add}
        return [
            entry
            for entry in self.wire.body.shape.fields
            if any(hole.path[0] == "settings" and hole.path[1] in added for hole in entry.shape.holes)
        ]

    @cached_property
    def entries(self) -> list[BodyEntry]:
        """The keys that most requests have; an object with many rarely used keys gets a function of its own."""
        body = self.wire.body
        placed = [entry for entry in body.shape.fields if entry.is_place]
        away = (*self.required, *list_rare_keys(self.wire), *self.late, body.messages, *placed)
        return [_make_entry(entry) for entry in body.entries if entry not in away]

    @property
    def losses(self) -> list[tuple[str, str]]:
        """Fields of any request without a key, each with its report."""
        return list_common_losses(self.wire)

    @cached_property
    def pages(self) -> list[BodyPage]:
        """Return the functions that write the keys which most requests leave out."""
        return make_body_pages(self.wire)

    @property
    def moves(self) -> bool:
        """Return whether a rule moves values inside the body."""
        return any(not switches_key(*pair) for rule in self.wire.rules for pair in rule.rename.items())


def make_body_writer(wire: WireModel, texts: Sequence[PlainText], shown: ShownParts | None) -> BodyWriter:
    """Return the function; a conversation of one such message (`texts` or `shown`) has a fast path."""
    if not texts or may_refuse_one("messages", wire):
        return BodyWriter(wire, (), None)
    return BodyWriter(wire, texts, shown)


def _make_entry(entry: KeyShape) -> BodyEntry:
    common = _keep_common_keys(entry)
    return BodyEntry(entry) if common is None else BodyEntry(common, BodyPage([entry]))


def _keep_common_keys(entry: KeyShape) -> KeyShape | None:
    """Return an optional object with only the keys that most requests have.

    None if the object is required, holds required values, or has no other keys.
    """
    shape = entry.shape
    if not entry.optional or not isinstance(shape, Object) or shape.required_holes:
        return None
    fields = [field for field in shape.fields if not field.optional or _is_common(field)]
    if len(fields) == len(shape.fields) and shape.extra_keys is None:
        return None
    return replace(entry, shape=Object(tuple(fields), None, shape.span))


def _is_common(field: KeyShape) -> bool:
    return field.shape.heads <= COMMON_REQUEST_FIELDS | COMMON_OPTIONS


def switches_key(key: str, other: str) -> bool:
    """Return whether a rule renames a key of the body or of its messages, instead of moving a value inside it."""
    return key.startswith(IN_MESSAGES) or ("." not in key and "." not in other)


# fields of a request whose nodes may be absent
_NODES = ("tool_choice", "reasoning", "continuation")
# holes that one page function fills; twice as many for a dialect with keys of its own
_HOLES_OF_A_PAGE = 8


@dataclass(frozen=True)
class BodyPage:
    """The function that writes some of the keys which most requests leave out."""

    keys: Sequence[KeyShape]

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return f"write_keys_from_{make_identifier(self.keys[0].key)}"

    @property
    def doc(self) -> str:
        """Return the docstring of the function."""
        first, last = self.keys[0].key, self.keys[-1].key
        span = f"{first} to {last}"
        return f"Write the optional keys {span}." if first != last else f"Write the optional key {first}."

    @property
    def variables(self) -> list[str]:
        """The variables that the keys need."""
        return list_variables(self.keys, page=True)


def make_body_pages(wire: WireModel) -> list[BodyPage]:
    """Return the functions that write all such keys, in the order of the spec."""
    keys = list_rare_keys(wire)
    if wire.parent is None:
        return [BodyPage(page) for page in _split(keys, {}, _HOLES_OF_A_PAGE)]
    above = [page.keys for page in make_body_pages(wire.parent)]
    homes = {entry.key: index for index, page in enumerate(above) for entry in page}
    known = find_known_options(wire)
    alike = {_print_keys(_drop_unknown(page, known)): page for page in above}
    pages: list[BodyPage] = []
    for page in _split(keys, homes, 2 * _HOLES_OF_A_PAGE):
        whole = alike.get(_print_keys(page))
        # rules of the dialect may read more fields
        same = whole is not None and _list_limits(whole, wire) == _list_limits(whole, wire.parent)
        pages.append(BodyPage(whole if whole is not None and same else page))
    return pages


def _list_limits(page: Sequence[KeyShape], wire: WireModel) -> list[list[Limit]]:
    """Return the limits of all options that a page writes."""
    return [find_limits(option, wire) for entry in page for option in find_limited_options(entry.shape, wire)]


def _split(keys: Sequence[KeyShape], homes: dict[str, int], most: int) -> Iterator[list[KeyShape]]:
    """Split keys into runs of at most `most` holes. Keys of a parent's page stay together; new ones join them."""
    page: list[KeyShape] = []
    size = home = 0
    for entry in keys:
        # adjacent copied keys become one statement
        copied = bool(page) and entry.copied and page[-1].copied
        weight = 0 if copied else max(1, len(entry.shape.written_holes))
        moved = homes.get(entry.key, home) != home
        if page and (moved or size + weight > most):
            yield page
            page, size = [], 0
        home = homes.get(entry.key, home)
        page.append(entry)
        size += weight
    if page:
        yield page


def _drop_unknown(keys: Sequence[KeyShape], known: frozenset[str]) -> list[KeyShape]:
    """Return keys without optional ones, also inside objects, that hold only unknown options of the API."""
    rest: list[KeyShape] = []
    for entry in keys:
        paths = [hole.path for hole in entry.shape.holes]
        if entry.optional and paths and all(path[0] == "vendor" and path[1] not in known for path in paths):
            continue
        shape = entry.shape
        if isinstance(shape, Object):
            fields = tuple(_drop_unknown(shape.fields, known))
            entry = replace(entry, shape=Object(fields, shape.extra_keys, shape.span))  # noqa: PLW2901  # what is left of it
        rest.append(entry)
    return rest


def _print_keys(keys: Sequence[KeyShape]) -> str:
    return print_shape(Object(tuple(keys), None, keys[0].shape.span)) if keys else ""


def list_rare_keys(model: WireModel) -> list[KeyShape]:
    """Return the keys of a wire's body that most requests leave out."""
    common = COMMON_REQUEST_FIELDS | COMMON_OPTIONS | {"settings"}
    return [
        entry
        for entry in model.body.entries
        if entry.optional and entry.shape.heads and entry.shape.heads.isdisjoint(common)
    ]


def list_variables(entries: Sequence[KeyShape], *, page: bool = False) -> list[str]:
    """Return the variables that some keys read; `page` if a function of their own writes them."""
    heads = frozenset[str]().union(*[entry.shape.written_heads for entry in entries])
    options = ["options"] if page and heads & OPTIONS.keys() else []
    vendor = ["vendor"] if "vendor" in heads and not page else []
    return [*options, *[head for head in _NODES if head in heads], *vendor]


@dataclass(frozen=True, slots=True)
class BodyTable:
    """`BODY = BodyRow(options=..., fields=..., parts=..., alone=..., vendor=..., read_only=...)`.

    options    the options of a request that have a key
    fields     the other fields of a request that have none
    parts      of tool choice, reasoning and continuation: the fields without a key
    alone      those of them whose fields are written by shapes, where they have a mode or kind
    vendor     the options of this API that have a key
    read_only  options that only reading knows -> the keys that lead to each
    """

    options: Sequence[str]
    fields: Sequence[str]
    parts: Mapping[str, list[str]]
    alone: Sequence[str]
    vendor: Sequence[str]
    read_only: Mapping[str, tuple[str, ...]]


def make_body_table(model: WireModel) -> BodyTable:
    """Return the row of a wire's body."""
    body = model.body
    fields = [
        field
        for field in REQUEST
        if field not in body.carried and field not in COMMON_REQUEST_FIELDS and field not in DOTTED
    ]
    parts = {
        head: _find_fields_without_key(model, head, frozenset(kind.fields)) for head, kind in DOTTED.items()
    }
    return BodyTable(
        options=sorted(body.carried_options),
        fields=fields,
        parts={head: names for head, names in parts.items() if names or head in SETTINGS},
        alone=[head for head in DOTTED if head in body.carried_request],
        vendor=sorted(find_known_options(model)),
        read_only=read_only_options(body.shape),
    )


def find_known_options(model: WireModel) -> frozenset[str]:
    """Return the vendor options of the body: those it writes, and those that only reading knows."""
    holes = [hole.path for hole in model.body.shape.holes if len(hole.path) == 2]
    return model.body.vendor.union([name for head, name in holes if head == "vendor"])


def list_common_losses(model: WireModel) -> list[tuple[str, str]]:
    """Return the fields of any request that no key of this body can carry, each with its report."""
    body = model.body
    reports: list[tuple[str, str]] = []
    if "model" not in body.carried:
        reports.append(("model", "lost"))
    elif "model" in body.url_fields and not _requires_model(model):
        reports.append(("model", "missing"))
    placed = {"instructions"} if model.instructions.placement == "first_message" else set[str]()
    carried = body.carried_request | placed
    return reports + [(field, "lost") for field in ("tools", "instructions") if field not in carried]


def _requires_model(model: WireModel) -> bool:
    """Return whether a missing model is an error: the body requires it, or every form of the URL has it."""
    if any(hole.path == ("model",) for hole in model.body.shape.required_holes):
        return True
    return not all(names_model(form) for form in model.transport.url)


def _find_fields_without_key(model: WireModel, head: str, fields: frozenset[str]) -> list[str]:
    """Return the fields of tool choice, reasoning or continuation that are lost, where no shape writes them."""
    holes = [*find_unconditional_holes(model.body.shape), *_find_holes_beside_unions(model.body.shape)]
    always = {hole.path[1] for hole in holes if hole.path[0] == head and len(hole.path) == 2}
    if head == "continuation":
        always |= model.body.dotted[head]
    rest = sorted(fields - always - {"wire", "kind"})
    if head not in model.body.carried_request:
        return rest
    if head == "tool_choice":
        parallel = set[str]() if not _choice_writes_parallel(model) else {"parallel"}
        return [field for field in rest if field not in {"mode", *parallel}]
    return [field for field in rest if head == "reasoning" and field not in ("mode", "budget")]


def _choice_writes_parallel(model: WireModel) -> bool:
    return any(hole.path == ("tool_choice", "parallel") for hole in model.body.shape.holes)


def _find_holes_beside_unions(shape: Object) -> list[Hole]:
    """Return the holes of forms that are written where the union in their place has no kind."""
    choices = [entry.shape for entry in shape.fields if isinstance(entry.shape, Alternatives)]
    other_forms = [choice.forms[1:] for choice in choices if is_union(choice.forms[0])]
    return [hole for forms in other_forms for form in forms for hole in form.holes]


def find_unconditional_holes(shape: Shape) -> list[Hole]:
    """Return the holes that are written whenever they have a value, without holes of only one of several forms."""
    match shape:
        case Hole():
            return [] if shape.read_only else [shape]
        case Object():
            holes = [hole for entry in shape.fields for hole in find_unconditional_holes(entry.shape)]
            return holes + ([shape.extra_keys] if shape.extra_keys is not None else [])
        case Alternatives() if shape.differs and not any(is_union(form) for form in shape.forms):
            # the form that is written reports fields which only the other forms have
            return [hole for form in shape.forms for hole in find_unconditional_holes(form)]
        case Alternatives():
            return [
                hole for hole in find_unconditional_holes(shape.forms[0]) if len(hole.path) == 2
            ] or _find_shared_holes(shape)
        case _:
            return list(shape.holes)


def _find_shared_holes(shape: Alternatives) -> list[Hole]:
    """Return the holes that every form writes."""
    paths = [[hole.path for hole in find_unconditional_holes(form)] for form in shape.forms]
    shared = set(paths[0]).intersection(*paths[1:])
    return [hole for hole in find_unconditional_holes(shape.forms[0]) if hole.path in shared]


_UNIONS = (("tool_choice",), ("reasoning",), ("response_format",))


def split_around_tools(shape: Object) -> list[Object]:
    """Split an object after its tools if a tool choice follows, because a choice is lost with the last tool."""
    heads = [field.shape.heads for field in shape.fields]
    place = next((index + 1 for index, found in enumerate(heads) if "tools" in found), len(heads))
    if not any("tool_choice" in found for found in heads[place:]):
        return [shape]
    return [
        replace(shape, fields=shape.fields[:place], extra_keys=None),
        replace(shape, fields=shape.fields[place:]),
    ]


def drop_layers(shape: Object) -> Object:
    """Return the optional keys of an object of which another key holds the instructions."""
    fields = [
        field
        for field in shape.fields
        if field.optional and all(hole.path != ("instructions",) for hole in field.shape.holes)
    ]
    return replace(shape, fields=tuple(fields))


def find_holes_beside_union(choice: Alternatives) -> list[Hole]:
    """Return the holes of the other forms of a key that may hold a union."""
    union, *others = choice.forms
    assert isinstance(union, Hole)
    return [hole for form in others for hole in form.written_holes if hole.path[0] != union.path[0]]


def is_union(form: Shape) -> bool:
    """Return whether a shape is the hole of a union, whose node has shapes of its own."""
    return isinstance(form, Hole) and form.path in _UNIONS


def has_union(shape: Shape) -> bool:
    """Return whether one form of a value is a union."""
    return isinstance(shape, Alternatives) and any(map(is_union, shape.forms))


class Limit(NamedTuple):
    """A limit that rules set to an option: the path, and the narrowest number of each operator; none for any value."""

    path: str
    bounds: tuple[tuple[str, float], ...]


def find_limits(option: str, wire: WireModel) -> list[Limit]:
    """Return the narrowest limits of all rules about an option."""
    conditions = [each for each in list_rejected(wire) if each.head == option]
    inside = dict.fromkeys([each.path for each in conditions if each.tail in ("keys", "values")])
    found = [Limit(path, ()) for path in inside]
    numbers = [each for each in conditions if each.limit is not None and each.tail in ("", "count")]
    for path in dict.fromkeys([each.path for each in numbers]):
        # a float is compared with a float in half the time
        whole = (option in OPTIONS and OPTIONS[option].type == "int") or path != option
        bounds: dict[str, list[float]] = {}
        for each in numbers:
            if each.path == path and each.limit is not None:
                bounds.setdefault(each.operator, []).append(each.limit if whole else float(each.limit))
        narrowest = {sign: min(of) if sign[0] == ">" else max(of) for sign, of in bounds.items()}
        found.append(Limit(path, tuple(sorted(narrowest.items(), reverse=True))))
    return found


def find_limited_options(shape: Shape, wire: WireModel) -> list[str]:
    """Return the options that a shape writes and that have limits."""
    heads = dict.fromkeys([hole.path[0] for hole in shape.written_holes if hole.path[0] in OPTIONS])
    return [head for head in heads if find_limits(head, wire)]


def find_sole_option(shape: Shape, subject: FieldHolder) -> str | None:
    """Return the only option that decides whether a value is written, if rules limit that option."""
    if isinstance(shape, Object) or (isinstance(shape, Alternatives) and shape.differs):
        return None
    tests, limited = subject.list_tests(shape), find_limited_options(shape, subject.wire)
    given = [test.hole.path[0] for test in tests if test.how == "given" and test.hole is not None]
    sole = len(tests) == 1 and given == limited and not subject.find_unfilled(shape)
    return limited[0] if sole else None


def is_plain_option(hole: Hole) -> bool:
    """Return whether a hole holds an option unchanged, whatever its value."""
    return hole.path[0] in OPTIONS and not hole.filters and hole.guard is None


def may_refuse_one(option: str, wire: WireModel) -> bool:
    """Return whether a rule may refuse a list because it has one element."""
    counts = [each for each in list_rejected(wire) if each.head == option and each.tail == "count"]
    return any(map(means_one, counts))
