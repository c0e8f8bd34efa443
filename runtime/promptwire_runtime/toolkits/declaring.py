"""A class as a toolkit: its marked methods are the functions, its attributes may say the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import Parameter, getdoc, signature
from typing import Any, TypeAlias, TypeVar, overload

from ..errors import InvalidRequest
from ..nodes.checks import CheckedRecord
from .kits import Member, Toolkit, Words, marks_of, member_of

ClassT = TypeVar("ClassT", bound=type)
_DECLARED = "__promptwire_toolkit__"
_TEXTS = ("description", "function_result", "system_prompt")
# a toolkit, a class under @toolkit, or an object of one
ToolkitLike: TypeAlias = "Toolkit | type | object"


@dataclass(frozen=True, eq=False, repr=False)
class attribute(CheckedRecord):  # noqa: N801  # it stands where a word of the language would
    """The text that a method or property of the class gives, asked for when it is needed: `attribute("rules")`."""

    name: str


DeclaredWords: TypeAlias = "Words | attribute"


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """Arguments of `@toolkit`; None means the value that the class itself defines."""

    name: str | None
    description: Any
    function_result: Any
    system_prompt: Any
    collapsed: bool


@overload
def toolkit(cls: ClassT, /) -> ClassT: ...


@overload
def toolkit(
    description: DeclaredWords = None,
    /,
    *,
    name: str | None = None,
    function_result: DeclaredWords = None,
    system_prompt: DeclaredWords = None,
    collapsed: bool = True,
) -> Callable[[ClassT], ClassT]: ...


def toolkit(
    what: Any = None,
    /,
    *,
    name: str | None = None,
    function_result: DeclaredWords = None,
    system_prompt: DeclaredWords = None,
    collapsed: bool = True,
) -> Any:
    """Declare that a class is a toolkit: its methods under `@tool` are the functions, in their order.

    Each text is a literal, a function without arguments, or `attribute("name")` of a method or property. Where one is
    not given, the attribute, property or method of that very name says it; the description may be the docstring.

    Args:
        what: the class; or the description.
        name: the name of the toolkit, where that of the class is not for the model.
        function_result: what the call of the container answers.
        system_prompt: what the instructions say while it is in use.
        collapsed: false: its functions always show.
    """
    is_class = isinstance(what, type)
    declared = Declared(
        name=name,
        description=None if is_class else what,
        function_result=function_result,
        system_prompt=system_prompt,
        collapsed=collapsed,
    )

    def declare(cls: ClassT) -> ClassT:
        """Store the declaration on the class."""
        setattr(cls, _DECLARED, declared)
        return cls

    return declare(what) if is_class else declare


def toolkit_of(given: ToolkitLike) -> Toolkit:
    """Return the toolkit that a class under `@toolkit`, or an object of one, is; a toolkit is what it is.

    Raises InvalidRequest for any other value, and for a class that cannot be made without arguments.
    """
    if isinstance(given, Toolkit):
        return given
    declared = getattr(given, _DECLARED, None)
    if not isinstance(declared, Declared):
        kind = given.__name__ if isinstance(given, type) else type(given).__name__
        raise InvalidRequest(
            f"{kind} is not a toolkit: use Toolkit(name, description, functions), or @toolkit(...) on a class",
            field="toolkits",
        )
    owner = _made(given) if isinstance(given, type) else given
    texts = {text: _words(owner, text, getattr(declared, text)) for text in _TEXTS}
    if texts["description"] is None:
        texts["description"] = getdoc(type(owner))
    name = declared.name or type(owner).__name__
    return Toolkit(name, tools=tuple(_entries(owner)), collapsed=declared.collapsed, **texts)


def _made(cls: type) -> object:
    needed = [
        row.name
        for row in signature(cls).parameters.values()
        if row.default is Parameter.empty
        and row.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]
    if needed:
        name = cls.__name__
        raise InvalidRequest(f"{name} is made with {', '.join(needed)}: give {name}(...)", field="toolkits")
    return cls()


def _entries(owner: object) -> Iterable[Member | Toolkit]:
    """Return the marked methods and the toolkits inside, those of base classes first, in the order of the class."""
    names = {name: None for base in reversed(type(owner).__mro__) for name in vars(base)}
    for name in names:
        raw = next(vars(base)[name] for base in type(owner).__mro__ if name in vars(base))
        function = getattr(raw, "__func__", raw)
        if marks_of(function) is not None:
            yield member_of(getattr(owner, name))
        elif isinstance(raw, Toolkit) or isinstance(getattr(raw, _DECLARED, None), Declared):
            yield toolkit_of(raw)


def _words(owner: object, text: str, given: Any) -> Any:
    """Return what is said, or a function that asks the owner for it later."""
    own = (getattr(owner, "__dict__", {}), *[vars(base) for base in type(owner).__mro__[:-1]])
    if given is None and any(text in names for names in own):
        given = attribute(text)
    if not isinstance(given, attribute):
        return given
    name = given.name
    raw = next((names[name] for names in own if name in names), None)
    if raw is None:
        raise InvalidRequest(f"{type(owner).__name__} has no {name}, which {text} names", field=text)
    if isinstance(raw, str):
        return raw

    def ask() -> Any:
        """Return the current value of the method or property."""
        value = getattr(owner, name)
        return value() if callable(value) else value

    ask.__qualname__ = f"{type(owner).__name__}.{name}"
    return ask
