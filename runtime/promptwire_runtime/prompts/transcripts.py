"""The transcript of a case: one text, in the order of the case, for logs and for APIs that take one text."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import ContextPolicies
from .drafting import Draft


def marked(role: str, text: str, policies: ContextPolicies) -> str:
    """Put the marker of a role before a text."""
    name = role.capitalize()
    return f"@[{name}]:\n{text}" if policies.transcript_format == "at_block" else f"[{name}]: {text}"


def transcript(drafts: Sequence[Draft], policies: ContextPolicies) -> str:
    """Write one entry for each message; guidelines are named, not quoted."""
    drafts_shown = [draft for draft in drafts if draft.visible or policies.guideline_only_messages != "drop"]
    entries = [(draft.role, draft.content(policies.part_separator)) for draft in drafts_shown]
    between = "\n\n" if policies.transcript_format == "at_block" else "\n"
    return between.join([marked(role, text, policies) for role, text in entries if text.strip()])


def flat_question(drafts: Sequence[Draft], policies: ContextPolicies) -> str:
    """Write the parts of a single turn, without markers of roles; guidelines are named by policy."""
    references = policies.guideline_reference == "marker"
    pieces = [piece for draft in drafts if draft.role == "user" for piece in draft.pieces]
    texts = [piece.text for piece in pieces if references or not piece.reference]
    return policies.question_separator.join(texts)


def is_single_turn(drafts: Sequence[Draft]) -> bool:
    """Tell whether a case is one question of the user, and nothing else that is visible."""
    roles = [draft.role for draft in drafts]
    if "assistant" in roles or "tool" in roles or "user" not in roles:
        return False
    return [draft.role for draft in drafts if draft.visible] in ([], ["user"])
