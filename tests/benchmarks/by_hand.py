"""Builders written by hand for one API and these conversations: no checks, no options, no memory.

This is the yardstick of the speed tests. It takes the same neutral values and gives the same meaning.
"""

from __future__ import annotations

import json
from typing import Any

from promptwire import Request, Text, ToolCall

dumps = json.dumps


def anthropic_messages(request: Request) -> dict[str, Any]:
    """Messages, merging tool results with the user turn after them."""
    messages: list[Any] = []
    results: list[Any] | None = None
    for message in request.messages:
        parts: Any = message.parts
        if message.role == "tool":
            if results is None:
                results = []
                messages.append({"role": "user", "content": results})
            for result in parts:
                results.append(
                    {"type": "tool_result", "tool_use_id": result.call_id, "content": result.parts[0].text}
                )
            continue
        content: list[Any] = []
        for part in parts:
            kind = type(part)
            if kind is Text:
                content.append({"type": "text", "text": part.text})
            elif kind is ToolCall:
                content.append(
                    {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
                )
            else:
                source = {"type": "base64", "media_type": part.media_type, "data": part.data}
                content.append({"type": "image", "source": source})
        if message.role == "user" and results is not None:
            results.extend(content)
        else:
            messages.append({"role": message.role, "content": content})
        results = None
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.options.max_tokens,
        "temperature": request.options.temperature,
        "messages": messages,
    }
    if request.instructions:
        body["system"] = request.instructions
    if request.tools:
        body["tools"] = [_anthropic_tool(tool) for tool in request.tools]
    return body


def _anthropic_tool(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def openai_chat(request: Request) -> dict[str, Any]:
    """Chat completions, plain text as strings."""
    messages: list[Any] = []
    if request.instructions:
        messages.append({"role": "system", "content": request.instructions})
    for message in request.messages:
        parts: Any = message.parts
        if message.role == "tool":
            for result in parts:
                messages.append(
                    {"role": "tool", "tool_call_id": result.call_id, "content": result.parts[0].text}
                )
        elif message.role == "assistant":
            text = None
            calls: list[Any] = []
            for part in parts:
                if type(part) is Text:
                    text = part.text if text is None else text + part.text
                else:
                    function = {"name": part.name, "arguments": dumps(part.arguments)}
                    calls.append({"id": part.id, "type": "function", "function": function})
            item: dict[str, Any] = {"role": "assistant", "content": text}
            if calls:
                item["tool_calls"] = calls
            messages.append(item)
        elif len(parts) == 1 and type(parts[0]) is Text:
            messages.append({"role": "user", "content": parts[0].text})
        else:
            messages.append({"role": "user", "content": [_chat_part(part) for part in parts]})
    body: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        "max_completion_tokens": request.options.max_tokens,
        "temperature": request.options.temperature,
    }
    if request.tools:
        body["tools"] = [{"type": "function", "function": _chat_function(tool)} for tool in request.tools]
    return body


def _chat_part(part: Any) -> dict[str, Any]:
    if type(part) is Text:
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{part.data}"}}


def _chat_function(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
