"""The frozen dataclasses of the neutral model, made without work at import.

To type checkers `dataclass`, `field`, `fields` and `replace` are those of the standard library. Here, a class becomes
a list of its fields and nothing else: its constructor is compiled when its first value is made, comparison, hash and
repr are shared, and what the `dataclasses` module itself wants to know is answered when it asks. Forty classes would
otherwise cost more to import than everything else together.
"""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import dataclass, field, fields, replace
    from typing import Any, TypeGuard

__all__ = ["Node", "NodeType", "dataclass", "field", "fields", "is_node", "least_of", "replace"]
_set = object.__setattr__
_MISSING: Any = object()
_FIELDS: dict[type, tuple[NodeField, ...]] = {}
_COMPARED: dict[type, Callable[[Any], Any]] = {}
_AS_DATACLASS: dict[type, dict[str, Any]] = {}
# by annotation, how a constructor sees at once that a value may not fit
_UNLIKE = {
    "str": "_class({0}) is not str",
    "str | None": "{0} is not None and _class({0}) is not str",
    "int": "_class({0}) is not int",
    "int | None": "{0} is not None and _class({0}) is not int",
    "float | None": "{0} is not None and (_class({0}) is not float and _class({0}) is not int or {0} - {0} != 0)",
    "bool | None": "{0} is not None and {0} is not True and {0} is not False",
    "JsonObject | None": "{0} is not None and _class({0}) is not dict",
    "JsonObject | str": "_class({0}) is not dict and _class({0}) is not str",
    "JsonObject | str | None": "{0} is not None and _class({0}) is not dict and _class({0}) is not str",
    "Mapping[str, float] | None": "{0} is not None and (_class({0}) is not dict or _odd({0}.values()))",
    "Mapping[str, str] | None": "{0} is not None and (_class({0}) is not dict or _other(str, {0}, {0}.values()))",
    "PerWire | None": "{0} is not None and (_class({0}) is not dict or _other(str, {0}) or _other(dict, {0}.values()))",
}


