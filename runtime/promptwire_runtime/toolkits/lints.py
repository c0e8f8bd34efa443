"""Advice on toolkits: what works, and costs more than it should."""

from __future__ import annotations

from collections.abc import Iterator

from .catalogue import Toolkits
from .config import MESSAGE_TURN
from .toolkit import SKILL, Toolkit

# in characters: some 250 tokens, in every model call
LONGEST_PROMPT = 1000
MOST_KEPT = 3


def lints(toolkits: Toolkits) -> tuple[str, ...]:
    """Give advice, one text each; nothing where all is well.

    A system prompt of more than 1,000 characters; more than three that outlive their message turn; a container for one
    function; one that does not say what it is for.
    """
    kept = [name for name, toolkit in toolkits.kits.items() if toolkit.system_prompt is not None]
    rows = [row for toolkit in toolkits.kits.values() for row in _of(toolkit, toolkits)]
    if toolkits.config.lifetime != MESSAGE_TURN and len(kept) > MOST_KEPT:
        trouble = f"{len(kept)} toolkits have a system prompt that stays ({toolkits.config.lifetime})"
        rows.append(f"{trouble}: they gather in every model call; message_turn clears them")
    return tuple(rows)


def _of(toolkit: Toolkit, toolkits: Toolkits) -> Iterator[str]:
    prompt = toolkit.system_prompt
    if isinstance(prompt, str) and len(prompt) > LONGEST_PROMPT:
        yield (
            f"{toolkit.name}.system_prompt has {len(prompt):,} characters, in every model call while it counts: "
            f"say it in {LONGEST_PROMPT:,}"
        )
    if not toolkits.has_container(toolkit):
        return
    if len(toolkit.names) == 1 and toolkit.kind != SKILL:
        yield f"{toolkit.name} holds one function: a container for it costs a call and spares nothing"
    if toolkit.description is None:
        yield f"{toolkit.name} has no description: a model does not know when to call it"
