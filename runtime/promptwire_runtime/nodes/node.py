"""The base of the neutral model's classes, what lets a constructor fill a frozen node, and form memory on demand."""

from __future__ import annotations

from ..errors import AnswerError
from ..typed import TYPE_CHECKING, dataclass_transform
from ..wire_json.kinds import class_of, is_object
from .record_fields import fields_of
from .records import LightRecord, replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class ToolCallMixin:
    """The methods of a tool call."""

    __slots__ = ()

    @property
    def parsed_arguments(self) -> dict[str, Any]:
        """Return the arguments as an object; empty text means no arguments.

        Raises:
            AnswerError: the arguments are text that is not a JSON object.
        """
        from ..wire_json.characters import whole_value_of

        call: Any = self
        raw_arguments = call.arguments
        if class_of(raw_arguments) is not str:
            arguments: dict[str, Any] = raw_arguments
            return arguments
        try:
            value: Any = whole_value_of(raw_arguments) if raw_arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise _not_an_object(call, f"not valid JSON: {error}") from None
        if not is_object(value):
            raise _not_an_object(call, "not a JSON object")
        return value

    @property
    def data(self) -> dict[str, Any]:
        """Return `parsed_arguments`, under its old name."""
        from ..moved_names import warn_deprecated

        warn_deprecated("ToolCall.data is now ToolCall.parsed_arguments")
        return self.parsed_arguments


class CustomToolCallMixin:
    """The methods of a call whose argument is free text."""

    __slots__ = ()

    @property
    def parsed_arguments(self) -> dict[str, Any]:
        """Return the text as an object with the one key `input`, so that every call can be run in the same way."""
        call: Any = self
        return {"input": call.input}


def _not_an_object(call: Any, why: str) -> AnswerError:
    name = call.name if call.id is None else f"{call.name} ({call.id})"
    text = call.arguments if len(call.arguments) <= 200 else f"{call.arguments[:200]}..."
    return AnswerError(f"the arguments of {name} are {why}: {text!r}")


# in a signature: a dict that every node makes for itself
NO_ITEMS: dict[str, Any] = {}
_set = object.__setattr__
_delete = object.__delattr__
# `set_class(node, cls)`: from now on, the node is of a class that has the same slots
set_class: Callable[[Any, type], None] = vars(object)["__class__"].__set__

# `new_node(cls)`: a node of the class that a constructor fills, without a value yet
new_node: Callable[[type], Any] = object.__new__


@dataclass_transform(frozen_default=True, eq_default=False)
class Node(LightRecord):
    """Base of all nodes. Builders know the classes that there are; one below them has slots and a constructor.

    A node that was read may have a `kept` that is derived when it is first asked for: until then, that slot is empty,
    and `derivation` holds the function that derives the memory of the node.
    """

    # no annotation, so that it is not a field
    __slots__ = ("derivation",)

    if not TYPE_CHECKING:  # each class declares its own, with the types that its constructor takes

        def replace(self, **changes: Any) -> Node:
            """Return a copy of the node with some fields changed. The arguments are the constructor's, by name."""
            return replace(self, **changes)

    def __init_subclass__(cls) -> None:
        """Refuse a class without slots: the constructor that it inherits makes no values of it."""
        if "__slots__" not in vars(cls):
            raise TypeError(
                f"{cls.__name__} cannot extend {cls.__mro__[1].__name__}: builders know no more nodes"
            )
        if "kept" in vars(cls):
            made: Any = cls
            made.kept = _Memory(vars(cls)["kept"])


class _Memory:
    """The attribute `kept` of a class: its slot, or what is derived where that is empty.

    `__getattr__` would say the same, and make each other attribute of a node slower to read.
    """

    __slots__ = ("read", "slot")

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.read = slot.__get__

    def __get__(self, node: Any, cls: type | None = None) -> Any:
        """Return the memory of a node; the slot itself, of a class."""
        if node is None:
            return self.slot
        try:
            return self.read(node)
        except AttributeError:
            pass
        derive = node.derivation
        # another thread may have derived it
        if derive is not None:
            self.slot.__set__(node, derive(node))
            _set(node, "derivation", None)
        return self.read(node)

    def __set__(self, node: Any, kept: Any) -> None:
        """Fill the slot."""
        self.slot.__set__(node, kept)

    def __delete__(self, node: Any) -> None:
        """Empty the slot."""
        self.slot.__delete__(node)


def mutable_twin(cls: Any) -> Any:
    """Return the class of a node while its constructor fills it: its fields can be set in the fastest way."""
    own = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    twin: Any = type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__, **own})
    if hasattr(cls, "kept"):
        twin.kept = cls.kept
    return twin


def is_deferred(node: Any) -> bool:
    """Return whether the form memory of a node is derived when it is first asked for, or was derived so."""
    try:
        _derivation(node)
    except (AttributeError, TypeError):  # the slot is empty, or it is another record
        return False
    return True


def may_remember(node: Any) -> bool:
    """Return whether a node has form memory, or may have some that is not derived yet."""
    try:
        return class_of(node).kept.__get__(node) is not None
    except AttributeError:  # the slot is empty: the memory is derived when it is asked for
        return True


def defer_memory(node: Any, derive: Callable[[Any], Any]) -> Any:
    """Derive the memory of a new node when it is first read; `derive` takes the node.

    Until then, builders treat the node as one with memory.
    """
    _delete(node, "kept")
    _set(node, "derivation", derive)
    for flag, value in _FLAGS.get(class_of(node)) or _flags(class_of(node)):
        _set(node, flag, node.given | {"kept"} if value is None else value)
    return node


def with_memory(node: Any, kept: Any) -> Any:
    """Store a memory on a new node."""
    _set(node, "kept", kept)
    for flag, value in _FLAGS.get(class_of(node)) or _flags(class_of(node)):
        _set(node, flag, node.given | {"kept"} if value is None else value)
    return node


def changed(node: Any, cls: type | None = None, **fields: Any) -> Any:
    """Return a copy of a node that was just read with some fields changed and the same memory.

    Args:
        node: The node.
        cls: The class of the new node, if it has another; then `fields` are all its fields but the memory.
        fields: The fields that differ.
    """
    if not is_deferred(node):
        if cls is None:
            return replace(node, **fields)
        return cls(**fields, kept=node.kept)
    if cls is None:
        cls = class_of(node)
        others = [field.name for field in fields_of(cls) if field.init and field.name != "kept"]
        fields = {name: getattr(node, name) for name in others} | fields
    return defer_memory(cls(**fields), lambda _: node.kept)


_derivation: Callable[[Any], Callable[[Any], Any] | None] = vars(Node)["derivation"].__get__
# class -> the flags of a node that may remember something; None where `kept` is added to the names of given fields
_FLAGS: dict[type, tuple[tuple[str, Any], ...]] = {}


def _flags(cls: type) -> tuple[tuple[str, Any], ...]:
    known = (("is_plain", False), ("fast_path", ""), ("given", None))
    flags = _FLAGS[cls] = tuple([flag for flag in known if hasattr(cls, flag[0])])
    return flags
