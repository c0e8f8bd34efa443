"""Google's protocol buffers for generateContent, read from JSON: an independent witness for built bodies.

They are those of the Developer API as their last release has them; `NEWER` lists the fields that came after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from google.ai import generativelanguage_v1beta as protocol
from google.protobuf import json_format  # type: ignore[import-untyped]

# Message -> fields of the API that its protocol buffer does not have yet: new ones, and those of Vertex.
NEWER: Final[dict[str, frozenset[str]]] = {
    "GenerateContentRequest": frozenset(
        {"continuationToken", "labels", "modelArmorConfig", "outputConfig", "serviceTier", "store"}
    ),
    "GenerationConfig": frozenset(
        {"audioTimestamp", "audioTranscriptionConfig", "modelConfig", "routingConfig"}
    ),
    "ThinkingConfig": frozenset({"thinkingLevel"}),
    "ImageConfig": frozenset({"imageOutputOptions", "imageSize"}),
    "Part": frozenset(
        {
            "audioMetadata", "audioTranscription", "documentMetadata", "mediaProcessing", "mediaResolution",
            "speechMetadata", "spreadsheetMetadata", "toolCall", "toolResponse",
        }
    ),
    "Blob": frozenset({"displayName"}),
    "FunctionCall": frozenset({"partialArgs", "willContinue"}),
    "FunctionResponsePart": frozenset({"fileData"}),
    "ExecutableCode": frozenset({"id"}),
    "CodeExecutionResult": frozenset({"id"}),
    "Tool": frozenset({"enterpriseWebSearch", "exaAiSearch", "mcpServers", "parallelAiSearch", "retrieval"}),
    "ToolConfig": frozenset({"includeServerSideToolInvocations"}),
    "FunctionCallingConfig": frozenset({"streamFunctionCallArguments"}),
    "GoogleSearch": frozenset({"excludeDomains", "searchTypes"}),
    "GoogleMaps": frozenset({"groundingTypes"}),
    "FileSearch": frozenset({"fileSearchStoreNames", "metadataFilter", "topK"}),
}  # fmt: skip
_REQUEST: Final = protocol.GenerateContentRequest.pb(protocol.GenerateContentRequest()).DESCRIPTOR
_ALPHABET: Final = str.maketrans("-_", "+/")
_FREE: Final = ("Struct", "Value", "Duration", "Timestamp")


def _known(value: Any, message: Any, left_out: set[tuple[str, str]]) -> Any:
    """Leave out what is newer than a message's protocol buffer, and note it."""
    if isinstance(value, list):
        return [_known(each, message, left_out) for each in value]
    if (
        message is None
        or message.name in _FREE
        or message.GetOptions().map_entry
        or not isinstance(value, dict)
    ):
        return value
    fields = {field.json_name: field.message_type for field in message.fields}
    newer = NEWER.get(message.name, frozenset())
    left_out |= {(message.name, key) for key in value if key in newer}
    return {key: _known(each, fields.get(key), left_out) for key, each in value.items() if key not in newer}


def _without_defaults(value: Any) -> Any:
    """Leave out what a protocol buffer does not write: empty text, empty lists and false."""
    if isinstance(value, list):
        return [_without_defaults(each) for each in value]
    if isinstance(value, dict):
        kept = {key: _without_defaults(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ("", []) and each is not False}
    # bytes come back in the other alphabet of base64, and padded
    return value.translate(_ALPHABET).rstrip("=") if isinstance(value, str) else value


def parsed(body: Any) -> tuple[Any, set[tuple[str, str]]]:
    """Parse what the protocol buffers know of a body, and write it again; also what they do not know.

    Raises json_format.ParseError, and AssertionError where the body comes back as another one.
    """
    left_out: set[tuple[str, str]] = set()
    known = _known(body, _REQUEST, left_out)
    request = protocol.GenerateContentRequest.pb(protocol.GenerateContentRequest())
    json_format.ParseDict(known, request)
    again = json_format.MessageToDict(request)
    changed = next(_changes(_without_defaults(known), _without_defaults(again), ""), None)
    assert changed is None, f"{changed}: comes back as another value"
    return request, left_out


def _changes(given: Any, again: Any, path: str) -> Iterator[str]:
    """Yield the places where two JSON values differ."""
    if isinstance(given, dict) and isinstance(again, dict):
        for key in given.keys() | again.keys():
            yield from _changes(given.get(key), again.get(key), f"{path}.{key}" if path else key)
    elif isinstance(given, list) and isinstance(again, list) and len(given) == len(again):
        for index, pair in enumerate(zip(given, again, strict=True)):
            yield from _changes(*pair, f"{path}[{index}]")
    elif given != again:
        yield path


def problems(body: Any) -> list[str]:
    """Return the first thing that the protocol buffers reject in a body, or an empty list."""
    try:
        parsed(body)
    except json_format.ParseError as error:
        return [" ".join(str(error).split())]
    except AssertionError as error:
        return [str(error)]
    return []


def messages() -> dict[str, Any]:
    """Every message that a request can hold, by name."""
    found: dict[str, Any] = {}
    stack = [_REQUEST]
    while stack:
        message = stack.pop()
        if message.name not in found:
            found[message.name] = message
            stack += [field.message_type for field in message.fields if field.message_type is not None]
    return found
