"""A folder that ONNX Runtime GenAI loads as a model: one token decides the next, by a table of fixed numbers.

The vocabulary is the printable ASCII characters, so that any text has tokens and any grammar can be followed. The graph
is one `Gather`: row `t` of the table holds the logits of what comes after token `t`. Nothing is downloaded.
"""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any, Final

TEMPLATE: Final = (
    "{% if tools %}[TOOLS]{% for tool in tools %}{{ tool | tojson }}{% endfor %}[/TOOLS]{% endif %}"
    "{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.reasoning_content %}(thinks {{ m.reasoning_content }}){% endif %}"
    "{% if m.tool_call_id %}(for {{ m.tool_call_id }}){% endif %}"
    "{{ m.content }}"
    "{% for c in m.tool_calls or [] %}[CALL]{{ c.function.name }} {{ c.function.arguments | tojson }}[/CALL]{% endfor %}"
    "<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)  # fmt: skip
"""The chat template of the folder."""

_SPACE, _NEWLINE = "\u0120", "\u010a"  # how byte-level vocabularies spell them
_CHARACTERS: Final = [*map(chr, range(33, 127)), _SPACE, _NEWLINE]
_SPECIAL: Final = ("<|pad|>", "<|end|>")
_SIZE: Final = len(_CHARACTERS) + len(_SPECIAL)
_PAD, _END = len(_CHARACTERS), len(_CHARACTERS) + 1
_INT64, _FLOAT = 7, 1


def write_model(folder: Path) -> Path:
    """Write tokenizer, configuration and graph into a folder, and return it."""
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(_tokenizer_config()), "utf-8")
    (folder / "genai_config.json").write_text(json.dumps(_genai_config()), "utf-8")
    (folder / "model.onnx").write_bytes(_graph())
    return folder


def _special(index: int) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"content": _SPECIAL[index], "special": True, **flags}


def _tokenizer() -> dict[str, Any]:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": [{"id": _PAD + index, **_special(index)} for index in range(len(_SPECIAL))],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {character: index for index, character in enumerate(_CHARACTERS)},
            "merges": [],
        },
    }


def _tokenizer_config() -> dict[str, Any]:
    return {
        "tokenizer_class": "GPT2Tokenizer",
        "bos_token": "<|pad|>",
        "eos_token": "<|end|>",
        "unk_token": "<|pad|>",
        "pad_token": "<|pad|>",
        "add_bos_token": False,
        "add_prefix_space": False,
        "chat_template": TEMPLATE,
        "added_tokens_decoder": {str(_PAD + index): _special(index) for index in range(len(_SPECIAL))},
    }


def _genai_config() -> dict[str, Any]:
    decoder = {
        "filename": "model.onnx",
        "head_size": 1,
        "hidden_size": 1,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "num_hidden_layers": 0,
        "inputs": {"input_ids": "input_ids"},
        "outputs": {"logits": "logits"},
    }
    model = {
        "type": "llama",
        "bos_token_id": _PAD,
        "eos_token_id": _END,
        "pad_token_id": _PAD,
        "vocab_size": _SIZE,
        "context_length": 4096,
        "decoder": decoder,
    }
    # what stop strings and seeds of one turn need
    return {"model": model, "search": {"max_length": 4096}, "engine": {"dynamic_batching": {}}}


def _graph() -> bytes:
    """The ONNX file, in the wire format of protocol buffers; numbers of fields are those of onnx.proto."""
    table = [_logit(row, column) for row in range(_SIZE) for column in range(_SIZE)]
    weights = (
        _field(1, _SIZE) + _field(1, _SIZE) + _field(2, _FLOAT) + _field(8, "table")
        + _field(9, struct.pack(f"<{len(table)}f", *table))
    )  # fmt: skip
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, "logits") + _field(4, "Gather")
    graph = (
        _field(1, node) + _field(2, "tiny") + _field(5, weights)
        + _field(11, _value("input_ids", _INT64, "batch", "length"))
        + _field(12, _value("logits", _FLOAT, "batch", "length", _SIZE))
    )  # fmt: skip
    operators = _field(1, "") + _field(2, 17)
    return _field(1, 8) + _field(7, graph) + _field(8, operators)


def _logit(row: int, column: int) -> float:
    """A number without pattern; blanks are unlikely, or an answer in JSON could go on with them for ever."""
    blank = _CHARACTERS[column : column + 1] in ([_SPACE], [_NEWLINE])
    return -99.0 if blank else 3 * math.sin(1 + row * 12.9898 + column * 78.233)


def _value(name: str, kind: int, *shape: int | str) -> bytes:
    sizes = [_field(1 if isinstance(size, int) else 2, size) for size in shape]
    tensor = _field(1, kind) + _field(2, b"".join(_field(1, size) for size in sizes))
    return _field(1, name) + _field(2, _field(1, tensor))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
