"""Prompt filters: functions that add to a draft or change it, and may look at the answer afterwards.

A filter is any callable that takes a `Draft` and gives a changed one; or text, which becomes a section under the
filter's name; or None, which changes nothing; or an awaitable of these. If it has a method `post_invoke`, that is
called with the `Outcome` of each model call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..errors import AnswerError, ContextError, InvalidRequest
from ..model.options import Instruction
from ..model.request import Message, Request
from ..model.tools import AnyTool
from ..nodes.checks import CheckedRecord, as_tuple
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..steps import CallbackStep, Steps
from .layers import LayersLike, Merged, from_source, merge
from .policies import DYNAMIC, REQUEST
from .sections import Section

if TYPE_CHECKING:
    from ..nodes.next_request import Answered


class ContextProvider(Protocol):
    """Any callable that takes a `Draft` and returns text, layers, None, or an awaitable of these."""

    def __call__(self, draft: Draft, /) -> LayersLike | Awaitable[LayersLike]:
        """Return the context of this request."""
        ...


def providers(dynamic: Iterable[ContextProvider]) -> tuple[ContextProvider, ...]:
    """Return the providers as a tuple. Raises ContextError if one is not callable."""
    in_order: tuple[ContextProvider, ...] = as_tuple(dynamic, "dynamic layers")
    for number, provider in enumerate(in_order, 1):
        if not callable(provider):  # pyright: ignore[reportUnnecessaryComparison]  # callers may be untyped
            raise ContextError(f"is {type(provider).__name__}, not callable", where=f"dynamic layer {number}")
    return in_order


def provider_steps(provider: ContextProvider, number: int, draft: Draft) -> Steps[tuple[Instruction, ...]]:
    """Call one provider and return its layers. Errors name the provider and its number, counted from 1."""
    name = getattr(provider, "__name__", None) or type(provider).__name__
    where = f"dynamic layer {number} ({name})"
    answer: Any = yield CallbackStep(where, provider, (draft,))
    try:
        return tuple(from_source(DYNAMIC, answer))
    except InvalidRequest as error:
        raise ContextError(f"gave no text and no layers: {error}", where=where) from error


Visible: TypeAlias = "Iterable[AnyTool] | None"
Scope: TypeAlias = "Callable[[Request], Visible | Awaitable[Visible]]"


def scope_steps(request: Request, scope: Scope) -> Steps[tuple[Request, tuple[Note, ...]]]:
    """Call the scope to select the tools of one model call; None keeps all of them.

    Without tools, a tool choice is dropped with a note. Raises ContextError if the chosen tool is not visible.
    """
    answer = yield CallbackStep("scope", scope, (request,))
    if answer is None:
        return request, ()
    tools = _as_tools(answer)
    choice = request.tool_choice
    if choice is not None and not tools:
        note = Note("dropped", "", "tool_choice", "the scope shows no tools")
        return replace(request, tools=None, tool_choice=None), (note,)
    if choice is not None:
        chosen = [choice.name] if choice.name is not None else list(choice.names or ())
        visible = {getattr(tool, "name", None) for tool in tools}
        hidden = [name for name in chosen if name not in visible]
        if hidden:
            raise ContextError(f'tool_choice names "{hidden[0]}", which is not visible', where="scope")
    return replace(request, tools=tools or None), ()


def _as_tools(answer: Any) -> tuple[AnyTool, ...]:
    try:
        return tuple(answer)
    except TypeError:
        raise ContextError(f"gave {type(answer).__name__}, not tools or None", where="scope") from None


@dataclass(frozen=True, eq=False, repr=False)
class Draft(CheckedRecord):
    """A request while it is prepared. Every method returns a new draft.

    Attributes:
        request: The request with the changes so far. Its own instructions are among the layers.
        merged: The layers and sections of its system text.
        properties: The properties that were passed to `prepare`: ids, paths, or other data for providers and filters.
    """

    request: Request
    merged: Merged
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        """The system text as it is by now; empty when there is none."""
        return self.merged.text

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation as it is by now, without the system text."""
        return self.request.messages

    def with_section(self, name: str, text: str) -> Draft:
        """Add a named section after the layers, or replace the section of that name. Blank text removes it."""
        return replace(self, merged=self.merged.with_section(Section(name, text)))

    def with_text(self, layers: LayersLike, source: str = REQUEST) -> Draft:
        """Replace all layers and sections by others."""
        merged = merge(from_source(source, layers), self.merged.policies)
        return replace(self, merged=merged._replace(dropped=self.merged.dropped + merged.dropped))

    def with_messages(self, messages: Iterable[Message]) -> Draft:
        """Replace the conversation."""
        return replace(self, request=replace(self.request, messages=tuple(messages)))


