"""Input messages become what a provider gets: a chat prompt, and the transcript of the same messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..context import ContextPolicies, context_policies_of
from ..loading.problems import Problems
from ..nodes.coercion import as_texts, as_tuple
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .chat import chat_prompt
from .drafting import draft_messages
from .files import Files
from .messages import InputMessage, ProviderRequest
from .reading import attach, check_patterns, files_of, read_messages
from .transcripts import flat_question, is_single_turn, transcript


def convert(
    messages: Iterable[InputMessage | Mapping[str, Any]],
    *,
    files: Files | Mapping[str, str] | None = None,
    guideline_patterns: Sequence[str] = (),
    guidelines: str | Sequence[str] = (),
    system_prompt: str | None = None,
    policies: ContextPolicies | str = "standard",
) -> ProviderRequest:
    """Convert messages of a case.

    messages            each `{role, content}`; content is text, or a list of `{type: text | file, value}`
    files               where attached files are read, or their texts (path -> text)
    guideline_patterns  files whose path matches one are guidelines
    guidelines          guidelines that are texts already; they come first
    system_prompt       the prompt of the case's metadata

    Raises:
        LoadError: a message, a part or a file is wrong; all of them, one a line, each with its place.
        PolicyError: the preset does not exist.
    """
    chosen = context_policies_of(policies)
    if system_prompt is not None:
        check_class(system_prompt, str, "system_prompt")
    problems = Problems("")
    patterns = as_tuple(guideline_patterns, "guideline_patterns")
    check_patterns(patterns, ("guideline_patterns",), problems)
    read = read_messages(list(as_tuple(messages, "input_messages")), ("input_messages",), problems)
    if not problems:
        read = attach(read, files_of(files), chosen, ("input_messages",), problems)
    if problems:
        raise problems.error(None)
    return converted(
        read, patterns=patterns, guidelines=guidelines, system_prompt=system_prompt, policies=chosen
    )


def converted(
    messages: Sequence[InputMessage],
    *,
    patterns: Sequence[str],
    guidelines: str | Sequence[str],
    system_prompt: str | None,
    policies: ContextPolicies,
) -> ProviderRequest:
    """Convert messages whose files were read; pure, and the same every time."""
    drafted = draft_messages(messages, patterns, policies)
    notes = list(drafted.notes)
    leading = as_texts(guidelines, "guidelines")
    texts = tuple([text for text in (*leading, *drafted.guidelines) if text.strip()])
    single = policies.structured_when == "multi_turn" and is_single_turn(drafted.drafts)
    question = flat_question(drafted.drafts, policies) if single else ""
    if question.strip():  # a turn of nothing but guidelines that are not named asks nothing
        return ProviderRequest(
            question=question, guidelines=texts, system_prompt=system_prompt, notes=tuple(notes)
        )
    prompt = chat_prompt(drafted.drafts, system_prompt, texts, policies, notes)
    if all(message.role == "system" for message in prompt):
        notes.append(Note("omitted", "", "input_messages", "none is left that a model could answer"))
    return ProviderRequest(
        question=transcript(drafted.drafts, policies),
        chat_prompt=prompt,
        guidelines=texts,
        system_prompt=system_prompt,
        notes=tuple(notes),
    )
