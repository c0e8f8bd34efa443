"""Named choices for how the messages of an evaluation case become a chat prompt and a transcript."""

from __future__ import annotations

from ..errors import PolicyError
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record

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
    "file_header": ("equals", "xml"),
    "trim": ("guidelines", "none"),
    "normalise_newlines": (True, False),
    "empty_parts": ("drop", "keep"),
    "unknown_parts": ("drop", "error"),
    "missing_files": ("error", "omit"),
    "tool_role": ("passthrough", "demote_assistant"),
    "structured_when": ("always", "multi_turn"),
    "transcript_format": ("inline", "at_block"),
}
_TEXTS = ("segment_separator", "part_separator", "question_separator")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PromptPolicies(Record):
    r"""How input messages become a prompt; each field names its choices, the default first.

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
        structured_when          a chat prompt is made `always`, or for `multi_turn` only; the question of a single
                                 turn is then its text alone
        transcript_format        `inline`: `[User]: text`. `at_block`: `@[User]:`, then the text, then a blank line
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
    file_header: str = "equals"
    normalise_newlines: bool = True
    trim: str = "guidelines"
    part_separator: str = "\n"
    empty_parts: str = "drop"
    unknown_parts: str = "drop"
    missing_files: str = "error"
    tool_role: str = "passthrough"
    structured_when: str = "always"
    transcript_format: str = "inline"
    question_separator: str = "\n"


def check_prompt_policies(policies: PromptPolicies) -> None:
    """Refuse texts that are none, and choices that exclude each other."""
    for name in _TEXTS:
        if not isinstance(getattr(policies, name), str):
            raise PolicyError(f"{name} is text: {getattr(policies, name)!r}")
    default = policies.default_system_prompt
    if default is not None and not isinstance(default, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PolicyError(f"default_system_prompt is text or None: {default!r}")
    if policies.guideline_only_messages == "keep" and policies.guideline_reference == "omit":
        raise PolicyError(
            'guideline_only_messages="keep" keeps markers, and guideline_reference="omit" leaves none'
        )
