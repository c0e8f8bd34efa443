"""Toolkits as values: functions under one name, with what is said when they are used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from textwrap import dedent
from typing import Any, TypeAlias, TypeVar, overload

from ..errors import InvalidRequest
from ..model.tools import CustomTool, Tool
from ..nodes.coercion import as_names, as_tuple
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record
from ..schemas.of_functions import tool_of

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_MARKS = "__promptwire_tool__"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FunctionMarks(Record):
    """The options that `@tool` stores on a function; None means: from its signature and docstring."""

    name: str | None = None
    description: str | None = None
    permission: bool = False
    always: bool = False


def marks_of(function: object) -> FunctionMarks | None:
    """Return the options that `@tool` stored on a function, or None."""
    marks = getattr(function, _MARKS, None)
    return marks if isinstance(marks, FunctionMarks) else None


@overload
def tool(function: FunctionT, /) -> FunctionT: ...


@overload
def tool(
    description: str | None = None,
    /,
    *,
    name: str | None = None,
    permission: bool = False,
    always: bool = False,
) -> Callable[[FunctionT], FunctionT]: ...


def tool(
    what: Callable[..., Any] | str | None = None,
    /,
    *,
    name: str | None = None,
    permission: bool = False,
    always: bool = False,
) -> Any:
    """Mark a function, or a method of a class under `@toolkit`, as one that a model may call.

    Args:
        what: the function; or its description, where its docstring is not for the model.
        name: its name, where that of the function is not for the model.
        permission: whether `session.run(call, approve=...)` asks for approval first.
        always: whether it is shown from the start, whatever its toolkit.
    """
    description = what if isinstance(what, str) else None
    marks = FunctionMarks(name=name, description=description, permission=permission, always=always)

    def mark(function: FunctionT) -> FunctionT:
        """Store the options on the function itself, also below a staticmethod."""
        setattr(getattr(function, "__func__", function), _MARKS, marks)
        return function

    return mark(what) if callable(what) else mark


# text, or what gives it when it is needed
Words: TypeAlias = "str | Callable[[], str | Awaitable[str | None] | None] | None"
TOOLKIT, SKILL, MCP, FRONTEND = "toolkit", "skill", "mcp", "frontend"
_KINDS = (TOOLKIT, SKILL, MCP, FRONTEND)


@dataclass(frozen=True, eq=False, repr=False)
class Member(Record):
    """One function of a toolkit.

    tool         what the model is shown
    function     what runs it; None: whoever asks runs it
    permission   whether `session.run(call, approve=...)` asks for approval first
    always       whether it is shown from the start, whatever its toolkit
    annotations  what an MCP server says of it
    """

    tool: Tool | CustomTool
    function: Callable[..., Any] | None = None
    permission: bool = False
    always: bool = False
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        """The name that calls have."""
        return self.tool.name


MemberLike: TypeAlias = "Member | Tool | CustomTool | Callable[..., Any]"


def member_of(item: MemberLike) -> Member:
    """Convert a function, a tool or a member to a member, with the options that `@tool` stored on the function.

    Raises InvalidRequest for any other value.
    """
    if isinstance(item, Member):
        return item
    if isinstance(item, (Tool, CustomTool)):
        return Member(item)
    if not callable(item):  # pyright: ignore[reportUnnecessaryComparison]  # callers may be untyped
        raise InvalidRequest(f"a toolkit holds functions and tools, not {type(item).__name__}", field="tools")
    marks = marks_of(item) or FunctionMarks()
    row = tool_of(item)
    shown = {name: text for name in ("name", "description") if (text := getattr(marks, name)) is not None}
    return Member(Tool(**{**row, **shown}), item, marks.permission, marks.always)


@dataclass(frozen=True, eq=False, repr=False)
class Toolkit(Record):
    """Functions under one name, which a model sees as one tool until it calls that.

    Text may be a literal (a block in triple quotes loses its indent), or a function without arguments that gives text
    or an awaitable of it: the description is asked for when a session begins, all else when the toolkit is expanded.

    name             the name of the tool that stands for all
    description      what the functions are for
    tools            functions, tools, members, and further toolkits, in order
    function_result  what the call of that tool answers: said once, and part of the history
    system_prompt    what the instructions say while the toolkit is in use
    uses             names of functions of other toolkits that it shows too, as skills do
    collapsed        false: its functions always show
    kind             `toolkit`, `skill`, `mcp` or `frontend`

    Raises InvalidRequest for what holds nothing, or holds something twice.
    """

    name: str
    description: Words = None
    tools: Iterable[MemberLike | Toolkit] = ()
    function_result: Words = None
    system_prompt: Words = None
    uses: Iterable[str] = ()
    collapsed: bool = True
    kind: str = TOOLKIT
    entries: tuple[Member | Toolkit, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Convert functions to members and check all fields."""
        if not self.name:
            raise InvalidRequest("a toolkit has a name", field="name")
        if self.kind not in _KINDS:
            raise InvalidRequest(f"{self.name}: kind is one of {', '.join(_KINDS)}", field="kind")
        tools = as_tuple(self.tools, f"tools of {self.name}")
        entries = tuple([item if isinstance(item, Toolkit) else member_of(item) for item in tools])
        uses = as_names(self.uses, f"uses of {self.name}")
        if not entries and not uses and self.kind != SKILL:
            raise InvalidRequest(f"the toolkit {self.name} holds no function", field="tools")
        settled: dict[str, Any] = {"tools": entries, "entries": entries, "uses": uses}
        for field_name in ("description", "function_result", "system_prompt"):
            settled[field_name] = _words(getattr(self, field_name), f"{self.name}.{field_name}")
        for field_name, value in settled.items():
            object.__setattr__(self, field_name, value)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what it shows when it is expanded."""
        return (*[entry.name for entry in self.entries], *self.uses)


def skill(
    name: str,
    description: Words,
    instructions: Words,
    *,
    tools: Iterable[MemberLike | Toolkit] = (),
    uses: Iterable[str] = (),
    function_result: Words = None,
) -> Toolkit:
    """Build a skill: instructions that a call brings, and the functions that they speak of.

    Args:
        name: its name.
        description: when to use it.
        instructions: what to do, step by step.
        tools: functions of its own.
        uses: names of functions of other toolkits, which the skill shows when it is called.
        function_result: what the call answers besides.
    """
    return Toolkit(name, description, tools, function_result, instructions, uses, kind=SKILL)


def frontend_tools(
    tools: Iterable[MemberLike], *, name: str = "FrontendTools", description: Words = None
) -> Toolkit:
    """Build the toolkit of what the caller's own frontend runs; `collapse_frontend_tools` says how it shows."""
    return Toolkit(name, description or "Tools of the user's own application", tools, kind=FRONTEND)


def _words(value: Any, what: str) -> Any:
    """Check a text or a function that returns text; dedent a literal; blank text is None."""
    if value is None or (callable(value) and not isinstance(value, type)):
        return value
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} is text, or a function that gives it, not {type(value).__name__}")
    return cleaned(value) or None


def cleaned(text: str) -> str:
    """Dedent a text that begins with a line break, as literals in triple quotes do; blank text is empty."""
    if not text or text.isspace():
        return ""
    if not text.startswith("\n"):
        return text
    head, _, last = text.rpartition("\n")
    return dedent(head if last.isspace() or not last else text)[1:]
