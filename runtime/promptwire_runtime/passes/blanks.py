"""Text of nothing but white space is left out, for APIs that refuse it: parts, messages, layers of instructions."""

from __future__ import annotations

from ..errors import Refused
from ..model.nodes import replace
from ..model.parts import Text
from ..model.plain import is_blank
from ..rules.paths import spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..build.context import BuildContext
    from ..model.parts import Part
    from ..model.request import Message, Request

_BESIDE = ("cache", "signature", "citations", "logprobs")


def drops_blank(part: Text, message: Message, build: BuildContext) -> bool:
    """Tell whether a text is blank and left out, with a note; raises Refused under `blank="error"`.

    What was read from this very wire was accepted as it is. Where the conversation holds nothing else, blank text is
    refused: there would be no message to send.
    """
    if build.policies.blank == "keep" or not is_blank(part.text) or _is_own(part, message, build):
        return False
    why = _why(build, part, "text")
    if all(map(_is_silent, build.request.messages)):
        build.refused("text", part.text, f"{why}, and no message holds anything else", part)
        return False
    _report_beside(part, build)
    build.note("dropped", part, spec_word(part), why)
    return True


def drops_empty(message: Message, build: BuildContext) -> bool:
    """Tell whether a message without parts is left out; raises Refused under `blank="error"`, or if all are."""
    wire = build.wire.name
    says_more = wire in (message.vendor or ()) or wire in (message.extra or ())
    if build.policies.blank == "keep" or says_more or _is_own(message, message, build):
        return False
    why = _why(build, message, "parts")
    if all(map(_is_silent, build.request.messages)):
        build.refused("parts", None, f"{why}, and no message holds anything", message)
        return False
    return True


def without_blank_layers(request: Request, build: BuildContext) -> Request:
    """Give the request without instructions of nothing but white space, each with a note."""
    given = request.instructions
    if build.policies.blank == "keep" or not given:
        return request
    if isinstance(given, str):
        if not given.isspace():
            return request
        build.note("dropped", request, "instructions", _why(build, request, "instructions"))
        left = None
    else:
        blank = [layer for layer in given if is_blank(layer.text)]
        if not blank:
            return request
        for layer in blank:
            _report_beside(layer, build)
            build.note("dropped", layer, "text", _why(build, layer, "text"))
        left = tuple([layer for layer in given if not is_blank(layer.text)]) or None
    made = replace(request, instructions=left)
    build.replaced(made)
    return made


def _report_beside(node: Any, build: BuildContext) -> None:
    """Report what stands on a text that is left out."""
    for name in _BESIDE:
        if getattr(node, name, None) is not None:
            build.lost(node, name, "the text that carries it is blank, and left out")
    if not node.plain:
        build.bare(node)


def _why(build: BuildContext, node: object, field: str) -> str:
    """Say why blank text is left out; raises Refused under `blank="error"`."""
    why = f"{build.wire.title} takes no blank text"
    if build.policies.blank == "error":
        hint = f'{why}: leave it out, or take blank="drop"'
        raise Refused(f"{field}: {hint}", wire=build.wire.name, path=build.path(node), field=field)
    return why


def _is_own(part: Text | Message, message: Message, build: BuildContext) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == build.wire.name


def _is_silent(message: Message) -> bool:
    return all(map(_is_blank_text, message.parts))


def _is_blank_text(part: Part) -> bool:
    return type(part) is Text and is_blank(part.text)
