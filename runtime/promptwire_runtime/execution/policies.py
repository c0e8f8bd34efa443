"""Policies for building a request from the call of an agent, and presets of them.

- `openai`: for OpenAI's Responses API: native instructions and tool results, sent in every call.
- `agn003`: as the document AGN-003 specifies, for the wire `aptix_responses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import PolicyError
from ..nodes.checks import CheckedRecord
from ..reporting.policies import check_choices, policies_from, presets_of, takes_old_names


@takes_old_names
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExecutionPolicies(CheckedRecord):
    r"""Policies for building a request from a call. Each lists its choices, the default (preset `openai`) first.

    Attributes:
        continuation_tools: Tools of a call that continues an answer: send them `always`, `omit` them, or send them
            `if_changed` since the last call.
        continuation_system: System texts of a call that continues an answer: `resend`, `omit`, or `if_changed`.
        instructions_placement: System texts are the instructions of the request (`top_level`; only with `resend`,
            because no server stores them), or a system message (`system_item`).
        empty_base_system: An empty base prompt: `drop` it, or `keep` it as an empty item.
        wrapper: The template of the first user text, with `{mode}` and `{instruction}`.
        tool_schemas: `neutral`: schemas of OpenAI (both APIs) and Anthropic become tools of any API. `raw`: each schema
            is sent unchanged to the wire `raw_wire`, and to no other.
        raw_wire: The wire that raw schemas are for.
        unknown_choice: A chosen tool that is not sent: `error`, or choose it with a `note`.
        tool_results: `native` results, matched by call id, or a `text_block` in the user message.
        retrieved: The block of retrieved text: `fenced` by marks that the text does not contain, or `verbatim`.
        on_error: JSON that cannot be read: `raise` an error, or `omit` it with a note.
        blank: Text of only white space: `drop` it, or `keep` it; a blank system prompt of the call is never sent.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("execution",)

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
    blank: str = "drop"

    def __post_init__(self) -> None:
        """Check all choices, and that they do not exclude each other."""
        super().__post_init__()
        check_choices(self)
        if "{instruction}" not in self.wrapper:
            raise PolicyError(f"wrapper has no place for {{instruction}}: {self.wrapper!r}")
        if self.instructions_placement == "top_level" and self.continuation_system != "resend":
            raise PolicyError(
                f'continuation_system="{self.continuation_system}": no server keeps instructions of the top level: '
                'use resend, or instructions_placement="system_item"'
            )


PRESETS = presets_of(ExecutionPolicies)


def execution_policies_of(value: Any) -> ExecutionPolicies:
    """Return policies for a preset, choices in a text, a mapping, or policies. Raises PolicyError for unknown ones."""
    return policies_from(ExecutionPolicies, value)
