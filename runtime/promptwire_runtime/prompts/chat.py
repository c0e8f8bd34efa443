"""From drafts to a chat prompt: one system message at the start, then the turns, none of them empty."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import ContextPolicies
from ..reporting.notes import Note
from .drafting import Draft
from .messages import ChatMessage
from .transcripts import marked

GUIDELINES_HEADING = "[[ ## Guidelines ## ]]"


def guideline_block(guidelines: Sequence[str], policies: ContextPolicies) -> str:
    """Put the heading above guidelines; empty when there are none."""
    texts = [text for text in guidelines if text.strip()]
    return f"{GUIDELINES_HEADING}\n\n{policies.segment_separator.join(texts)}" if texts else ""


def is_absent(text: str | None, policies: ContextPolicies) -> bool:
    """Tell whether a text counts as none, by the `blank` policy."""
    return not text or (policies.blank != "strict_seed" and text.isspace())


def chat_prompt(
    drafts: Sequence[Draft],
    system_prompt: str | None,
    guidelines: Sequence[str],
    policies: ContextPolicies,
    notes: list[Note],
) -> tuple[ChatMessage, ...]:
    """Make the messages of a chat prompt; whatever is left out or moved gets a note."""
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
        else:
            turns.append(_late(path, message, policies, notes))
    base = None if is_absent(system_prompt, policies) else system_prompt
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
    drafts: Sequence[Draft], policies: ContextPolicies, notes: list[Note]
) -> list[tuple[str, ChatMessage]]:
    """Give what each message says, without those that say nothing."""
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
            rows.append((draft.path, ChatMessage(draft.role, content, draft.tool_call_id)))
    return rows


def _turn(path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]) -> ChatMessage:
    if message.role != "tool" or policies.tool_role == "passthrough":
        return message
    notes.append(Note("merged", path, "", "a tool message becomes the assistant's, behind a marker"))
    return ChatMessage("assistant", marked("tool", message.content, policies))


def _late(path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]) -> ChatMessage:
    if policies.late_system == "in_place":
        return message
    role = policies.late_system.removeprefix("demote_")
    notes.append(Note("merged", path, "", f"a later system message becomes the {role}'s, behind a marker"))
    return ChatMessage(role, marked("system", message.content, policies))
