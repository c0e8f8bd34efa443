"""Named choices for how an agent's call becomes a request, and bundles of them under a name.

- `openai` is what OpenAI's own Responses API takes: native instructions and results, all of it sent in every call.
- `agn003` is the document AGN-003 as it was accepted: made for the wire `aptix_responses`, to the letter.
"""

from __future__ import annotations

from typing import Any

from ..errors import PolicyError
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record

EXECUTION_CHOICES: dict[str, tuple[str, ...]] = {
    "continuation_tools": ("always", "omit", "if_changed"),
    "continuation_system": ("resend", "omit", "if_changed"),
    "instructions_placement": ("top_level", "system_item"),
    "empty_base_system": ("drop", "keep"),
    "tool_schemas": ("neutral", "raw"),
    "unknown_choice": ("error", "note"),
    "tool_results": ("native", "text_block"),
    "retrieved": ("fenced", "verbatim"),
    "on_error": ("raise", "omit"),
    "blank": ("whitespace_is_absent", "strict_seed"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExecutionPolicies(Record):
    r"""Policies for turning a call into a request. Each field lists its choices, the default (`openai`) first.

    When a call continues an answer:
        continuation_tools      tools are sent `always`; left to the server, `omit`; or sent `if_changed`: unless the
                                server was last sent the very same
        continuation_system     the same of the system texts: `resend`, `omit`, `if_changed`
    Instructions:
        instructions_placement  the system texts are the request's instructions, which each API places, and which no
                                server keeps: `top_level`, for `resend` only; or a message, a `system_item`
        empty_base_system       a base system prompt without text: `drop` it, or `keep` its item
        wrapper                 the user's first text; `{mode}` and `{instruction}` stand in it
    Tools and what they returned:
        tool_schemas            `neutral`: the forms of OpenAI (both APIs) and Anthropic become tools of any API.
                                `raw`: each object goes to the wire `raw_wire` as it is, to no other
        unknown_choice          a chosen tool that is not sent along: an `error`, or `note` it and choose it
        tool_results            `native` results, found by the ids of calls, or a `text_block` of the user's message
    Texts:
        retrieved               the block of retrieved text stands `fenced`, between marks that its own text does not
                                hold, or `verbatim`
        on_error                JSON that cannot be read: `raise`, or `omit` it with a note
        blank                   `whitespace_is_absent`: what is blank is absent. `strict_seed`: only what is empty is,
                                and a blank system prompt of the call
    """

    continuation_tools: str = "always"
    continuation_system: str = "resend"
    instructions_placement: str = "top_level"
    empty_base_system: str = "drop"
    wrapper: str = "[MODE: {mode}]\n\n[INSTRUCTION]\n{instruction}"
    tool_schemas: str = "neutral"
    raw_wire: str = "aptix_responses"
    unknown_choice: str = "error"
    tool_results: str = "native"
    retrieved: str = "fenced"
    on_error: str = "raise"
    blank: str = "whitespace_is_absent"

    def __post_init__(self) -> None:
        """Check all choices, and that they do not exclude each other."""
        for name, choices in EXECUTION_CHOICES.items():
            if getattr(self, name) not in choices:
                raise PolicyError(f'{name}="{getattr(self, name)}": use one of {", ".join(choices)}')
        if "{instruction}" not in self.wrapper:
            raise PolicyError(f"wrapper has no place for {{instruction}}: {self.wrapper!r}")
        if self.instructions_placement == "top_level" and self.continuation_system != "resend":
            raise PolicyError(
                f'continuation_system="{self.continuation_system}": no server keeps instructions of the top level: '
                'use resend, or instructions_placement="system_item"'
            )


PRESETS = {
    "openai": ExecutionPolicies(),
    "agn003": ExecutionPolicies(
        continuation_tools="omit",
        continuation_system="omit",
        instructions_placement="system_item",
        empty_base_system="keep",
        tool_schemas="raw",
        unknown_choice="note",
        tool_results="text_block",
        retrieved="verbatim",
        on_error="omit",
        blank="strict_seed",
    ),
}


def execution_policies_of(value: Any) -> ExecutionPolicies:
    """Resolve a preset's name; raises PolicyError for one that does not exist."""
    if isinstance(value, ExecutionPolicies):
        return value
    if not isinstance(value, str) or value not in PRESETS:
        name = f'"{value}"' if isinstance(value, str) else type(value).__name__
        raise PolicyError(f"{name} is not a preset of agent calls: use one of {', '.join(PRESETS)}")
    return PRESETS[value]
