"""Policies for instructions, history and prompts of evaluation cases, and presets of them.

| preset      | instructions                                                                                  |
|-------------|-----------------------------------------------------------------------------------------------|
| `standard`  | the defaults: layers in the documented order; a text is not sent twice                        |
| `seed`      | like `standard`, but a system message of the user replaces all layers                         |
| `design004` | layers first, then the system messages of the user; all are sent                              |
| `agentv`    | layers are sent only if the conversation has no system message                                |
| `maf`       | layers of the request before those of context providers; repeated layers are sent again       |
| `meai`      | layers are always sent before the messages, without comparing texts                           |

| preset             | prompts of evaluation cases                                                            |
|--------------------|----------------------------------------------------------------------------------------|
| `standard`, `seed` | the defaults of `PromptPolicies`                                                       |
| `design004`        | metadata, guidelines and system messages, in this order, at the start; markers and     |
|                    | empty parts are kept                                                                   |
| `agentv`           | the same order, but a later system message becomes an assistant message, guidelines    |
|                    | leave no marker, and a single turn stays a question                                    |
| `maf`, `meai`      | messages keep their places, and no default system prompt is added                      |

`seed` and `design004` follow the documents that this package began with. `agentv` follows the evaluation tool agentv,
`maf` the Microsoft Agent Framework, `meai` Microsoft.Extensions.AI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..errors import InvalidRequest, PolicyError
from ..nodes.checks import CheckedRecord
from ..nodes.coercion import as_names
from ..nodes.record_fields import shown
from ..nodes.records import set_fields
from ..reporting.policies import check_choices, policies_from, presets_of, takes_old_names

DEFAULT_SYSTEM_PROMPT = "You are a careful assistant."


@takes_old_names
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PromptPolicies(CheckedRecord):
    r"""Policies for converting the messages of an evaluation case into a prompt. Each lists its choices, default first.

    Attributes:
        system_layout: The order of the system message. `explicit_replaces_base`: the system messages of the case, or
            the prompt of the metadata if there are none, then the guidelines. `base_guidelines_explicit`: prompt of the
            metadata, guidelines, system messages of the case.
        late_system: A system message after the first turn: `hoist` it to the start, send it as marked text of the
            `assistant` or `user`, or `keep` it in its place.
        system_message_files: A file in a system message: with a `header`, or `bare`.
        default_system_prompt: The system message of a prompt that has none. None adds none.
        segment_separator: The text between the pieces of the system message, and between guidelines (`"\n\n"`).
        guideline_headers: The path above the text of each guideline: `auto` (if there are several), `always`, `never`.
            Guidelines are files whose path matches a pattern; their text is part of the system message.
        header_path: The path in that header: `as_given`, or its last segment (`basename`).
        guideline_dedup: A guideline that is attached twice: send it once (`by_path`), or twice (`none`).
        guideline_reference: In the place of a guideline: a `marker` (`<Attached: path>`), or `omit`. Transcripts always
            name guidelines.
        guideline_only_messages: A message that has only guidelines: `keep` its markers, `drop` it, or `auto`, which
            drops it unless no message would be left.
        guidelines_with_prompt: Guidelines beside a finished chat prompt: `ignore` them, or add them if the prompt has
            no system message (`append_when_no_system`).
        guidelines_alone: A system message that has only guidelines: send it `as_they_are`, or add the
            `default_prompt` before them, as for a single question.
        file_header: How other files are marked: a line above (`equals`: `=== path ===`), or an `xml` element.
        normalise_newlines: Whether the line ends of files become `\n`.
        trim: White space at both ends of `guidelines` is removed, or of `none`.
        part_separator: The text between the parts of a message (`"\n"`).
        empty_parts: An empty text part: `drop` it, or `keep` its line.
        unknown_parts: A part that is neither text nor file: `drop` it with a note, or `error`.
        missing_files: An attached file that does not exist: `error`, or `omit` it with a note.
        tool_role: A tool message: `keep` its role, or send it as marked text of the `assistant`.
        orphans: A tool message without a call: add a call that it `answer`s, with a note, because APIs reject it
            otherwise, or `error`.
        structured_when: Build a chat prompt `always`, or only for `multi_turn` cases. The question of a single turn is
            then its text, without a role.
        transcript_format: The form of a transcript: `inline` (`[User]: text`), or `at_block` (`@[User]:`, the text on
            the next line, then a blank line).
        transcript_context: The system prompt and guidelines of a case that is sent as a transcript: `omit` them with a
            note, send them as `instructions`, or list the paths of guideline `files` before the transcript, for agents
            that read files.
        question_separator: The text between the parts of the question of a single turn (`"\n"`).
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("prompts",)

    system_layout: str = "explicit_replaces_base"
    late_system: str = "hoist"
    system_message_files: str = "header"
    default_system_prompt: str | None = DEFAULT_SYSTEM_PROMPT
    segment_separator: str = "\n\n"
    guideline_headers: str = "auto"
    header_path: str = "as_given"
    guideline_dedup: str = "by_path"
    guideline_reference: str = "marker"
    guideline_only_messages: str = "auto"
    guidelines_with_prompt: str = "ignore"
    guidelines_alone: str = "as_they_are"
    file_header: str = "equals"
    normalise_newlines: bool = True
    trim: str = "guidelines"
    part_separator: str = "\n"
    empty_parts: str = "drop"
    unknown_parts: str = "drop"
    missing_files: str = "error"
    tool_role: str = "keep"
    orphans: str = "answer"
    transcript_context: str = "omit"
    structured_when: str = "always"
    transcript_format: str = "inline"
    question_separator: str = "\n"


