"""Prompt filters: functions that add to a draft or change it, and may look at the answer afterwards.

A filter is any callable that takes a `Draft` and gives a changed one; or text, which becomes a section under the
filter's name; or None, which changes nothing; or an awaitable of these. If it has a method `post_invoke`, that is
called with the `Outcome` of each model call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from ..errors import ContextError
from ..model.request import Message, Request
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, shown
from ..nodes.type_errors import check_class
from ..steps import Step, Steps
from .draft import Draft

Given: TypeAlias = "Draft | str | None"
PostInvoke: TypeAlias = "Callable[[Outcome], Awaitable[None] | None]"


class PromptFilter(Protocol):
    """Any callable of this form is a filter; `post_invoke` and `name` may be missing."""

    def __call__(self, draft: Draft, /) -> Given | Awaitable[Given]:
        """Change a draft."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(Record):
    """What came of one model call.

    request     as it was sent
    answer      the messages that came back; none when the call failed
    error       why it failed
    properties  as given to `prepare`
    """

    request: Request
    answer: tuple[Message, ...] = ()
    error: BaseException | None = None
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, eq=False, repr=False)
class Filter(Record):
    """A filter with a name, and what it does after a model call."""

    name: str
    apply: PromptFilter
    post_invoke: PostInvoke | None = None

    def __call__(self, draft: Draft, /) -> Given | Awaitable[Given]:
        """Change a draft."""
        return self.apply(draft)


# text, titled documents, or a filter
SectionLike: TypeAlias = "str | Mapping[str, str] | PromptFilter"


def named(section: SectionLike, name: str | None = None) -> Filter:
    """Make a named filter of what a caller gives: text, titled documents, or any callable.

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
    """Show documents one after the other, each under its title; blank ones are left out."""
    for title, text in documents.items():
        check_class(text, str, f"document {shown(title)}")
    pieces = [f"=== {title} ===\n{text}" for title, text in documents.items() if text and not text.isspace()]
    return "\n\n".join(pieces)


def apply_steps(draft: Draft, filters: Iterable[Filter]) -> Steps[Draft]:
    """Let filters change a draft, one after the other."""
    for filter_ in filters:
        where = f"filter {filter_.name}"
        answer = yield Step(where, filter_, (draft,))
        if isinstance(answer, str):
            draft = draft.with_section(section_name(filter_.name), answer)
        elif isinstance(answer, Draft):
            draft = answer
        elif answer is not None:
            raise ContextError(f"gave {type(answer).__name__}, not a Draft, text or None", where=where)
    return draft


def post_invoke_steps(outcome: Outcome, filters: Iterable[Filter]) -> Steps[None]:
    """Tell all filters what came of a model call, one after the other; then raise what the first failing one said."""
    failed: list[ContextError] = []
    for filter_ in filters:
        if filter_.post_invoke is not None:
            try:
                yield Step(f"filter {filter_.name}, post_invoke", filter_.post_invoke, (outcome,))
            except ContextError as error:
                failed.append(error)
    if failed:
        for other in failed[1:]:
            failed[0].add_note(str(other))
        raise failed[0]


def section_name(name: str) -> str:
    """Give the name of the section under which a filter's text stands."""
    return "".join([letter if letter.isalnum() else "_" for letter in name.lower()]).strip("_") or "section"
