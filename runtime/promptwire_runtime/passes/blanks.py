"""Text of nothing but white space is left out, for APIs that refuse it among the parts of a message."""

from __future__ import annotations

from ..errors import Refused
from ..parts import Text
from ..plain import is_blank
from ..rule_paths import spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..built import Built
    from ..parts import Part
    from ..request import Message

_BESIDE = ("cache", "signature")


def drops_blank(part: Text, message: Message, built: Built[Any]) -> bool:
    """Tell whether a text is blank and left out, with a note; raises Refused under `blank="error"`.

    What was read from this very wire was accepted as it is. Where the conversation holds nothing else, blank text is
    refused: there would be no message to send.
    """
    if built.policies.blank == "keep" or not is_blank(part.text) or _is_own(part, message, built):
        return False
    why = f"{built.wire.title} takes no blank text"
    if built.policies.blank == "error":
        hint = f'{why}: leave it out, or take blank="drop"'
        raise Refused(f"text: {hint}", wire=built.wire.name, path=built.path(part), field="text")
    if all(map(_is_silent, built.request.messages)):
        built.refused("text", part.text, f"{why}, and no message holds anything else", part)
        return False
    for name in _BESIDE:
        if getattr(part, name) is not None:
            built.lost(part, name, "the text that carries it is blank, and left out")
    built.note("dropped", part, spec_word(part), why)
    return True


def _is_own(part: Text, message: Message, built: Built[Any]) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == built.wire.name


def _is_silent(message: Message) -> bool:
    return all(map(_is_blank_text, message.parts))


def _is_blank_text(part: Part) -> bool:
    return type(part) is Text and is_blank(part.text)
