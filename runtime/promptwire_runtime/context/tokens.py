"""A rough count of tokens, for thresholds: give a tokenizer of your own where it must be exact."""

from __future__ import annotations

import json

from ..model.parts import Json, Part, Reasoning, Refusal, SearchResult, Text, ToolCall, ToolResult
from ..model.request import Message
from ..nodes.type_errors import check_class

CHARACTERS_A_TOKEN = 4


def estimate_tokens(message: Message) -> int:
    """Estimate the tokens of a message: one for every four characters of its texts, calls and results.

    Images, audio and other media count nothing.
    """
    check_class(message, Message, "message")
    return -(-sum(map(_characters, message.parts)) // CHARACTERS_A_TOKEN)


def _characters(part: Part) -> int:
    if isinstance(part, Text | Refusal):
        return len(part.text)
    if isinstance(part, ToolCall):
        return len(part.name) + _length(part.arguments)
    if isinstance(part, ToolResult | SearchResult):
        return sum(map(_characters, part.parts))
    if isinstance(part, Json):
        return _length(part.value)
    if isinstance(part, Reasoning):
        return sum(map(len, (part.text or "", *(part.summary or ()), *(part.texts or ()))))
    return 0


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))
