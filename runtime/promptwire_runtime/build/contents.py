"""Convert instructions and tool results to the texts, messages and objects that a wire needs."""

from __future__ import annotations

from ..errors import NoPlace
from ..model.options import Instruction
from ..model.parts import Json, Part, Text, ToolResult
from ..reporting.unkeyed import report_unkeyed
from ..typed import TYPE_CHECKING
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_list, is_object
from ..wire_json.values import joined_text
from .shape_filters import write_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.request import Message
    from .context import BuildContext

_UNKEYED = ("citations", "cache", "signature")


def name_of(result: ToolResult, build: BuildContext) -> str | None:
    """Return the name of the tool that a result comes from: its own, else that of the call that it answers."""
    if result.name is not None or result.call_id is None:
        return result.name
    call = build.report.calls.call_of(result)
    return None if call is None else call.name


def write_arguments(_name: str, result: ToolResult, _field: str, build: BuildContext) -> dict[str, Any]:
    """Write the arguments of the call that a result answers, as an object. Report a result without a call."""
    call = build.report.calls.call_of(result)
    if call is not None:
        arguments = call.arguments
        return write_object(arguments) if type(arguments) is str else own_json(arguments)
    if build.report.policies.orphans != "keep":
        match = "has its name" if result.call_id is None else "has this id"
        why = f"no call before it {match}, and {build.wire.title} requires the arguments of the call with its result"
        build.report.refused("tool_result.call_id", result.call_id, why, result)
    return {}


def read_arguments(_: Any) -> str | None:
    """Return None, because the arguments are known from the call."""
    return None


def write_keyed(result: ToolResult, build: BuildContext, key: str, error: str) -> dict[str, Any]:
    """Write the texts and JSON values of a result as an object.

    A single JSON object is written unchanged. Anything else is written in `key`, or in `error` if the tool failed:
    texts joined with a blank line, other values unchanged, several of them as a list.
    """
    if result.is_error is False:
        build.report.unused(result, "is_error")
    parts = [part for part in result.parts if type(part) is Text or type(part) is Json]
    for part in parts:
        if not part.is_plain:
            _report(part, build)
    values: list[Any] = [part.value if isinstance(part, Json) else part.text for part in parts]
    if not result.is_error and not values:
        return {}
    if all(type(part) is Text for part in parts):
        return {error if result.is_error else key: "\n\n".join(values)}
    content = values[0] if len(values) == 1 else values
    if is_object(content) and not result.is_error:
        return content
    return {error if result.is_error else key: content}


def _report(part: Text | Json, build: BuildContext) -> None:
    for name in _UNKEYED:
        if getattr(part, name, None) is not None:
            build.report.lost(part, name, "the result is sent as a JSON object")
    report_unkeyed(part, build.report)


def parts_without_keys(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts that are written outside such an object: all but texts and JSON values."""
    return tuple([part for part in parts if type(part) is not Text and type(part) is not Json])


def read_keyed(value: Any, key: str, error: str) -> tuple[Part, ...] | None:
    """Read such an object: text in either key as text, a value in `error` as JSON, any other object as JSON."""
    if not is_object(value):
        return None
    if len(value) == 1:
        content = value.get(key, value.get(error))
        if type(content) is str:
            return (Text(content),)
        if content is not None and (error in value or is_list(content)):
            return (Json(content),)
    return (Json(value),) if value else ()


def read_failed(value: Any, error: str) -> bool | None:
    """Return True if such an object says that the tool failed, else None."""
    content = value.get(error) if is_object(value) and len(value) == 1 else None
    return True if content is not None else None


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
                build.report.lost(layer, "cache")
            build.finish({}, layer)
            if layer.extra is not None and build.wire.name in layer.extra:
                build.report.lost(layer, "extra", "all layers are joined into one text")
    return tuple([layer.text for layer in layers if layer.text])


def one_text(content: Any, message: Message, build: BuildContext) -> Any:
    """Return the texts of a system message as one text, with a note if there are several.

    Raises:
        NoPlace: there are several, and the policy is `system_texts="error"`.
    """
    if is_list(content) and len(content) > 1:
        _stop_joining(len(content), message, "parts", build)
        why = f"{build.wire.title} takes one text: {len(content)} are joined with a blank line"
        build.report.note("merged", message, "", why)
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
    policies = build.report.policies
    if not policies.skips_repairs and policies.choice("system_texts") == "off":
        why = f"{field} has {count} texts; {build.wire.title} takes one"
        build.report.stop(NoPlace, f"{why}. Join them, or choose system_texts=join", node, field)


def runs_of_role(
    layers: tuple[Instruction, ...], role: str, known: frozenset[str], build: BuildContext
) -> list[tuple[str, list[Instruction]]]:
    """Group consecutive layers of one role. Layers without a `known` role have `role`."""
    runs: list[tuple[str, list[Instruction]]] = []
    for layer in layers:
        speaker = layer.role or role
        if speaker not in known and speaker != role:
            build.report.unused(layer, "role")
            speaker = role
        if runs and runs[-1][0] == speaker:
            runs[-1][1].append(layer)
        else:
            runs.append((speaker, [layer]))
    return runs
