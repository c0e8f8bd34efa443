"""Text of nothing but white space is left out, for APIs that refuse it: parts, messages, layers of instructions."""

from __future__ import annotations

from ..errors import Refused
from ..nodes import replace
from ..parts import Text
from ..plain import is_blank
from ..rule_paths import spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..built import Built
    from ..parts import Part
    from ..request import Message, Request

_BESIDE = ("cache", "signature", "citations", "logprobs")


def drops_blank(part: Text, message: Message, built: Built[Any]) -> bool:
    """Tell whether a text is blank and left out, with a note; raises Refused under `blank="error"`.

    What was read from this very wire was accepted as it is. Where the conversation holds nothing else, blank text is
    refused: there would be no message to send.
    """
    if built.policies.blank == "keep" or not is_blank(part.text) or _is_own(part, message, built):
        return False
    why = _why(built, part, "text")
    if all(map(_is_silent, built.request.messages)):
        built.refused("text", part.text, f"{why}, and no message holds anything else", part)
        return False
    _report_beside(part, built)
    built.note("dropped", part, spec_word(part), why)
    return True


def drops_empty(message: Message, built: Built[Any]) -> bool:
    """Tell whether a message without parts is left out; raises Refused under `blank="error"`, or if all are."""
    wire = built.wire.name
    says_more = wire in (message.vendor or ()) or wire in (message.extra or ())
    if built.policies.blank == "keep" or says_more or _is_own(message, message, built):
        return False
    why = _why(built, message, "parts")
    if all(map(_is_silent, built.request.messages)):
        built.refused("parts", None, f"{why}, and no message holds anything", message)
        return False
    return True


def without_blank_layers(request: Request, built: Built[Any]) -> Request:
    """Give the request without instructions of nothing but white space, each with a note."""
    given = request.instructions
    if built.policies.blank == "keep" or not given:
        return request
    if isinstance(given, str):
        if not given.isspace():
            return request
        built.note("dropped", request, "instructions", _why(built, request, "instructions"))
        left = None
    else:
        blank = [layer for layer in given if is_blank(layer.text)]
        if not blank:
            return request
        for layer in blank:
            _report_beside(layer, built)
            built.note("dropped", layer, "text", _why(built, layer, "text"))
        left = tuple([layer for layer in given if not is_blank(layer.text)]) or None
    made = replace(request, instructions=left)
    built.replaced(made)
    return made


def _report_beside(node: Any, built: Built[Any]) -> None:
    """Report what stands on a text that is left out."""
    for name in _BESIDE:
        if getattr(node, name, None) is not None:
            built.lost(node, name, "the text that carries it is blank, and left out")
    if not node.plain:
        built.bare(node)


def _why(built: Built[Any], node: object, field: str) -> str:
    """Say why blank text is left out; raises Refused under `blank="error"`."""
    why = f"{built.wire.title} takes no blank text"
    if built.policies.blank == "error":
        hint = f'{why}: leave it out, or take blank="drop"'
        raise Refused(f"{field}: {hint}", wire=built.wire.name, path=built.path(node), field=field)
    return why


def _is_own(part: Text | Message, message: Message, built: Built[Any]) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == built.wire.name


def _is_silent(message: Message) -> bool:
    return all(map(_is_blank_text, message.parts))


def _is_blank_text(part: Part) -> bool:
    return type(part) is Text and is_blank(part.text)
