"""A language model small enough to make in a test: real file format, random weights.

What counts is that a server loads it, renders its chat template and generates. One that calls tools has two sentences to
say; all other words mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

HIDDEN = 64
LAYERS = 2
HEADS = 4
KEY_VALUE_HEADS = 2
FEED_FORWARD = 128
CONTEXT = 32768
SEED = 20240229

CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

# llama.cpp refuses a vocabulary without merges; one is enough.
MERGES = ("t h",)

# Tokens outside printable ASCII are held down: the output is then valid UTF-8 and never ends early.
SUPPRESSED_BIAS = -30.0

# Ids are rendered too, so that equal prompts prove that each result is paired with the right call.
CHAT_TEMPLATE = """\
{%- if messages[0].role == 'system' %}
    {%- set system_text = messages[0].content %}
    {%- set turns = messages[1:] %}
{%- else %}
    {%- set system_text = '' %}
    {%- set turns = messages %}
{%- endif %}
{%- if system_text or tools %}
    {{- '<|im_start|>system\\n' + system_text }}
    {%- if tools %}
        {{- '\\n\\n# Tools\\n\\n<tools>' }}
        {%- for tool in tools %}
            {{- '\\n' + (tool | tojson) }}
        {%- endfor %}
        {{- '\\n</tools>\\n\\nCall: <tool_call>\\n' }}
        {{- '{"id": id, "name": name, "arguments": arguments}\\n</tool_call>' }}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in turns %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.role == 'tool' %}
        {{- '<tool_response id="' + (message.tool_call_id or '') + '">\\n' }}
        {{- message.content + '\\n</tool_response>' }}
    {%- else %}
        {{- message.content or '' }}
    {%- endif %}
    {%- for call in message.tool_calls or [] %}
        {{- '\\n<tool_call>\\n{"id": "' + (call.id or '') + '", "name": "' + call.function.name }}
        {{- '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# The same without ids, which random weights could not end, and with what begins one of the two sentences: a blank before
# an answer to results, a tab before one to a question without tools.
CALLING_TEMPLATE = (
    CHAT_TEMPLATE.replace('{"id": id, "name"', '{"name"')
    .replace("""{"id": "' + (call.id or '') + '", "name": "' + call""", """{"name": "' + call""")
    .replace(
        """{{- '<|im_start|>assistant\\n' }}
""",
        """{{- '<|im_start|>assistant\\n' + (' ' if messages[-1].role == 'tool' else '' if tools else '\\t') }}
""",
    )
)

CALL_TOKENS = ("<tool_call>", "</tool_call>")
RESULT_PIECES = ("It is", " 12 C", " in Oslo.")
RESULT_SENTENCE = "".join(RESULT_PIECES)
HELLO_PIECES = ("I am", " a tiny model", " with two sentences.")
HELLO_SENTENCE = "".join(HELLO_PIECES)
# Each token makes the next one all but certain, where a grammar allows it: a call of a tool, and the two sentences.
# Line break, blank and tab stand as byte-level BPE names them.
FOLLOWING = (
    ("\u010a", "<tool_call>"),
    ("<tool_call>", "\u010a"),
    ("}", "</tool_call>"),
    ("</tool_call>", "<|im_end|>"),
    *pairwise(("\u0120", *RESULT_PIECES, "<|im_end|>")),
    *pairwise(("\u0109", *HELLO_PIECES, "<|im_end|>")),
)


def byte_symbols() -> list[str]:
    """The 256 one-character names of the bytes in GPT-2's byte-level BPE, in byte order."""
    spare = iter(range(256, 512))
    return [
        chr(byte) if 0x21 <= byte <= 0x7E or (byte >= 0xA1 and byte != 0xAD) else chr(next(spare))
        for byte in range(256)
    ]


def vocabulary(*, calling: bool = False) -> tuple[list[str], list[gguf.TokenType]]:
    """The tokens and their types: the 256 bytes, the merges, the control tokens, those of calls and sentences."""
    plain = [*byte_symbols(), *(merge.replace(" ", "") for merge in MERGES)]
    calls = (*CALL_TOKENS, *RESULT_PIECES, *HELLO_PIECES) if calling else ()
    types = [gguf.TokenType.NORMAL] * len(plain) + [gguf.TokenType.CONTROL] * len(CONTROL_TOKENS)
    return [*plain, *CONTROL_TOKENS, *calls], types + [gguf.TokenType.USER_DEFINED] * len(calls)


def weights(vocabulary_size: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Every tensor by name, each of shape ``(outputs, inputs)`` or ``(outputs,)``, float32."""
    random = np.random.default_rng(SEED)

    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        return random.standard_normal((rows, columns), dtype=np.float32) / np.float32(columns**0.5)

    key_value = HIDDEN // HEADS * KEY_VALUE_HEADS
    yield "token_embd.weight", matrix(vocabulary_size, HIDDEN)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        for norm in ("attn_norm", "ffn_norm"):
            yield f"{block}.{norm}.weight", np.ones(HIDDEN, dtype=np.float32)
        for name, size in (("attn_q", HIDDEN), ("attn_k", key_value), ("attn_v", key_value)):
            yield f"{block}.{name}.weight", matrix(size, HIDDEN)
            yield f"{block}.{name}.bias", np.zeros(size, dtype=np.float32)
        yield f"{block}.attn_output.weight", matrix(HIDDEN, HIDDEN)
        yield f"{block}.ffn_gate.weight", matrix(FEED_FORWARD, HIDDEN)
        yield f"{block}.ffn_up.weight", matrix(FEED_FORWARD, HIDDEN)
        yield f"{block}.ffn_down.weight", matrix(HIDDEN, FEED_FORWARD)
    yield "output_norm.weight", np.ones(HIDDEN, dtype=np.float32)
    yield "output.weight", matrix(vocabulary_size, HIDDEN)
    bias = np.full(vocabulary_size, SUPPRESSED_BIAS, dtype=np.float32)
    bias[0x20:0x7F] = 0.0
    yield "output.bias", bias


def calling_weights(tokens: list[str]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The same tensors, but that each token of ``FOLLOWING`` points to the one after it in a direction of its own."""
    pairs = [(tokens.index(token), tokens.index(following)) for token, following in FOLLOWING]
    firsts, seconds = map(list, zip(*pairs, strict=True))
    directions = range(len(pairs))
    for name, values in weights(len(tokens)):
        if name == "token_embd.weight":
            values[firsts] = 0
            values[firsts, directions] = 40
        elif name == "output.weight":
            values[seconds] = 0
            values[seconds, directions] = 10
        elif name == "output.bias":
            values[seconds] = -40
        yield name, values


def write_tiny_model(path: Path, *, calling: bool = False) -> Path:
    """Write the model to ``path`` as a GGUF file of under 1 MB, the same bytes each time.

    Architecture ``qwen2``, float32, byte-level BPE with ChatML control tokens and a template with tools.

    Args:
        path: where to.
        calling: the model calls a tool where it has one, answers with one sentence when it has the result, and with
            another where it has no tools.

    Returns:
        ``path``.

    Raises:
        OSError: the file cannot be written.
    """
    tokens, types = vocabulary(calling=calling)
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_name("tiny random model")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_VALUE_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(list(MERGES))
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(CALLING_TEMPLATE if calling else CHAT_TEMPLATE)
    for name, tensor in calling_weights(tokens) if calling else weights(len(tokens)):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
