"""A small wire with one rule, whose entry stands where ENTRY does."""

from __future__ import annotations

from promptwire_gen.plugin_api import Span
from tests.internals.compiler import TESTED_TEXT, condition_as_mapping, flow_text

SPEC = """\
wire: ruled_chat
title: Ruled Chat
transport: {method: POST, url: "https://example.com/chat"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: little, names: "[a-z_]+", unique: true}
slots: {content: list}
body:
  model: $model
  max_tokens?: $max_tokens
  temperature?: $temperature
  sampling?: {top_p?: $top_p, seed?: $seed}
  stop?: $stop
  bias?: $logit_bias
  metadata?: $metadata
  format?: $response_format
  effort?: $reasoning.effort
  budget?: $reasoning.budget
  cache?: $cache
  tools?: $tools
  messages: $messages
messages:
  user: {role: user, name?: $name, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
  system: {role: system, content: "$content[]"}
  tool: {role: tool, content: "$content[]"}
unions:
  tool:
    function: {name: $name, description?: $description, parameters?: $parameters, strict?: $strict, later?: $deferred, cache?: $cache}
  cache: {mark: {ttl?: $ttl}}
  response_format: {json_schema: {schema: $schema, strict?: $strict}}
parts:
  text: {type: text, text: $text, cache?: $cache}
  image.data: {type: image, data: $data, cache?: $cache, crop?: $vendor.crop}
  document.data: {type: file, data: $data, media?: $media_type, name?: {or: [$filename, $title]}}
  tool_call@assistant: {type: call, id: $id, name: $name, arguments: $arguments}
  tool_result@tool,user: {type: result, id: $call_id, content: "$content[]", failed?: $is_error}
rules:
  - reject: [ENTRY]
    because: the vendor says so
    source: the vendor's page, 2026-11
"""


def in_words(entry: str) -> str:
    """Return a condition as a spec writes it: `{temperature: {exclusiveMinimum: 2}}` for `temperature>2`."""
    if TESTED_TEXT.match(entry) is None:
        return f'"{entry}"'
    return flow_text(condition_as_mapping(entry, Span("entry", 1, 1, 1)))


def ruled(entry: str) -> str:
    """Return the spec with one rule that refuses an entry."""
    return SPEC.replace("ENTRY", in_words(entry))