class NodeField:
    """One field: its name, its default or what makes one, and what it takes part in."""

    __slots__ = ("annotation", "compare", "default", "default_factory", "init", "kw_only", "name", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002  # as dataclasses.field names it
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name = ""
        self.annotation = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only


class _Fields:
    """What `dataclasses.fields`, `replace` and `asdict` look for, made when they do."""

    def __get__(self, node: object, cls: type) -> dict[str, Any]:
        return _AS_DATACLASS.get(cls) or self._find(cls)

    @staticmethod
    def _find(node_class: type) -> dict[str, Any]:
        import dataclasses

        rows: list[tuple[str, Any, Any]] = []
        annotations = {
            name: kind for base in reversed(node_class.__mro__) for name, kind in _annotations(base)
        }
        for each in _FIELDS[node_class]:
            given = {"default": each.default, "default_factory": each.default_factory}
            kept = {name: value for name, value in given.items() if value is not _MISSING}
            made: Any = dataclasses.field(
                init=each.init, repr=each.repr, compare=each.compare, kw_only=each.kw_only, **kept
            )
            rows.append((each.name, annotations[each.name], made))
        whole: Any = dataclasses.make_dataclass(node_class.__name__, rows, frozen=True)
        found: dict[str, Any] = whole.__dataclass_fields__
        _AS_DATACLASS[node_class] = found
        return found


def _annotations(cls: type) -> list[tuple[str, Any]]:
    return list(vars(cls).get("__annotations__", {}).items())


def _first_call(self: Any, *args: Any, **kwargs: Any) -> None:
    _complete(type(self))
    self.__init__(*args, **kwargs)


def _complete(cls: Any) -> None:
    cls.__init__ = _constructor(cls)


class NodeType(type):
    """The class of node classes: annotated names become slots and fields."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> NodeType:
        """Make the class with its list of fields."""
        found: dict[str, NodeField] = {}
        for base in bases:
            found.update({each.name: each for each in _FIELDS.get(base, ())})
        own: dict[str, NodeField] = {}
        for key, annotation in namespace.get("__annotations__", {}).items():
            if annotation.startswith("ClassVar"):
                continue
            given = namespace.pop(key, _MISSING)
            each = given if isinstance(given, NodeField) else NodeField(default=given)
            each.name = key
            each.annotation = annotation
            own[key] = each
        namespace["__slots__"] = tuple([key for key in own if key not in found])
        namespace.setdefault("__init__", _first_call)
        made = super().__new__(cls, name, bases, namespace)
        _FIELDS[made] = tuple((found | own).values())
        return made


class Node(metaclass=NodeType):
    """Base of all nodes: compared, hashed and shown by their fields, and never changed."""

    if not TYPE_CHECKING:  # type checkers know frozen dataclasses
        __dataclass_fields__ = _Fields()

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse: nodes are frozen."""
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            """Refuse: nodes are frozen."""
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Compare by class and fields."""
        cls = type(self)
        if cls is not type(other):
            return NotImplemented
        getter = _COMPARED.get(cls) or _compared(cls)
        return bool(getter(self) == getter(other))

    def __hash__(self) -> int:
        """Hash by fields; a node that holds a dict or list has no hash."""
        cls = type(self)
        return hash((cls, (_COMPARED.get(cls) or _compared(cls))(self)))

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        shown = [
            f"{each.name}={value!r}"
            for each in _FIELDS[type(self)]
            if each.repr and (value := getattr(self, each.name)) != each.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __getstate__(self) -> dict[str, Any]:
        """Give all fields, for copies and pickles."""
        return {each.name: getattr(self, each.name) for each in _FIELDS[type(self)]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take all fields back."""
        for name, value in state.items():
            _set(self, name, value)


def is_node(value: object) -> TypeGuard[Any]:
    """Tell whether a value is a node."""
    return isinstance(value, Node)


if not TYPE_CHECKING:
    field = NodeField

    def dataclass(*, kw_only: bool = False, **_: bool) -> Callable[[type], type]:
        """Complete a node class: its own fields are keyword-only where the class says so."""

        def complete(cls: type) -> type:
            if kw_only:
                for each in _FIELDS[cls]:
                    if each.name in cls.__annotations__:
                        each.kw_only = True
            cls.__match_args__ = tuple([each.name for each in _FIELDS[cls] if each.init and not each.kw_only])
            return cls

        return complete

    def fields(node: object) -> tuple[NodeField, ...]:
        """List the fields of a node or of its class."""
        return _FIELDS[node if isinstance(node, type) else type(node)]

    def replace(node: Any, /, **changes: Any) -> Any:
        """Make a node like this one, but for some fields."""
        for each in _FIELDS[type(node)]:
            if each.init and each.name not in changes:
                changes[each.name] = getattr(node, each.name)
        return type(node)(**changes)


def _compared(cls: type[Any]) -> Callable[[Any], Any]:
    from operator import attrgetter

    getter = attrgetter(*(each.name for each in _FIELDS[cls] if each.compare))
    _COMPARED[cls] = getter
    return getter


def optional_names(cls: Any) -> list[str]:
    """List the fields whose default is None, and without which a node is plain: no wire writes `provenance`.

    A class may name more fields that builders look at in any case, in `LOOKED_AT`.
    """
    looked_at: frozenset[str] = getattr(cls, "LOOKED_AT", frozenset())
    return [
        each.name
        for each in _FIELDS[cls]
        if each.init and each.default is None and each.name != "provenance" and each.name not in looked_at
    ]


def least_of(cls: Any, name: str) -> int | None:
    """Give the least number that a field takes, where its class says so in `LEAST`."""
    rows: tuple[tuple[str, int], ...] = getattr(cls, "LEAST", ())
    return dict(rows).get(name)


def _other(kind: type, *several: Iterable[Any]) -> bool:
    """Tell whether any of these is not of a class."""
    return any(type(value) is not kind for values in several for value in values)


def _odd(values: Iterable[Any]) -> bool:
    """Tell whether any of these may be no number of JSON; a difference of infinities is none."""
    return _other(float, [value for value in values if type(value) is not int]) or any(
        v - v != 0 for v in values
    )


def _checks(cls: Any, each: NodeField) -> list[str]:
    """Lines that look at what a constructor was given for a field."""
    unlike = _UNLIKE.get(each.annotation) if each.init else None
    if unlike is None:
        return []
    least = least_of(cls, each.name)
    if least is not None:
        unlike = unlike.replace("_class({0}) is not int", f"(_class({{0}}) is not int or {{0}} < {least})")
    given = "" if each.default_factory is _MISSING else f"{each.name} is not _set and "
    return [f"    if {given}{unlike.format(each.name)}: _check(self, {each.name!r}, {each.name})"]


def _check(node: object, name: str, value: object) -> None:
    from .type_errors import check_field

    check_field(node, name, value, least_of(type(node), name))


def _taken(each: NodeField, scope: dict[str, Any]) -> tuple[str, str]:
    """How a constructor takes a field, and what it keeps; empty where the class finds that out itself."""
    if each.default is not _MISSING:
        scope[f"_default_{each.name}"] = each.default
        return f"{each.name}=_default_{each.name}", each.name if each.init else f"_default_{each.name}"
    if not each.init:
        return "", ""
    if each.default_factory is _MISSING:
        return each.name, each.name
    scope[f"_make_{each.name}"] = each.default_factory
    # no caller can mean this function
    return f"{each.name}=_set", f"_make_{each.name}() if {each.name} is _set else {each.name}"


def _constructor(cls: Any) -> Callable[..., None]:
    """Compile `__init__` from the fields: positional ones first, keyword-only ones after them.

    It checks scalars and mappings, which builders write as they are; other values fail where they are looked into.
    Where the class has a field `plain`, it notes whether every optional field is absent.
    """
    # a field may be named type
    scope: dict[str, Any] = {"_set": _set, "_check": _check, "_class": type, "_odd": _odd, "_other": _other}
    positional: list[str] = ["self"]
    named: list[str] = []
    body: list[str] = []
    for each in _FIELDS[cls]:
        shown, value = _taken(each, scope)
        # what sets one slot does so sooner than what sets any
        scope[f"_set_{each.name}"] = getattr(cls, each.name).__set__
        if each.init:
            (named if each.kw_only else positional).append(shown)
        if value:
            body += [*_checks(cls, each), f"    _set_{each.name}(self, {value})"]
        elif each.name == "plain":
            absent = " and ".join([f"{name} is None" for name in optional_names(cls)])
            body.append(f"    _set_plain(self, {absent or True})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    arguments = ", ".join(positional + (["*", *named] if named else []))
    lines = body or ["    pass"]
    exec(f"def __init__({arguments}):\n" + "\n".join(lines), scope)  # noqa: S102  # field names of our own classes
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
