"""Policies: what a build does where an API cannot take a request as it is. The default, strict, raises errors."""

from __future__ import annotations

from ..errors import PolicyError
from ..model.policy_choices import POLICY_CHOICES
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import LightRecord, construct, replace, set_fields
from ..typed import TYPE_CHECKING, Any, Mapping, new_dict
from ..wire_json.kinds import is_mapping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import RequestError

# choices that had another name
_RENAMED = {("refusals", "note"): "send"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Policies(LightRecord):
    """Policies for requests that an API cannot take unchanged.

    Attributes:
        loss: A value that the API does not support: `raise`; drop hints and tuning with a note, and raise only where
            `meaning` is lost that no repair keeps; or drop everything that no repair keeps with a `note`.
        refusals: A value that a rule of the API rejects: `raise`; `fix` the request as the rule says, with a note, or
            raise; `send` it with a note; or `ignore` the rule.
        missing: A value that the API requires: `raise`; `fill` it in with a note where that needs no guess, or raise;
            or `omit` the key or element with a note.
        repairs: The repairs that the choices above ask for: `run` them, or `skip` them.
        neighbours: Consecutive messages of one role: `merge` them if the API requires it, or `keep` them.
        blank: Text of nothing but white space, if the API rejects it: `drop` it with a note, `error`, or `keep` it.
        orphans: A tool call without a result, or a result without a call, if the API rejects it: `error`, `answer` the
            call with a result that says so and send the result as text, `drop` both, or `keep` them.
        ids: A tool call id in a form that the API does not accept: `replace` it with a note, `keep` it, or `error`.
        system_texts: Several layers of instructions, or several texts of a system message, if the API takes one text:
            `join` them with a blank line, with a note for a message, or `error`.
        passes: The pass of a plugin, if the wire names one: `run` it, or `skip` it.
        schemas: The schema of a tool or of the answer, if the API rejects something in it: change it where that is
            `lossless`, or `adapt` it, with a note for each edit, or `keep` it. A dialect of a plugin always applies,
            unless schemas are kept.
        arguments: Arguments of a call that are no JSON object: `wrap` them in one, send an `empty` one, or `error`.
        reasoning: A reasoning setting that the API does not accept: the `nearest` that it does, an effort for a budget
            or another mode; `drop` it, or `error`.
        thinking: Thinking that the API does not accept, because another model wrote it: `drop` it, send it
            `as_text`, or `error`.
        tool_media: Media in a tool result, if the API rejects it there: `move` it into the next user message,
            `drop` it, or `error`.
        answer_media: Media in an assistant message, if the API rejects it there: `move` it into the next user message,
            `drop` it, or `error`.
        json_results: A JSON value where the API accepts text only: send it `as_text`, or `error`.
        tool_errors: A failed tool result, if the API has no mark for it: say so in `words`, `drop` the mark, or
            `error`.
        tool_names: A tool name that the API rejects: `map` it to another, or `error`.
        speakers: A speaker's name that the API rejects or has no place for: another name or `words` in the text,
            `drop` it, or `error`.
        document_names: The name of a document that is missing or rejected: `fill` in another, or `error`. A title
            without a place is said in a text before the document.
        format_names: The name of a response format that is missing or rejected: `fill` in another, or `error`.
        late_system: A system message that the API rejects: marked text of the `user`, `hoist` it to the
            instructions, or `error`.
        tool_choice: A tool choice that the API has no words for: the nearest, with `words` in the instructions,
            `drop` it, or `error`.
        tool_stubs: Calls in a request without tools, if the API rejects them: a `stub` for each tool, calls
            `as_text`, or `error`.
        hosted_tools: A tool that another provider runs: `map` it to the API's own of the same kind, `drop` it, or
            `error`.
        custom_tools: A free-text tool, if the API has none: `functions` with one text argument, or `error`.
        tool_groups: A group of tools, if the API has none: `flatten` it, or `error`.
        added_tools: Tools that come in mid-conversation, if the API takes none there: `early` among all tools, or
            `error`.
        parameters: A function without a schema, if the API requires one: `fill` in an empty one, or `error`.
        foreign_parts: A part that the API does not know: send it `as_text`, `drop` it, or `error`.
        citations: Citations of an earlier answer, if the API has none: `drop` them and keep the text, or `error`.
        first_turn: A conversation that may not begin so, or is empty: `fill` in a user message, `drop` what is
            before, or `error`.
        begun_answer: A last answer that the API does not continue: ask to `continue` it, send it `as_user`, `drop`
            it, or `error`.
        between_turns: Messages that may not follow each other: `fill` in a short one between them, or `error`.
        turns: A conversation, if the API takes one text of the user: `join` its messages, each with a word for its
            speaker, or `error`.
        media_types: Data without a media type: `detect` it from name or bytes, or `error`. The same for bytes in a
            `data:` URL.
        answer_formats: A response format that the API does not accept, or not beside tools: ask for it in `words` of
            the instructions, or `error`.
        allow: Fields that may be dropped or changed with a note, whatever the other policies say: `options.seed`,
            `messages[2].parts[0]`, `messages.parts.citations` for all parts.
        fixes: The repair for a rule or field: the name of the rule, or the path of the field in errors -> the name of a
            repair, or a function.
    """

    loss: str = "raise"
    refusals: str = "raise"
    missing: str = "raise"
    repairs: str = "run"
    neighbours: str = "merge"
    blank: str = "drop"
    orphans: str = "error"
    ids: str = "replace"
    system_texts: str = "join"
    passes: str = "run"
    schemas: str = "lossless"
    arguments: str = "wrap"
    reasoning: str = "nearest"
    thinking: str = "drop"
    tool_media: str = "move"
    answer_media: str = "move"
    json_results: str = "as_text"
    tool_errors: str = "words"
    tool_names: str = "map"
    speakers: str = "words"
    document_names: str = "fill"
    format_names: str = "fill"
    late_system: str = "user"
    tool_choice: str = "words"
    tool_stubs: str = "stub"
    hosted_tools: str = "map"
    custom_tools: str = "functions"
    tool_groups: str = "flatten"
    added_tools: str = "early"
    parameters: str = "fill"
    foreign_parts: str = "as_text"
    citations: str = "drop"
    first_turn: str = "fill"
    begun_answer: str = "continue"
    between_turns: str = "fill"
    turns: str = "join"
    media_types: str = "detect"
    answer_formats: str = "words"
    allow: Sequence[str] = ()
    fixes: Mapping[str, Any] = field(default_factory=new_dict)

    def __post_init__(self) -> None:
        """Raise PolicyError for an unknown choice."""
        for name, choices in POLICY_CHOICES.items():
            choice = getattr(self, name)
            if choice not in choices:
                renamed = _RENAMED.get((name, choice))
                advice = f'it is called "{renamed}" now' if renamed else f"use one of {', '.join(choices)}"
                raise PolicyError(f'{name}="{choice}" is not a valid policy; {advice}')
        allow: Any = self.allow
        if isinstance(allow, list):
            set_fields(self, allow=tuple(allow))  # pyright: ignore[reportUnknownArgumentType]
        elif not isinstance(allow, tuple):
            raise PolicyError(
                f'allow must be a list of paths such as "options.seed", not {type(allow).__name__}'
            )
        if not is_mapping(self.fixes):
            raise PolicyError(f"fixes must be a mapping of rules to repairs, not {type(self.fixes).__name__}")

    @property
    def may_repair(self) -> bool:
        """Return whether a problem may be repaired rather than raised."""
        asks = self.loss != "raise" or self.refusals == "fix" or self.missing == "fill" or self.allow
        return self.repairs == "run" and bool(asks)

    def waives(self, path: str, field: str) -> bool:
        """Return whether `allow` names a field of a node, or the node; `messages.parts` stands for all indexes."""
        if not self.allow:
            return False
        own = ".".join(piece for piece in (path, field) if piece)
        names = {path, own, field, _without_indexes(own), _without_indexes(path)} - {""}
        return not names.isdisjoint(self.allow)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Collecting(Policies):
    """Policies under which a build goes on after an error, and raises `Found` at its end."""

    @classmethod
    def of(cls, policies: Policies) -> Collecting:
        """Return policies that find all that these raise."""
        return construct(cls, **vars(policies))


class Found(Exception):  # it never leaves this package
    """What a build under `Collecting` policies raises: all its errors, in order."""

    def __init__(self, errors: list[RequestError]) -> None:
        super().__init__(errors)
        self.errors = errors


STRICT = Policies()
VERBATIM = Policies(
    loss="note",
    refusals="ignore",
    missing="omit",
    neighbours="keep",
    blank="keep",
    orphans="keep",
    ids="keep",
    passes="skip",
    schemas="keep",
    repairs="skip",
)
PORTABLE = Policies(loss="meaning", refusals="fix", missing="fill", orphans="answer", schemas="adapt")
LENIENT = Policies(loss="note", refusals="fix", missing="fill", orphans="answer", schemas="adapt")
PRESETS = {"strict": STRICT, "portable": PORTABLE, "lenient": LENIENT, "verbatim": VERBATIM}


def policies_of(value: object) -> Policies:
    """Return the policies for a preset (`lenient`), choices that differ from `strict` (`orphans=keep`), or both.

    Raises:
        PolicyError: the preset, policy or choice is unknown.
    """
    if isinstance(value, str) and (preset := PRESETS.get(value)) is not None:
        return preset
    if isinstance(value, Policies):
        return value
    if isinstance(value, str) and "=" in value:
        return _chosen([word.strip() for word in value.split(",")])
    name = f'"{value}"' if isinstance(value, str) else type(value).__name__
    raise PolicyError(
        f"{name} is not a preset; use one of {', '.join(PRESETS)}, or choices such as orphans=keep"
    )


def _without_indexes(path: str) -> str:
    """Return a path without the positions in it: `messages.parts` of `messages[2].parts[0]`."""
    pieces = path.split("[")
    return pieces[0] + "".join([piece.partition("]")[2] for piece in pieces[1:]])


def _chosen(words: list[str]) -> Policies:
    first, *others = words
    chosen = STRICT if "=" in first else policies_of(first)
    named: set[str] = set()
    for word in words if "=" in first else others:
        name, _, choice = word.partition("=")
        if name in named:
            raise PolicyError(f"{name} is chosen twice; write one choice of each policy")
        if name == "allow":
            chosen = replace(chosen, allow=(*chosen.allow, *choice.split("|")))
            continue
        if name not in POLICY_CHOICES:
            raise PolicyError(f'"{name}" is not a policy; use one of {", ".join(POLICY_CHOICES)}, allow')
        named.add(name)
        changed: dict[str, Any] = {name: choice}
        chosen = replace(chosen, **changed)
    return chosen
