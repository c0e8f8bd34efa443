"""Toolkits as values: functions under one name, with the texts that are sent when they are used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from textwrap import dedent
from typing import Any, TypeAlias, TypeVar, overload

from ..errors import InvalidRequest
from ..model.tools import CustomTool, Tool
from ..nodes.checks import CheckedRecord, as_names, as_tuple
from ..nodes.records import fields, replace, set_fields
from ..schemas.of_types import MARKS, tool_of
from ..wire_json.kinds import is_list, is_mapping
from .config import MESSAGE_TURN, WHILE_EXPANDED, CollapsingConfig


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolkitState(CheckedRecord):
    """The expanded toolkits and their active texts. Every change returns a new state.

    expanded      names of the toolkits that are expanded, in that order
    active        names of those whose system prompt is in the instructions, in the order in which they came
    prompts       name of a toolkit to its system prompt as it was when it was asked for; "" where there is none
    descriptions  name of a toolkit to its description, where a function gave that
    rules         name of a toolkit to its system prompt, where the API defers tools itself and is told from the start
    answered      ids of calls of functions that were not shown yet: a toolkit was expanded instead
    """

    expanded: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    answered: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON."""
        lists = {"expanded": self.expanded, "active": self.active, "answered": self.answered}
        objects = {"prompts": self.prompts, "descriptions": self.descriptions, "rules": self.rules}
        return {name: list(texts) for name, texts in lists.items()} | {
            name: dict(texts) for name, texts in objects.items()
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> ToolkitState:
        """Read a state from JSON; missing keys have their defaults.

        Raises InvalidRequest for what `to_json` never gives.
        """
        if not is_mapping(data):
            raise InvalidRequest(f"a state of toolkits is an object, not {type(data).__name__}")
        kinds = {row.name: row.default == () for row in fields(cls)}
        for name, value in data.items():
            if name not in kinds:
                raise InvalidRequest(f'a state of toolkits has no "{name}"', field=name)
            texts = value if is_list(value) else [*value, *value.values()] if is_mapping(value) else [None]
            if is_list(value) != kinds[name] or not all(isinstance(text, str) for text in texts):
                wanted = "a list of texts" if kinds[name] else "an object of texts"
                raise InvalidRequest(f"in a state of toolkits, {name} is {wanted}", field=name)
        values: dict[str, Any] = {
            name: tuple(value) if kinds[name] else dict(value) for name, value in data.items()
        }
        return cls(**values)

    # ---- changes

    def said(self, name: str, prompt: str) -> ToolkitState:
        """Add a system prompt to the instructions, after the active ones."""
        active = self.active if name in self.active else (*self.active, name)
        return replace(self, active=active, prompts={**self.prompts, name: prompt})

    def opened(self, name: str) -> ToolkitState:
        """Expand a toolkit."""
        return self if name in self.expanded else replace(self, expanded=(*self.expanded, name))

    def closed(self, name: str, config: CollapsingConfig) -> ToolkitState:
        """Collapse a toolkit, with its texts if the configuration is `while_expanded`."""
        state = replace(self, expanded=tuple([other for other in self.expanded if other != name]))
        if config.lifetime != WHILE_EXPANDED:
            return state
        active = tuple([other for other in state.active if other != name])
        prompts = {other: text for other, text in state.prompts.items() if other != name}
        return replace(state, active=active, prompts=prompts)

    def next_turn(self, config: CollapsingConfig) -> ToolkitState:
        """Start a new message turn: deactivate prompts that last one message turn."""
        return replace(self, active=()) if config.lifetime == MESSAGE_TURN else self


FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_MOST_WRAPPERS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class FunctionMarks:
    """The options that `@tool` stores on a function; None means: from its signature and docstring."""

    name: str | None = None
    description: str | None = None
    permission: bool = False
    always: bool = False


def marks_of(function: object) -> FunctionMarks | None:
    """Return the options that `@tool` stored on a function, or None.

    A partial function has those of its function, and a wrapper (`functools.wraps`) those of the function that it wraps.
    """
    # an object may have any attribute that it is asked for, without an end
    for _ in range(_MOST_WRAPPERS):
        marks = getattr(function, MARKS, None)
        if isinstance(marks, FunctionMarks):
            return marks
        function = getattr(function, "func" if isinstance(function, partial) else "__wrapped__", None)
    return None


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
        what: The function, or a description that replaces its docstring.
        name: A name that replaces that of the function.
        permission: Whether `session.run` and `client.run` ask `approve` first.
        always: Whether it is visible from the start, even if its toolkit is collapsed.
    """
    description = what if isinstance(what, str) else None
    marks = FunctionMarks(name=name, description=description, permission=permission, always=always)

    def mark(function: FunctionT) -> FunctionT:
        """Store the options on the function itself, also below a staticmethod."""
        setattr(getattr(function, "__func__", function), MARKS, marks)
        return function

    return mark(what) if callable(what) else mark


# text, or what gives it when it is needed
Words: TypeAlias = "str | Callable[[], str | Awaitable[str | None] | None] | None"
TOOLKIT, SKILL, MCP, FRONTEND = "toolkit", "skill", "mcp", "frontend"
_KINDS = (TOOLKIT, SKILL, MCP, FRONTEND)


@dataclass(frozen=True, eq=False, repr=False)
class Member(CheckedRecord):
    """One function of a toolkit.

    Attributes:
        tool: The tool that the model sees.
        function: The function that a call runs. None: the caller runs it.
        permission: Whether `session.run(call, approve=...)` asks for approval first.
        always: Whether it is visible from the start, even if its toolkit is collapsed.
        annotations: The annotations of an MCP server.
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


def member_of(item: MemberLike, name: str | None = None) -> Member:
    """Convert a function, a tool or a member to a member, with the options that `@tool` stored on the function.

    A function without a name, such as an object that is called, needs one.

    Raises InvalidRequest for any other value.
    """
    if isinstance(item, Member):
        return item
    if isinstance(item, (Tool, CustomTool)):
        return Member(item)
    if not callable(item):  # pyright: ignore[reportUnnecessaryComparison]  # callers may be untyped
        raise InvalidRequest(f"a toolkit holds functions and tools, not {type(item).__name__}", field="tools")
    marks = marks_of(item) or FunctionMarks()
    return Member(Tool(**tool_of(item, name)), item, marks.permission, marks.always)


@dataclass(frozen=True, eq=False, repr=False)
class Toolkit(CheckedRecord):
    """Functions that a model sees as one tool, the container, until it calls that tool.

    A text is a literal (a block in triple quotes is dedented), or a function without arguments that returns a text or
    an awaitable. Descriptions are computed when a session begins, other texts when the toolkit is expanded.

    Attributes:
        name: The name of the container.
        description: What the functions are for.
        tools: Functions, tools, members, and further toolkits, in order.
        function_result: The result of calling the container. It stays in the history.
        system_prompt: Instructions that are added while the toolkit is in use.
        uses: Names of functions of other toolkits that are shown too, as skills do.
        collapsed: Whether there is a container. If false, the functions are always visible.
        kind: `toolkit`, `skill`, `mcp` or `frontend`.

    Raises:
        InvalidRequest: the toolkit is empty, or one of its fields is invalid.
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
        super().__post_init__()
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
        set_fields(self, **settled)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools that it shows when it is expanded."""
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
    """Build a skill: a container whose call adds instructions and the functions that they mention.

    Args:
        name: The name of the container.
        description: When to use the skill.
        instructions: What to do, step by step.
        tools: Functions of the skill.
        uses: Names of functions of other toolkits, which become visible when the skill is called.
        function_result: A text that is added to the result of the call.
    """
    return Toolkit(name, description, tools, function_result, instructions, uses, kind=SKILL)


def frontend_tools(
    tools: Iterable[MemberLike], *, name: str = "FrontendTools", description: Words = None
) -> Toolkit:
    """Build the toolkit of tools that the caller's frontend runs. `collapse_frontend_tools` decides how it is shown."""
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
