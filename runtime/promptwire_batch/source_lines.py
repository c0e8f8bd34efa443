"""Recognise one line of a file: a recorded request or its body, a line of a batch file, or a fine-tuning line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptwire_runtime.wire_json.kinds import is_object

from .errors import BatchError

# the end of a URL in a batch file -> the wire of its bodies
_PATHS = {
    "/chat/completions": "openai_chat",
    "/responses": "openai_responses",
    "/messages": "anthropic_messages",
}
# keys of the id of a line, in the order in which they are tried
_IDS = ("id", "custom_id", "recordId", "key")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a file: the body of a request, its wire, and the form that it came in.

    Attributes:
        name: Its id, or where it stands.
        wire: The wire of the body.
        body: The body.
        url: The URL that it was sent to, if the line states it.
        form: `body`, `batch` or `tuning`.
    """

    name: str
    wire: str
    body: Mapping[str, Any]
    url: str | None
    form: str


def source_line(value: Any, where: str, wire: str | None, aliases: Mapping[str, str]) -> SourceLine:
    """Recognise a decoded line.

    Args:
        value: The line.
        where: Its place, for errors and for the name of a line without an id.
        wire: The wire of all lines; None if each line names its own.
        aliases: Names of wires in recorded requests: recorded name -> wire.

    Raises:
        BatchError: the line is no request, or does not name its API.
    """
    if not is_object(value):
        raise BatchError(f"{where}: a line must be a JSON object")
    name = next((str(value[key]) for key in _IDS if key in value), where)
    form, body, known = _form(value)
    if not is_object(body):
        forms = "body (a recorded request or a batch line), params, request, modelInput, or messages"
        raise BatchError(f"{where}: no request is known in this form: an object needs {forms}")
    recorded = [value[key] for key in ("wire", "api") if isinstance(value.get(key), str)]
    named = next((aliases[each] for each in recorded if each in aliases), "")
    url = value.get("url") if isinstance(value.get("url"), str) and "wire" in value else None
    chosen = wire or named or known
    if not chosen:
        raise BatchError(f"{where}: the line does not name its API; say which with --from WIRE")
    return SourceLine(name, chosen, body, url, form)


def _form(value: Mapping[str, Any]) -> tuple[str, Any, str]:
    """Return the form of a line, its body, and the wire that the form is known to belong to."""
    if "custom_id" in value and "params" in value:
        return "batch", value["params"], "anthropic_messages"
    if "custom_id" in value and "body" in value:
        path = str(value.get("url", ""))
        return "batch", value["body"], next((w for end, w in _PATHS.items() if path.endswith(end)), "")
    if "recordId" in value and "modelInput" in value:
        return "batch", value["modelInput"], ""
    if "key" in value and "request" in value:
        return "batch", value["request"], "gemini_generate"
    if "body" in value:
        return "body", value["body"], ""
    if "contents" in value:
        return ("body" if "generationConfig" in value else "tuning"), value, "gemini_generate"
    if "model" in value and ("messages" in value or "input" in value):
        # a body alone, which a line of fine-tuning never is: several APIs have these keys
        return "body", value, ""
    return ("tuning", value, "openai_chat") if "messages" in value else ("body", None, "")
