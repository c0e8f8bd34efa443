"""The optional keys of an object: for each what must be given, where its value goes, and what is reported otherwise.

`macros/keys.j2` lays them out, one macro a class; `form` names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, TypeVar

from ...model.body_model import SPREAD_KEY
from ...spec.shapes import Alternatives, Hole, KeyShape, Object, Shape
from ...spec.walks import required_choices
from ..conditions import is_given
from ..field_access import FieldAccess
from ..python import Expression, call, item, literal, name, word_of
from .reports import ReportCall, lost_to_another
from .values import differ, filled, object_of, value_of

KeyT = TypeVar("KeyT")
_MAY_BE_NONE = {"tool_choice", "response_format", "reasoning"}


@dataclass(frozen=True, slots=True)
class ValueKey:
    """`if given: target = value`, with tests of its limits below, and reports of what is lost where it is not."""

    given: Expression | None
    target: Expression
    value: Expression
    otherwise: tuple[ReportCall, ...] = ()
    limits: tuple[ReportCall, ...] = ()
    form: ClassVar[str] = "value"


@dataclass(frozen=True, slots=True)
class CopiedOptions:
    """`copy_options(vendor, target, "name name")`: options of this API under keys of their own names.

    A single one is tested and copied in place, which is faster in the functions that write parts.
    """

    target: Expression
    names: tuple[str, ...]
    form: ClassVar[str] = "copied"


@dataclass(frozen=True, slots=True)
class NodeKey:
    """A node whose writer may give nothing: its JSON is held in a variable, and written where `written` holds."""

    given: Expression | None
    variable: str
    value: Expression
    written: Expression
    target: Expression
    form: ClassVar[str] = "node"


@dataclass(frozen=True, slots=True)
class FormBranch:
    """One form of a key with several: where it is filled it is written, and what only others could carry is lost."""

    test: Expression | None
    value: Expression
    lost: tuple[ReportCall, ...]


@dataclass(frozen=True, slots=True)
class ChoiceKey:
    """The first form that is filled; the last may need no test."""

    target: Expression
    branches: tuple[FormBranch, ...]
    otherwise: tuple[ReportCall, ...] = ()
    form: ClassVar[str] = "choice"


@dataclass(frozen=True, slots=True)
class ObjectKey:
    """An object whose required keys are given, and its own optional keys."""

    given: Expression | None
    target: Expression
    value: Expression
    keys: tuple[Key, ...]
    otherwise: tuple[ReportCall, ...] = ()
    form: ClassVar[str] = "object"


@dataclass(frozen=True, slots=True)
class GatheredKey:
    """An object that is written only if one of its optional keys is."""

    variable: str
    keys: tuple[Key, ...]
    target: Expression
    value: Expression
    form: ClassVar[str] = "gathered"


@dataclass(frozen=True, slots=True)
class Spread:
    """Keys of a free object, or of a node's JSON that is held in `variable`, beside the named ones."""

    given: Expression
    spread: Expression
    variable: str = ""
    value: Expression | None = None
    missing: Expression | None = None
    form: ClassVar[str] = "spread"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an option that some shape writes, tested behind it."""

    given: Expression
    limits: tuple[ReportCall, ...]
    form: ClassVar[str] = "limits"


Key: TypeAlias = "ValueKey | CopiedOptions | NodeKey | ChoiceKey | ObjectKey | GatheredKey | Spread | Limits"


def complete(shape: Object, target: Expression, access: FieldAccess) -> tuple[Key, ...]:
    """Return the optional keys of an object, also inside its required objects, and its rest."""
    keys: list[Key] = []
    for entry in shape.fields:
        if entry.optional:
            keys += optional_key(entry, target, access)
        elif isinstance(entry.shape, Object):
            keys += complete(entry.shape, item(target, entry.key), access)
    if shape.extra_keys is not None:
        keys.append(spread(shape.extra_keys, target, access))
    return joined_copies(keys)


def joined_copies(keys: Iterable[KeyT]) -> tuple[KeyT | CopiedOptions, ...]:
    """Join neighbouring options that are copied into the same object."""
    joined: list[KeyT | CopiedOptions] = []
    for key in keys:
        last = joined[-1] if joined else None
        if isinstance(key, CopiedOptions) and isinstance(last, CopiedOptions) and key.target == last.target:
            joined[-1] = replace(last, names=(*last.names, *key.names))
        else:
            joined.append(key)
    return tuple(joined)


def optional_key(entry: KeyShape, target: Expression, access: FieldAccess) -> tuple[Key, ...]:
    """Return one optional key; a key that is only read has nothing to write."""
    shape = entry.shape
    if not shape.written_holes:
        return ()
    if isinstance(shape, Hole) and entry.key == SPREAD_KEY:
        return (spread(shape, target, access),)
    key = item(target, entry.key)
    if isinstance(shape, Object):
        return _object(entry, shape, key, access)
    if isinstance(shape, Alternatives) and differ(shape):
        return (_choice(shape, key, access),)
    if isinstance(shape, Hole) and _may_be_nothing(shape, access):
        variable = f"{shape.path[0]}_json"
        value = name(variable)
        is_there = is_given(value) if access.type_of(shape) in _MAY_BE_NONE else value
        return (NodeKey(access.given(shape), variable, access.written(shape), is_there, key),)
    if is_copied(entry):
        return (CopiedOptions(target, (entry.key,)),)
    test = filled(shape, access)
    otherwise = () if test is None else _unfilled(shape, access)
    return (ValueKey(test, key, value_of(shape, access), otherwise),)


def is_copied(entry: KeyShape) -> bool:
    """Return whether a key holds the option of this API that has its name, as it is given."""
    hole = entry.shape
    if not isinstance(hole, Hole) or hole.path != ("vendor", entry.key):
        return False
    return not (hole.read_only or hole.filters or hole.listed) and hole.guard is None


def _may_be_nothing(hole: Hole, access: FieldAccess) -> bool:
    """Return whether the value of a hole may become nothing on this wire."""
    kind = access.type_of(hole)
    if kind in _MAY_BE_NONE:
        return not hole.filters
    return kind == "tools" or (kind == "parts" and hole.listed and not hole.filters)


def _choice(shape: Alternatives, key: Expression, access: FieldAccess) -> ChoiceKey:
    branches: list[FormBranch] = []
    forms = [form for form in shape.forms if form.written_holes]
    for index, form in enumerate(forms):
        test = filled(form, access)
        own = {hole.path for hole in form.written_holes}
        # an earlier form with one unrestricted hole must be empty here
        rest = [other for other in forms[:index] if not _takes_any(other)] + forms[index + 1 :]
        others = {hole.path: hole for other in rest for hole in other.written_holes if hole.path not in own}
        branches.append(FormBranch(test, value_of(form, access), lost_to_another(others.values(), access)))
        if test is None:
            return ChoiceKey(key, tuple(branches))
    return ChoiceKey(key, tuple(branches), _unfilled(shape, access))


def _takes_any(form: Shape) -> bool:
    """Return whether a form is written whenever its one value is given."""
    holes = form.written_holes
    return len(holes) == 1 and holes[0].guard is None


def _object(entry: KeyShape, shape: Object, key: Expression, access: FieldAccess) -> tuple[Key, ...]:
    test = filled(shape, access)
    if test is not None or not _has_optional(shape):
        otherwise = () if test is None else _unfilled(shape, access)
        return (ObjectKey(test, key, object_of(shape, access), complete(shape, key, access), otherwise),)
    variable = f"{word_of(entry.key)}_json"
    value = object_of(shape, access, name(variable)) if shape.required else name(variable)
    return (GatheredKey(variable, complete(shape, name(variable), access), key, value),)


def _has_optional(shape: Object) -> bool:
    rest = shape.extra_keys is not None and not shape.extra_keys.read_only
    return rest or any(entry.optional and entry.shape.written_holes for entry in shape.fields)


def _unfilled(shape: Shape, access: FieldAccess) -> tuple[ReportCall, ...]:
    """Return the reports for an optional shape that lacks a value it requires."""
    holes = {hole.path: hole for hole in shape.written_holes if access.given(hole) is not None}
    if len(holes) < 2:
        return _refused(shape, access)
    names = " and ".join(
        dict.fromkeys(hole.name for hole in shape.required_holes if access.given(hole) is not None)
    )
    why = f"it is written together with {names}" if names else "no form of its key takes it as it is"
    alone = _alone(shape)
    return tuple(
        [
            ReportCall(
                access.given(hole), call("build.lost", name(access.subject), access.field(hole), literal(why))
            )
            for path, hole in holes.items()
            if path not in alone
        ]
    )


def _refused(shape: Shape, access: FieldAccess) -> tuple[ReportCall, ...]:
    """Values that the guards of an optional shape do not take."""
    guarded = {hole.path: hole for hole in shape.written_holes if hole.guard is not None and not hole.fixed}
    reports: list[ReportCall] = []
    for hole in guarded.values():
        why = f"it must match {', '.join(str(hole.guard).split('|'))} for this API"
        report = call("build.lost", name(access.subject), access.field(hole), literal(why))
        reports.append(ReportCall(access.given(hole), report))
    return tuple(reports)


def _alone(shape: Shape) -> set[tuple[str, ...]]:
    """Return the values that are enough for some form of a shape."""
    paths: set[tuple[str, ...]] = set()
    for form in shape.forms if isinstance(shape, Alternatives) else ():
        needs = {hole.path for hole in form.required_holes}
        guarded = any(hole.guard is not None for hole in form.required_holes)
        if len(needs) == 1 and not guarded and not list(required_choices(form)):
            paths |= needs
    return paths


def spread(rest: Hole, target: Expression, access: FieldAccess) -> Spread:
    """Return the keys of a free object, or of a node, that stand among the others of `target`."""
    value, node, is_there = access.value(rest), name(access.subject), access.given(rest)
    if access.type_of(rest) in _MAY_BE_NONE:
        # not `_json`, which may be the name of the surrounding object
        variable = f"{rest.path[0]}_rest"
        assert is_there is not None
        return Spread(
            is_there, call("build.spread", target, name(variable), node), variable, access.written(rest)
        )
    if rest.path[0] == "vendor":
        assert is_there is not None
        return Spread(is_there, call("build.spread", target, value, node, literal(rest.path[1])))
    merged = call("build.spread", target, value, node)
    if access.kind is None or not access.kind.fields[rest.path[0]].always:
        return Spread(is_given(value), merged)
    return Spread(is_given(value), merged, missing=call("build.missing", node, literal(rest.name)))
