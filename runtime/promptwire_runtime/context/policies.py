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

from ..errors import ContextError, InvalidRequest, PolicyError
from ..model.options import Options
from ..model.request import Request
from ..model.tools import AnyTool
from ..nodes.checks import CheckedRecord, as_names
from ..nodes.record_fields import shown
from ..nodes.records import fields, replace, set_fields
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..reporting.policies import check_choices, policies_from, presets_of, takes_old_names

# what only the request itself can say
_OWN = ("messages", "instructions", "continuation", "kept")
_LISTS = ("tools", "include", "modalities")
_MAPPINGS = ("metadata", "vendor", "extra")


def merge_options(options: Options, defaults: Options, lists: str = "append") -> Options:
    """Merge options: a given value wins; `stop` strings are appended or replaced, `logit_bias` is merged by token."""
    check_class(options, Options, "options")
    check_class(defaults, Options, "defaults")
    if not defaults.given:
        return options
    changes: dict[str, Any] = {}
    for name in sorted(defaults.given):
        value, default = getattr(options, name), getattr(defaults, name)
        if value is None:
            changes[name] = default
        elif name == "stop":
            changes[name] = _lists(value, default, lists)
        elif name == "logit_bias":
            changes[name] = {**default, **value}
    return replace(options, **changes) if changes else options


def merge_request(
    request: Request, defaults: Request, lists: str = "append", notes: list[Note] | None = None
) -> Request:
    """Merge a request with defaults: a given value wins, lists by policy, mappings key by key.

    Defaults of a list come behind what is given, without what is there already. A default tool whose name another
    tool of the request has is left out with one of the `notes`; without such a list it is an error.

    Raises:
        ContextError: the defaults hold messages, instructions or a continuation, or the name of a tool is taken.
    """
    check_class(request, Request, "request")
    check_defaults(defaults)
    if lists != "replace":
        _check_names(request.tools or (), defaults.tools or (), notes)
    changes: dict[str, Any] = {}
    for each in fields(Request):
        value, default = getattr(request, each.name), getattr(defaults, each.name)
        if each.name in _OWN or default is None:
            continue
        if each.name == "options":
            changes[each.name] = merge_options(value, default, lists)
        elif value is None:
            changes[each.name] = default
        elif each.name in _LISTS:
            changes[each.name] = _lists(value, default, lists)
        elif each.name in _MAPPINGS:
            changes[each.name] = _mappings(value, default)
    return replace(request, **changes)


def check_defaults(defaults: Request) -> None:
    """Check defaults: raise for anything but a request, and for fields that only a single request can set."""
    check_class(defaults, Request, "defaults")
    for name in _OWN:
        if getattr(defaults, name):
            raise ContextError(f"{name} belong to a request of their own", where="defaults")


def _check_names(tools: tuple[AnyTool, ...], defaults: tuple[AnyTool, ...], notes: list[Note] | None) -> None:
    """Report default tools that are not sent because another tool has their name."""
    taken = {name: index for index, tool in enumerate(tools) if (name := name_of(tool)) is not None}
    for index, tool in enumerate(defaults):
        name = name_of(tool)
        if name not in taken or _defines(tool, tools[taken[name]]):
            continue
        why = f'tools[{taken[name]}] of the request is another tool named "{name}"'
        if notes is None:
            raise ContextError(f"{why}: rename one of them", where=f"defaults.tools[{index}]")
        notes.append(Note("dropped", f"defaults.tools[{index}]", "", why))


def _defines(tool: AnyTool, other: AnyTool) -> bool:
    """Return whether two tools are equal apart from wire memory."""
    return tool == other or (type(tool) is type(other) and replace(tool, kept=other.kept) == other)


def name_of(tool: object) -> str | None:
    """Return the name of a tool, or None."""
    name: str | None = getattr(tool, "name", None)
    return name


def _lists(own: tuple[Any, ...], defaults: tuple[Any, ...], lists: str) -> tuple[Any, ...]:
    if lists == "replace":
        return own
    names = {name for item in own if (name := name_of(item)) is not None}
    # values with a name are found by it; only those without are compared with all others
    fresh = [
        item
        for item in defaults
        if (item not in own if (name := name_of(item)) is None else name not in names)
    ]
    return (*own, *fresh)


def _mappings(own: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings; those of one API (`vendor`, `extra`) are merged in turn, wire JSON below them is not."""
    merged = {**default, **own}
    for key in own.keys() & default.keys():
        if isinstance(own[key], Mapping):
            merged[key] = {**default[key], **own[key]}
    return merged


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

    @property
    def unasked_results(self) -> str:
        """The earlier name of `orphans`."""
        from ..moved_names import warn_deprecated

        warn_deprecated(f"{type(self).__name__}.unasked_results is orphans now")
        return self.orphans


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
