"""Named choices for what a context is made of: one frozen value that presets fill in.

Fields are grouped by what they concern; each names its choices, the default first. The presets:

- `standard` is this project's own choice.
- `seed` is the requirement that it began with: whoever brings a system message has said all.
- `design004` is the design document of an evaluation tool, agentv, as it was first accepted: nothing is left out.
- `agentv` is that tool as it came to be.
- `maf` is the Microsoft Agent Framework, and `meai` the library below it, Microsoft.Extensions.AI: agents whose
  instructions are put together at run time, and conversations that nobody rearranges.

| preset      | its instructions                                                                              |
|-------------|-----------------------------------------------------------------------------------------------|
| `standard`  | the defaults: layers in the documented order, a text that is already there is not sent twice   |
| `seed`      | as `standard`, but a system message of the user replaces all layers                            |
| `design004` | the agent's text first, then explicit system messages: all are sent                            |
| `agentv`    | an agent's text is a default: it is sent only where the messages hold no system message        |
| `maf`       | the request before the context providers; only an identical text is skipped; layers repeat     |
| `meai`      | the given instructions are always added before the messages, and nothing is compared           |

| preset      | its prompts                                                                                    |
|-------------|------------------------------------------------------------------------------------------------|
| `standard`, `seed` | the defaults of `PromptPolicies`                                                        |
| `design004` | metadata, guidelines, explicit system messages, all at the start; markers and empty parts stay |
| `agentv`    | the same order, but a later system message becomes the assistant's; guidelines leave no marker; |
|             | a single turn stays a question                                                                 |
| `maf`, `meai` | messages stay as they are, wherever they stand, and no default system prompt is added        |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidRequest, PolicyError
from ..nodes.coercion import as_names
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, shown

DEFAULT_SYSTEM_PROMPT = "You are a careful assistant."
PROMPT_CHOICES = {
    "system_layout": ("explicit_replaces_base", "base_guidelines_explicit"),
    "late_system": ("hoist", "demote_assistant", "demote_user", "in_place"),
    "system_message_files": ("header", "bare"),
    "guideline_headers": ("auto", "always", "never"),
    "header_path": ("as_given", "basename"),
    "guideline_dedup": ("by_path", "none"),
    "guideline_reference": ("marker", "omit"),
    "guideline_only_messages": ("auto", "keep", "drop"),
    "guidelines_with_prompt": ("ignore", "append_when_no_system"),
    "guidelines_alone": ("as_they_are", "default_prompt"),
    "file_header": ("equals", "xml"),
    "trim": ("guidelines", "none"),
    "normalise_newlines": (True, False),
    "empty_parts": ("drop", "keep"),
    "unknown_parts": ("drop", "error"),
    "missing_files": ("error", "omit"),
    "tool_role": ("passthrough", "demote_assistant"),
    "unasked_results": ("add_call", "error"),
    "transcript_context": ("omit", "instructions", "files"),
    "structured_when": ("always", "multi_turn"),
    "transcript_format": ("inline", "at_block"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PromptPolicies(Record):
    r"""Policies for turning input messages into a prompt. Each field lists its choices, the default first.

    The system message:
        system_layout            `explicit_replaces_base`: the system messages of the input, else the prompt of the
                                 metadata; then guidelines. `base_guidelines_explicit`: all three, in that order
        late_system              a system message after the first turn: `hoist` it to the others, `demote_assistant`
                                 or `demote_user` (that role, behind a marker), or leave it `in_place`
        system_message_files     a file in a system message: with its `header`, or `bare`
        default_system_prompt    what is sent first when a prompt has no system message; None sends nothing
        segment_separator        between the pieces of the system message, and between guidelines; `"\n\n"`
    Guidelines (files whose path matches a pattern; their text goes to the system message):
        guideline_headers        the path above each text: `auto` (where there are several), `always`, `never`
        header_path              the path in that header: `as_given`, or its last name, `basename`
        guideline_dedup          a file that is attached twice is sent once, `by_path`, or as often, `none`
        guideline_reference      in its place stands a `marker`, `<Attached: path>`, or nothing: `omit`; transcripts
                                 name guidelines nevertheless
        guideline_only_messages  a message of nothing but guidelines: `keep` (its markers), `drop`, or `auto`: drop
                                 it unless no message of the input would be left
        guidelines_with_prompt   guidelines beside a finished chat prompt: `ignore`, `append_when_no_system`
        guidelines_alone         a system message of nothing but guidelines: sent `as_they_are`, or after the
                                 `default_prompt`, as they are beside a single question
    Files and parts:
        file_header              above the text of another file: `equals` (`=== path ===`), or around it: `xml`
        normalise_newlines       True: line ends of files are `\n`
        trim                     white space around the text of `guidelines` is cut off, or of nothing: `none`
        part_separator           between the parts of a message; `"\n"`
        empty_parts              `drop` a text part without a character, or `keep` its line
        unknown_parts            a part that is neither text nor file: `drop` it with a note, or `error`
        missing_files            an attached file that is neither given nor there: `error`, or `omit` it with a note
    Messages and the transcript:
        tool_role                `passthrough`, or `demote_assistant`: the assistant's, behind a marker
        unasked_results          a tool message that answers no call of the case: `add_call`, with a note, to the
                                 assistant's message before it, since APIs refuse it otherwise; or `error`
        structured_when          a chat prompt is made `always`, or for `multi_turn` only; the question of a single
                                 turn is then its text alone
        transcript_format        `inline`: `[User]: text`. `at_block`: `@[User]:`, then the text, then a blank line
        transcript_context       system prompt and guidelines of a case that is sent as a transcript: `omit` them with a
                                 note, send them as `instructions`, or name the guideline `files` before the
                                 transcript, for agents that read files themselves
        question_separator       between the parts of a question of a single turn; `"\n"`
    """

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
    tool_role: str = "passthrough"
    unasked_results: str = "add_call"
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
_CHOICES: dict[str, tuple[object, ...]] = {
    "blank": ("whitespace_is_absent", "strict_seed"),
    "repeats": ("drop", "keep"),
    "dedup": ("skip_identical", "skip_if_system_present", "combine", "substring"),
    "unsupported_per_request": ("combine", "drop"),
    "named_sources": ("replace", "append"),
    "lists": ("append", "replace"),
    "taken_tool_names": ("note", "error"),
    **PROMPT_CHOICES,
}


def _plan_edge() -> dict[str, str]:
    return {PLAN: "\n\n"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextPolicies(PromptPolicies):
    r"""Policies for merging layers of instructions and for combining them with system messages.

    Layers:
        layer_order        sources of layers from first to last; a source that is not listed comes after them
        separator          between two layers; `"\n"`
        separators         exceptions: the text before a source (`plan`), or on one edge (`plan>request`)
        section_separator  before a section that a filter adds; `"\n\n"`
        blank              `whitespace_is_absent`: a blank layer counts as none. `strict_seed`: base and plan are
                           absent only when empty, all others also when blank
        repeats            a layer with the text of an earlier one: `drop`, with a note, or `keep`
    Where the merged text meets system messages, decided once, after all layers are merged:
        dedup              `skip_identical`: a system message that says the very same is enough.
                           `skip_if_system_present`: any system message replaces all layers.
                           `combine`: both are sent. `substring`: a layer is dropped when a system message or
                           another layer contains it
    What a request adds:
        unsupported_per_request  layers of the request where the API has no field for instructions: `combine`
                                 them with the others, or `drop` them with a note
        named_sources      a layer of the request that names a source of the agent, such as
                           `Instruction("You review.", source="base")`: `replace` the agent's layers of that source
                           for this request, or `append` it to them
        lists              tools, stop strings and other lists: `append` the defaults to what is given, or `replace`
        taken_tool_names   a default tool whose name another tool of the request has: `note` that the request's counts,
                           as what is given does everywhere, or `error`
    How messages of an evaluation case become a prompt: the fields of `PromptPolicies`.
    """

    layer_order: tuple[str, ...] = DOCUMENTED_ORDER
    separator: str = "\n"
    separators: Mapping[str, str] = field(default_factory=_plan_edge)
    section_separator: str = "\n\n"
    blank: str = "whitespace_is_absent"
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
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise PolicyError(
                    f'{name}="{getattr(self, name)}": use one of {", ".join(map(str, choices))}'
                )
        check_prompt_policies(self)
        order = _texts("layer_order", self.layer_order)
        if len(set(order)) != len(order):
            raise PolicyError(f"layer_order names a source twice: {', '.join(order)}")
        object.__setattr__(self, "layer_order", order)
        ranks: dict[str | None, int] = {source: rank for rank, source in enumerate(order)}
        ranks[None] = ranks.get(REQUEST, len(order))
        object.__setattr__(self, "ranks", ranks)
        object.__setattr__(self, "rows", {})


def _texts(name: str, values: Any) -> tuple[str, ...]:
    try:
        return as_names(values, name)
    except InvalidRequest:
        raise PolicyError(f"{name} holds texts: {shown(values)}") from None


STANDARD = ContextPolicies()
PRESETS = {
    "standard": STANDARD,
    "seed": ContextPolicies(dedup="skip_if_system_present"),
    "design004": ContextPolicies(
        dedup="combine",
        system_layout="base_guidelines_explicit",
        system_message_files="bare",
        guideline_only_messages="keep",
        empty_parts="keep",
    ),
    "agentv": ContextPolicies(
        dedup="skip_if_system_present",
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="demote_assistant",
        guideline_headers="always",
        header_path="basename",
        guideline_dedup="none",
        guideline_reference="omit",
        guideline_only_messages="drop",
        tool_role="demote_assistant",
        structured_when="multi_turn",
        transcript_format="at_block",
        question_separator="\n\n",
    ),
    "maf": ContextPolicies(
        layer_order=(BASE, PLAN, REQUEST, DYNAMIC),
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="in_place",
        default_system_prompt=None,
    ),
    "meai": ContextPolicies(
        dedup="combine",
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="in_place",
        default_system_prompt=None,
    ),
}


def context_policies_of(value: object) -> ContextPolicies:
    """Resolve a preset's name; raises PolicyError for one that does not exist."""
    if isinstance(value, ContextPolicies):
        return value
    if not isinstance(value, str) or value not in PRESETS:
        name = f'"{value}"' if isinstance(value, str) else type(value).__name__
        raise PolicyError(f"{name} is not a preset of contexts: use one of {', '.join(PRESETS)}")
    return PRESETS[value]
