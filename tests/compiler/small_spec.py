"""One small, whole spec that tests change in one place, and how its problems are printed."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.internals.compiler import SpecError, as_text, load_specs

WHOLE = """\
wire: small_chat
title: Small Chat
docs: https://example.com/docs
transport:
  method: POST
  url: "${base_url}/chat"
  headers: {content-type: application/json, "x-beta?": $betas|comma}
  auth:
    - {header: authorization, value: "Bearer ${api_key}", env: SMALL_API_KEY}
  settings:
    base_url: {default: "https://example.com"}
    version: {default: v1, choices: [v1, v2]}
    betas: {type: list}
instructions: {native: true, placement: top_level, field: system}
continuation: {mode: resend}
tools: {format: little, names: "^[a-z]+$", choice: [auto, none]}
body: {model: $model, messages: $messages}
slots: {content: list, refusal: one}
messages: {user: {role: user, content: $content}}
unions: {tool: {function: {name: $name}}}
parts: {text: $text}
passes: [merge_neighbours]
rules:
  - when: {model: o1*, settings: {version: v2}, given: [reasoning.budget]}
    reject: [temperature, {message.role: system}]
    because: it is refused
    source: the vendor's page, 2026-11
examples:
  - name: one
    request: {messages: [{user: hi}]}
    body: {messages: [{role: user, content: hi}]}
  - name: two
    request: {options: {temperature: 1}}
    error: {kind: Refused, field: temperature}
"""
FILE = "provider_specs/small_chat.yaml"


def printed(files: dict[str, str]) -> str:
    """Load what must not load, and return the problems as they are printed."""
    with pytest.raises(SpecError) as caught:
        load_specs(files)
    return as_text(caught.value.problems, files)


def printed_at(old: str, new: str) -> str:
    """Replace one text of WHOLE, load it, and return the printed problems."""
    assert WHOLE.count(old) == 1
    return printed({FILE: WHOLE.replace(old, new)})


def in_file(problems: str) -> str:
    """Put the file's name before every headline of `problems`."""
    return "\n".join(line if line[0] == " " else f"{FILE}:{line}" for line in dedent(problems).splitlines())