def check_prompt_policies(policies: PromptPolicies) -> None:
    """Check that choices do not exclude each other."""
    if policies.guideline_only_messages == "keep" and policies.guideline_reference == "omit":
        raise PolicyError(
            'guideline_only_messages="keep" keeps markers, and guideline_reference="omit" leaves none'
        )


BASE, PLAN, DYNAMIC, REQUEST = "base", "plan", "dynamic", "request"
DOCUMENTED_ORDER = (BASE, PLAN, DYNAMIC, REQUEST)


def _plan_edge() -> dict[str, str]:
    return {PLAN: "\n\n"}


@takes_old_names
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextPolicies(PromptPolicies):
    r"""Policies for merging layers of instructions and for combining them with system messages.

    Attributes:
        layer_order: The order of layers, by source. A source that is not listed comes last.
        separator: The text between two layers (`"\n"`).
        separators: Other separators: before a source (`plan`), or between two sources (`plan>request`).
        section_separator: The text before a section that a filter adds (`"\n\n"`).
        blank: A layer of only white space: `drop` it, or `keep` it if it is a base or plan layer; empty ones are never
            sent.
        repeats: A layer with the same text as an earlier one: `drop` it with a note, or `keep` it.
        dedup: What is sent if the conversation has system messages. `skip_identical`: a layer is left out if a system
            message has the same text. `skip_if_system_present`: all layers are left out. `combine`: everything is sent.
            `substring`: a layer is left out if a system message or another layer contains it.
        unsupported_per_request: Layers of the request if the API has no field for instructions: `combine` them with
            the others, or `drop` them with a note.
        named_sources: A layer of the request that names a source of the agent (`Instruction("You review.",
            source="base")`): `replace` the agent's layers of that source for this request, or `append` to them.
        lists: Tools, stop strings and other lists that request and defaults both have: `append` the defaults, or
            `replace` them.
        taken_tool_names: A default tool with the name of another tool of the request: leave it out with a `note`, or
            `error`.

    The other fields are those of `PromptPolicies`.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("context", "prompts")

    layer_order: tuple[str, ...] = DOCUMENTED_ORDER
    separator: str = "\n"
    separators: Mapping[str, str] = field(default_factory=_plan_edge)
    section_separator: str = "\n\n"
    blank: str = "drop"
    repeats: str = "drop"
    dedup: str = "skip_identical"
    unsupported_per_request: str = "combine"
    named_sources: str = "replace"
    lists: str = "append"
    taken_tool_names: str = "note"
    ranks: Mapping[str | None, int] = field(init=False, repr=False, compare=False)
    rows: dict[tuple[str | None, ...], tuple[bool, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check all choices and rank the sources."""
        super().__post_init__()
        check_choices(self)
        check_prompt_policies(self)
        order = _texts("layer_order", self.layer_order)
        if len(set(order)) != len(order):
            raise PolicyError(f"layer_order names a source twice: {', '.join(order)}")
        ranks: dict[str | None, int] = {source: rank for rank, source in enumerate(order)}
        ranks[None] = ranks.get(REQUEST, len(order))
        set_fields(self, layer_order=order, ranks=ranks, rows={})


def _texts(name: str, values: Any) -> tuple[str, ...]:
    try:
        return as_names(values, name)
    except InvalidRequest:
        raise PolicyError(f"{name} holds texts: {shown(values)}") from None


PRESETS = presets_of(ContextPolicies)
STANDARD = PRESETS["standard"]


def context_policies_of(value: object) -> ContextPolicies:
    """Return policies for a preset, choices in a text, a mapping, or policies. Raises PolicyError for unknown ones."""
    return policies_from(ContextPolicies, value)
