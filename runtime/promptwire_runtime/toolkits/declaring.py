"""A class as a toolkit: its marked methods are the functions, its attributes may say the texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter, getdoc, signature
from typing import Any, TypeAlias, TypeVar, overload

from ..constructors import tool_result
from ..errors import ContextError, InvalidRequest
from ..model.parts import CALLS, CustomToolCall, ToolCall
from ..model.request import Message
from ..nodes.checks import CheckedRecord, as_names
from ..nodes.records import set_fields
from ..steps import CallbackStep, Steps
from .kits import Member, Toolkit, Words, marks_of, member_of

Call: TypeAlias = "ToolCall | CustomToolCall"
Before: TypeAlias = "Callable[[Any], Any | Awaitable[Any]]"
After: TypeAlias = "Callable[[Any, Message], Any | Awaitable[Any]]"
Approve: TypeAlias = "Callable[[Any], bool | str | Awaitable[bool | str]]"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InvocationFilter(CheckedRecord):
    """A filter that `session.run` runs before and after functions of toolkits.

    Filters run in order before a function, and in reverse order after it. They may be asynchronous; then call
    `session.run_async`.

    Attributes:
        name: The name of the filter in errors.
        before: `before(call)` returns None, a call with other arguments, or the result (text or a message). If it
            returns a result, the function is not called.
        after: `after(call, result)` returns None to keep the result message, or a text or message that replaces it.
        functions: Names of the functions that the filter is for. Without these and `toolkits`, it is for all.
        toolkits: Names of the toolkits that the filter is for, including toolkits inside them.
    """

    name: str
    before: Before | None = None
    after: After | None = None
    functions: Iterable[str] = ()
    toolkits: Iterable[str] = ()

    def __post_init__(self) -> None:
        """Convert the names to tuples."""
        super().__post_init__()
        set_fields(
            self,
            functions=as_names(self.functions, "functions"),
            toolkits=as_names(self.toolkits, "toolkits"),
        )

    def matches(self, function: str, path: Sequence[str]) -> bool:
        """Return whether the filter is for a function in the toolkits of `path`."""
        if not self.functions and not self.toolkits:
            return True
        return function in self.functions or not set(path).isdisjoint(self.toolkits)


def before_steps(call: Call, filters: Iterable[InvocationFilter]) -> Steps[tuple[Call, Message | None]]:
    """Run `before` of filters; return the call as they changed it, and the result if one of them gave it."""
    for filter_ in filters:
        if filter_.before is None:
            continue
        where = f"filter {filter_.name}, before {call.name}"
        answer = yield CallbackStep(where, filter_.before, (call,))
        if isinstance(answer, CALLS):
            if (answer.name, answer.id) != (call.name, call.id):
                raise ContextError(
                    "changed the name or the id of the call: change arguments alone", where=where
                )
            call = answer
        elif answer is not None:
            return call, _result(call, answer, where)
    return call, None


def after_steps(call: Call, result: Message, filters: Iterator[InvocationFilter]) -> Steps[Message]:
    """Run `after` of filters; return the result as they changed it."""
    for filter_ in filters:
        if filter_.after is not None:
            where = f"filter {filter_.name}, after {call.name}"
            answer = yield CallbackStep(where, filter_.after, (call, result))
            result = result if answer is None else _result(call, answer, where)
    return result


def approval_steps(call: Call, approve: Approve) -> Steps[Message | None]:
    """Ask for the approval of a call. Return None if it may run, else the result with the reason."""
    return refusal_of(call, (yield CallbackStep(_approval_of(call), approve, (call,))))


def _approval_of(call: Call) -> str:
    return f"approval of {call.name}"


def refusal_of(call: Call, answer: Any) -> Message | None:
    """Return None if this answer to the question for approval lets a call run, else the result with the reason.

    Raises:
        ContextError: the answer is neither True, False nor text.
    """
    if answer is True:
        return None
    if answer is not False and not isinstance(answer, str):
        raise ContextError(
            f"returned {type(answer).__name__}: return True, False, or text with the reason of a refusal",
            where=_approval_of(call),
        )
    reason = f": {answer}" if answer else ""
    return tool_result(call, f"{call.name} was not called: permission was refused{reason}")


def _result(call: Call, answer: Any, where: str) -> Message:
    if isinstance(answer, Message):
        return answer
    if isinstance(answer, str):
        return tool_result(call, answer)
    raise ContextError(f"returned {type(answer).__name__}, not text, a message or None", where=where)


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
    """Return the toolkit of a class under `@toolkit` or of its instance; a toolkit is returned unchanged.

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
    """Return the text, or a function that asks the owner for it later."""
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
