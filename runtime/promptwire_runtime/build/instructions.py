"""Convert layers of instructions to the texts or messages that a wire needs."""

from __future__ import annotations

from ..errors import NoPlace
from ..model.options import Instruction
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list
from ..wire_json.values import joined_text

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from .context import BuildContext


def texts_of_layers(layers: tuple[Instruction, ...], build: BuildContext) -> tuple[str, ...]:
    """Return the texts of layers, for a wire that joins them, and report their other fields.

    Raises:
        NoPlace: there are several, and the policy is `system_texts="error"`.
    """
    if len(layers) > 1:
        _stop_joining(len(layers), build.request, "instructions", build)
    for layer in layers:
        if not layer.is_plain:
            if layer.cache is not None:
                build.lost(layer, "cache")
            build.finish({}, layer)
            if layer.extra is not None and build.wire.name in layer.extra:
                build.lost(layer, "extra", "all layers are joined into one text")
    return tuple([layer.text for layer in layers if layer.text])


def one_text(content: Any, message: Message, build: BuildContext) -> Any:
    """Return the texts of a system message as one text, with a note if there are several.

    Raises:
        NoPlace: there are several, and the policy is `system_texts="error"`.
    """
    if is_list(content) and len(content) > 1:
        _stop_joining(len(content), message, "parts", build)
        why = f"{build.wire.title} takes one text: {len(content)} are joined with a blank line"
        build.note("merged", message, "", why)
    return joined_text(content)


def said_text(content: Any, message: Message) -> Any:
    """Return the texts of an assistant message as one text.

    What a model said is in pieces of one text, such as those around a citation, as `Answer.text` tells them. A blank
    line stands between texts that a caller wrote, and around a text between tags, as which repairs send a call.
    """
    if message.provenance is None or not is_list(content) or not all(type(text) is str for text in content):
        return joined_text(content)
    said, last = "", ""
    for text in content:
        said += f"\n\n{text}" if said and (_is_tagged(text) or _is_tagged(last)) else text
        last = text
    return said


def _is_tagged(text: str) -> bool:
    word = text[1:].partition(">")[0].partition(" ")[0]
    return text.startswith(f"<{word}") and text.endswith(f"\n</{word}>")


def _stop_joining(count: int, node: object, field: str, build: BuildContext) -> None:
    """Report several texts where the API takes one, unless the policy joins them."""
    policies = build.policies
    if not policies.skips_repairs and policies.choice("system_texts") == "off":
        why = f"{field} has {count} texts; {build.wire.title} takes one"
        build.stop(NoPlace, f"{why}. Join them, or choose system_texts=join", node, field)


def runs_of_role(
    layers: tuple[Instruction, ...], role: str, known: frozenset[str], build: BuildContext
) -> list[tuple[str, list[Instruction]]]:
    """Group consecutive layers of one role. Layers without a `known` role have `role`."""
    runs: list[tuple[str, list[Instruction]]] = []
    for layer in layers:
        speaker = layer.role or role
        if speaker not in known and speaker != role:
            build.unused(layer, "role")
            speaker = role
        if runs and runs[-1][0] == speaker:
            runs[-1][1].append(layer)
        else:
            runs.append((speaker, [layer]))
    return runs
