"""Input messages become what a provider gets: a chat prompt, and the transcript of the same messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..context import ContextPolicies, context_policies_of
from ..loading.problems import Problems
from ..nodes.coercion import as_texts, as_tuple
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .drafting import DraftMessage, draft_messages, flat_question, is_single_turn, marked, transcript
from .files import Files
from .messages import ChatMessage, InputMessage, ProviderRequest
from .reading import attach, check_patterns, files_of, read_messages

GUIDELINES_HEADING = "[[ ## Guidelines ## ]]"


def guideline_block(guidelines: Sequence[str], policies: ContextPolicies) -> str:
    """Join guidelines under their heading; empty if there are none."""
    texts = [text for text in guidelines if text.strip()]
    return f"{GUIDELINES_HEADING}\n\n{policies.segment_separator.join(texts)}" if texts else ""


def is_absent(text: str | None, policies: ContextPolicies) -> bool:
    """Return whether a text counts as none, by the `blank` policy."""
    return not text or (policies.blank != "keep" and text.isspace())


def chat_prompt(
    drafts: Sequence[DraftMessage],
    system_prompt: str | None,
    guidelines: Sequence[str],
    policies: ContextPolicies,
    notes: list[Note],
) -> tuple[ChatMessage, ...]:
    """Build the messages of a chat prompt; whatever is left out or moved gets a note."""
    rows = _said(drafts, policies, notes)
    turns: list[ChatMessage] = []
    explicit: list[str] = []
    for path, message in rows:
        if message.role != "system":
            turns.append(_turn(path, message, policies, notes))
        elif not turns or policies.late_system == "hoist":
            if turns:
                notes.append(Note("merged", path, "", "a later system message goes to the start"))
            explicit.append(message.content)
            notes += _media_lost(path, message)
        else:
            turns.append(_late(path, message, policies, notes))
    base = None if is_absent(system_prompt, policies) else system_prompt
    if base is None and policies.guidelines_alone == "default_prompt" and any(map(str.strip, guidelines)):
        base = None if explicit else policies.default_system_prompt
    if base is not None and explicit and policies.system_layout != "base_guidelines_explicit":
        notes.append(Note("dropped", "metadata", "system_prompt", "a system message of the case replaces it"))
    text = _system_text(base, guideline_block(guidelines, policies), explicit, policies)
    return (ChatMessage("system", text), *turns) if text else tuple(turns)


def _system_text(base: str | None, block: str, explicit: list[str], policies: ContextPolicies) -> str:
    """Join the prompt of the metadata, the guidelines, and the system messages of the case, as their layout says."""
    if policies.system_layout == "base_guidelines_explicit":
        pieces = [base, block, *explicit]
    else:
        pieces = [*explicit, block] if explicit else [base, block]
    return policies.segment_separator.join([piece for piece in pieces if piece])


def _said(
    drafts: Sequence[DraftMessage], policies: ContextPolicies, notes: list[Note]
) -> list[tuple[str, ChatMessage]]:
    """Return the messages with their paths; messages without content are dropped with a note."""
    references = policies.guideline_reference == "marker"
    only = policies.guideline_only_messages
    keeps = only == "keep" or (only == "auto" and not any(draft.visible for draft in drafts))
    rows: list[tuple[str, ChatMessage]] = []
    for draft in drafts:
        named = any(piece.reference for piece in draft.pieces)
        content = draft.content(policies.part_separator, references=references)
        if named and not draft.visible and not (keeps and (draft.role != "system" or only == "keep")):
            notes.append(Note("dropped", draft.path, "", "it holds nothing but guidelines"))
        elif is_absent(content, policies):
            notes.append(Note("dropped", draft.path, "", "it says nothing"))
        else:
            parts = draft.parts(policies.part_separator, references=references)
            rows.append((draft.path, ChatMessage(draft.role, content, draft.tool_call_id, parts)))
    return rows


def _turn(path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]) -> ChatMessage:
    if message.role != "tool" or policies.tool_role == "keep":
        return message
    notes.append(Note("merged", path, "", "a tool message becomes the assistant's, behind a marker"))
    notes += _media_lost(path, message)
    return ChatMessage("assistant", marked("tool", message.content, policies))


def _late(path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]) -> ChatMessage:
    if policies.late_system == "keep":
        return message
    role = policies.late_system
    notes.append(Note("merged", path, "", f"a later system message becomes the {role}'s, behind a marker"))
    notes += _media_lost(path, message)
    return ChatMessage(role, marked("system", message.content, policies))


def _media_lost(path: str, message: ChatMessage) -> list[Note]:
    return [Note("dropped", path, "", "its media are named only")] if message.parts else []


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
    media = any(piece.media for draft in drafted.drafts for piece in draft.pieces)
    single = policies.structured_when == "multi_turn" and is_single_turn(drafted.drafts) and not media
    question = flat_question(drafted.drafts, policies) if single else ""
    if question.strip():  # a turn of nothing but guidelines that are not named asks nothing
        return ProviderRequest(
            question=question,
            guidelines=texts,
            system_prompt=system_prompt,
            notes=tuple(notes),
            guideline_files=drafted.files,
        )
    prompt = chat_prompt(drafted.drafts, system_prompt, texts, policies, notes)
    if all(message.role == "system" for message in prompt):
        notes.append(Note("dropped", "", "input_messages", "none is left that a model could answer"))
    return ProviderRequest(
        question=transcript(drafted.drafts, policies),
        chat_prompt=prompt,
        guidelines=texts,
        system_prompt=system_prompt,
        notes=tuple(notes),
        guideline_files=drafted.files,
    )
