"""Messages and tools as JSON of the GenAI semantic conventions."""

from __future__ import annotations

import json
from typing import Any

from promptwire_runtime import Answer, Message, Request
from promptwire_runtime.model.parts import CustomToolCall, Part, Reasoning, Text, ToolCall, ToolResult


def content_attributes(request: Request) -> dict[str, str]:
    """Return the messages, instructions and tools of a request as attributes."""
    attributes = {"gen_ai.input.messages": json_text([_message(message) for message in request.messages])}
    instructions = request.instructions
    if instructions:
        layers = [instructions] if isinstance(instructions, str) else [layer.text for layer in instructions]
        attributes["gen_ai.system_instructions"] = json_text(
            [{"type": "text", "content": text} for text in layers]
        )
    tools = [_tool(tool) for tool in request.tools or ()]
    if tools:
        attributes["gen_ai.tool.definitions"] = json_text(tools)
    return attributes


def output_attributes(answer: Answer) -> dict[str, str]:
    """Return the messages of an answer as an attribute."""
    rows = [
        {**_message(candidate.message), "finish_reason": candidate.finish or ""}
        for candidate in answer.candidates
        if candidate.message is not None
    ]
    return {"gen_ai.output.messages": json_text(rows)}


def json_text(value: Any) -> str:
    """Return a value as JSON; what JSON does not have is text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "parts": [_part(part) for part in message.parts]}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "content": part.text}
    if isinstance(part, Reasoning):
        texts = (part.text, *(part.texts or ()), *(part.summary or ()))
        return {"type": "reasoning", "content": "".join(filter(None, texts))}
    if isinstance(part, ToolCall | CustomToolCall):
        given = part.arguments if isinstance(part, ToolCall) else part.input
        return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": given}
    if isinstance(part, ToolResult):
        return {
            "type": "tool_call_response",
            "id": part.call_id,
            "response": [_part(one) for one in part.parts],
        }
    # images, sounds and documents are too large for a span
    return {"type": getattr(part, "KIND", "part")}


def _tool(tool: Any) -> dict[str, Any]:
    fields = {name: getattr(tool, name, None) for name in ("name", "description", "parameters")}
    kept = {name: value for name, value in fields.items() if value is not None}
    return {"type": getattr(tool, "KIND", "function"), **kept}