Given: TypeAlias = "Draft | str | None"
PostInvoke: TypeAlias = "Callable[[Outcome], Awaitable[None] | None]"


class PromptFilter(Protocol):
    """Any callable of this form is a filter; `post_invoke` and `name` may be missing."""

    def __call__(self, draft: Draft, /) -> Given | Awaitable[Given]:
        """Change a draft."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(CheckedRecord):
    """The outcome of one model call.

    Attributes:
        request: The request that was sent.
        answer: The messages of the answer. Empty if the call failed.
        error: The reason of the failure.
        properties: The properties that were passed to `prepare`.
    """

    request: Request
    answer: tuple[Message, ...] = ()
    error: BaseException | None = None
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, eq=False, repr=False)
class Filter(CheckedRecord):
    """A filter with a name, and its function for the time after a model call."""

    name: str
    apply: PromptFilter
    post_invoke: PostInvoke | None = None

    def __call__(self, draft: Draft, /) -> Given | Awaitable[Given]:
        """Change a draft."""
        return self.apply(draft)


# text, titled documents, or a filter
SectionLike: TypeAlias = "str | Mapping[str, str] | PromptFilter"


def named(section: SectionLike, name: str | None = None) -> Filter:
    """Build a named filter from text, titled documents, or any callable.

    Raises:
        ContextError: it is none of these, or a text has no name to stand under.
    """
    if isinstance(section, Filter):
        return section if name is None else Filter(name, section.apply, section.post_invoke)
    if isinstance(section, str | Mapping):
        if name is None:
            raise ContextError("text needs the name of its section: use Filter or a function", where="filter")
        text = section if isinstance(section, str) else documents_text(section)
        return Filter(name, lambda _: text)
    if not callable(section):
        raise ContextError(
            f"is {type(section).__name__}, not callable", where=f"filter {name or ''}".rstrip()
        )
    own_name = getattr(section, "name", None) or getattr(section, "__name__", None) or type(section).__name__
    return Filter(name or str(own_name), section, getattr(section, "post_invoke", None))


def documents_text(documents: Mapping[str, str]) -> str:
    """Join documents, each under its title. Blank documents are skipped."""
    for title, text in documents.items():
        check_class(text, str, f"document {shown(title)}")
    pieces = [f"=== {title} ===\n{text}" for title, text in documents.items() if text and not text.isspace()]
    return "\n\n".join(pieces)


def apply_steps(draft: Draft, filters: Iterable[Filter]) -> Steps[Draft]:
    """Apply filters to a draft in order."""
    for filter_ in filters:
        where = f"filter {filter_.name}"
        answer = yield CallbackStep(where, filter_, (draft,))
        if isinstance(answer, str):
            draft = draft.with_section(section_name(filter_.name), answer)
        elif isinstance(answer, Draft):
            draft = answer
        elif answer is not None:
            raise ContextError(f"gave {type(answer).__name__}, not a Draft, text or None", where=where)
    return draft


def post_invoke_steps(outcome: Outcome, filters: Iterable[Filter]) -> Steps[None]:
    """Call `post_invoke` of every filter in order, then raise the first error."""
    failed: list[ContextError] = []
    for filter_ in filters:
        if filter_.post_invoke is not None:
            try:
                yield CallbackStep(f"filter {filter_.name}, post_invoke", filter_.post_invoke, (outcome,))
            except ContextError as error:
                failed.append(error)
    if failed:
        for other in failed[1:]:
            failed[0].add_note(str(other))
        raise failed[0]


def section_name(name: str) -> str:
    """Return the name of the section that has a filter's text."""
    return "".join([letter if letter.isalnum() else "_" for letter in name.lower()]).strip("_") or "section"


def message_of(answer: Message | Answered) -> Message | None:
    """Return the message of an answer; a message as it is."""
    if isinstance(answer, Message):
        return answer
    if not hasattr(answer, "message"):
        raise AnswerError(f"post_invoke takes messages or an answer, not {type(answer).__name__}")
    message: Message | None = answer.message
    return message
