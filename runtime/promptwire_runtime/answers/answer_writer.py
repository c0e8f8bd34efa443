"""Write an answer in the format of one API: the envelope with its shapes, the messages with the wire's writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..build.context import BuildContext, start
from ..build.restoring import restore
from ..build.wire import Wire
from ..build.writers import Writers
from ..errors import InvalidRequest, PromptwireError
from ..model.calls import HostedCall, ToolCall
from ..model.reasoning import Reasoning
from ..model.request import Message, Request
from ..model.returns import HostedResult
from ..model.text import Part, Refusal, Text
from ..model.wire_memory import Provenance
from ..nodes.records import replace
from ..nodes.type_errors import broken, check_class
from ..read.result import without_memory
from ..reporting.notes import Note
from ..reporting.policies import VERBATIM, Policies, policies_of
from ..reporting.spec_words import spec_word
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_list, is_object
from .answer import Answer, Candidate, Usage, thoughts_in
from .answer_shapes import ABSENT
from .buffers import json_object
from .citations import with_own_citations
from .foreign_answer import numbered, with_ids
from .made_values import BETWEEN_THOUGHTS, complete, digest_of, with_time
from .table import AnswerTable, counts_without_place, write_counts


def _is_cut(part: Part) -> bool:
    """Return whether a part is a call whose arguments are text that is no JSON object."""
    raw = part.arguments if isinstance(part, (ToolCall, HostedCall)) else None
    return isinstance(raw, str) and json_object(raw) is None


def has_refusals(writers: Writers, table: AnswerTable) -> bool:
    """Return whether answers of an API may hold a refusal; elsewhere, it is written as text."""
    role = writers.roles.get("assistant")
    return "refusal" not in table.excluded_kinds and role is not None and Refusal in role.kinds


def _words_of(part: Reasoning) -> tuple[str, str]:
    """Return the field that holds the thinking of a part in words, and the thinking as one text."""
    if part.text:
        return "text", part.text
    name = "texts" if part.texts else "summary"
    return name, BETWEEN_THOUGHTS.join(getattr(part, name) or ())


# fields of thinking that only the API that made them can read
_SEALED = ("signature", "encrypted", "redacted")
_WORDS = ("text", "texts", "summary")
# the remembered shape of an answer that came without the list around it
BARE = "bare"


class AnswerWriter:
    """Writer of one answer; losses and notes go to the build context.

    own  whether the answer was read from this wire
    text_before  the length of the text before a part of a stream, whose events tell its thinking; None in whole answers
    """

    __slots__ = ("build", "own", "table", "text_before", "wire", "writers")

    def __init__(
        self,
        wire: Wire,
        writers: Writers,
        table: AnswerTable,
        build: BuildContext,
        *,
        own: bool = True,
        text_before: int | None = None,
    ) -> None:
        self.wire = wire
        self.writers = writers
        self.table = table
        self.build = build
        self.own = own
        self.text_before = text_before

    def body(self, answer: Answer) -> dict[str, Any]:
        """Write the complete answer."""
        written = self.table.body.write(answer, self)
        item: dict[str, Any] = {} if written is ABSENT else written
        if not self.own:
            complete(item, self.table, lambda path: self._made_up(answer, path))
        return self._recalled(item, answer)

    def _made_up(self, answer: Answer, path: str) -> None:
        why = f"{self.wire.title} always gives it, and nothing is known: 0 stands there"
        self.build.report.note("added", answer, path, why)

    def note_losses(self, answer: Answer) -> None:
        """Report what this API does not support of another API's answer: further candidates, counts, vendor options.

        Raises NoPlace for a candidate, unless the policies turn the loss into a note.
        """
        if self.table.candidate is None:
            for number, candidate in enumerate(answer.candidates[1:], 1):
                node: Any = candidate.message or candidate
                self.build.report.lost(
                    node, f"candidates[{number}]", f"{self.wire.title} gives one answer only"
                )
        for name in () if answer.usage is None else counts_without_place(answer.usage, self.table):
            self.build.report.note("dropped", answer, name, f"{self.wire.title} does not count it")
        nodes: list[Answer | Candidate] = [answer, *answer.candidates]
        for node in nodes:
            vendor: Mapping[str, Mapping[str, Any]] = node.vendor or {}
            for wire, options in vendor.items():
                for name in options if wire != self.wire.name else ():
                    if name in self.table.created and self.options(node).get(name) == options[name]:
                        continue
                    why = f"only {wire} has this key"
                    self.build.report.note("dropped", node, f"vendor.{wire}.{name}", why)

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        """Write one candidate."""
        shape = self.table.candidate or self.table.body
        item = shape.write(candidate, self)
        return self._recalled({} if item is ABSENT else item, candidate)

    def items(self, message: Message | None) -> list[Any]:
        """Write a message as one item, or as several on wires with a flat list of items."""
        items: list[Any] = []
        if message is not None:
            message = message if self.own else self._possible(message)
            try:
                self.writers.messages((message,), self.build, items)
            except InvalidRequest:
                if self.build.report.policies.loss == "raise" or not any(map(_is_cut, message.parts)):
                    raise
                items.clear()
                self.writers.messages((self._callable(message),), self.build, items)
            if not self.own or message.kept is None:
                self._complete(message.role, items)
        return items

    def _possible(self, message: Message) -> Message:
        """Drop or replace parts that answers of this API cannot contain, and report each."""
        message = self._with_citations(message)
        origin = message.provenance
        foreign = None if origin is None or origin.api == self.wire.api else origin.api
        thoughts = {*map(id, thoughts_in(message.parts))}
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Reasoning) and self.table.thinking and id(part) not in thoughts:
                # the pieces behind it say the same
                continue
            if isinstance(part, Reasoning) and (thought := self._thought(part, foreign)) is not None:
                parts.append(self._bare(thought))
            elif foreign is not None and isinstance(part, (HostedCall, HostedResult)):
                self.build.report.lost(
                    part, "", f"{foreign} ran it itself, and {self.wire.title} has other tools"
                )
            elif isinstance(part, Refusal) and not has_refusals(self.writers, self.table):
                self.build.report.note(
                    "replaced", part, "", f"no answer of {self.wire.title} has a refusal: it becomes text"
                )
                parts.append(Text(part.text))
            elif spec_word(part) in self.table.excluded_kinds:
                self.build.report.lost(part, "", f"no answer of {self.wire.title} has one")
            else:
                parts.append(self._bare(part))
        if tuple(map(id, parts)) == tuple(map(id, message.parts)):
            return message
        bare = replace(message, parts=tuple(parts))
        self.build.report.copied(message, [bare])
        return bare

    def _with_citations(self, message: Message) -> Message:
        """Return a message with its citations of pages in the form of this API."""
        changed = with_own_citations(message, self.wire, self.table.message_keys, self.text_before or 0)
        if changed is not message:
            for part, mine in zip(message.parts, changed.parts, strict=True):
                if mine is not part:
                    self.build.report.copied(part, [mine])
            self.build.report.copied(message, [changed])
        return changed

    def _thought(self, part: Reasoning, foreign: str | None) -> Reasoning | None:
        """Return the thinking of another API as this one tells its own; None if it stays as it is."""
        fields: Mapping[str, str] = self.table.thinking if self.text_before is None else {}
        source, words = _words_of(part)
        if not fields or not words:
            return None
        # thinking of this API stays, unless it goes through another host and lacks what this one requires
        needed = [*fields][:1] if self.own else [*fields]
        if foreign is None and all(getattr(part, name) is not None for name in needed):
            return None
        for name in _SEALED:
            if getattr(part, name) is not None:
                maker = foreign or "another API"
                self.build.report.lost(part, name, f"it comes from {maker}, and no other API accepts it")
        for name in _WORDS:
            if name != source and getattr(part, name):
                self.build.report.lost(part, name, f"{self.wire.title} tells thinking once")
        made = digest_of(words)
        values: dict[str, Any] = {
            name: text.replace("$made", made).replace("$text", words) for name, text in fields.items()
        }
        if part.id not in (None, values.get("id", part.id)):
            self.build.report.note(
                "replaced", part, "id", f"{self.wire.title} has ids of its own for thinking"
            )
        # the id and the empty signature are this API's
        origin = Provenance(self.wire.name, None, self.wire.api)
        unsaid = dict.fromkeys([*_SEALED, *_WORDS, "kept"])
        changes: dict[str, Any] = {**unsaid, **values, "provenance": origin}
        thought = replace(part, **changes)
        self.build.report.copied(part, [thought])
        return thought

    def _callable(self, message: Message) -> Message:
        """Replace tool call arguments that are not a JSON object by an empty object, and note it."""
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, (ToolCall, HostedCall)) and _is_cut(part):
                why = f"{self.wire.title} takes arguments that are a JSON object, and these are none"
                self.build.report.note("replaced", part, "arguments", why)
                # its shape stays the one that it was read as
                parts.append(replace(without_memory(part), arguments={}))
            else:
                parts.append(part)
        callable_ = replace(message, parts=tuple(parts), kept=None)
        self.build.report.copied(message, [callable_])
        return callable_

    def _bare(self, part: Part) -> Part:
        """Remove and report fields that only request parts have: cache breakpoints, and extra keys of bare text."""
        changes: dict[str, Any] = {}
        if part.cache is not None:
            self.build.report.unused(part, "cache")
            changes["cache"] = None
        if part.extra is not None and self.table.scalar_key and isinstance(part, Text):
            self.build.report.lost(part, "extra", f"{self.wire.title} has bare text, which has no keys")
            changes["extra"] = None
        if not changes:
            return part
        bare = replace(part, **changes)
        self.build.report.copied(part, [bare])
        return bare

    def spelled(self, item: dict[str, Any]) -> dict[str, Any]:
        """Rename the keys of a message to those that answers use."""
        return self.table.as_answer(item)

    def no_message(self) -> Any:
        """Write the message of an answer without content; ABSENT if the API leaves it out."""
        if self.own:
            return ABSENT
        if not (self.table.list_key or self.table.scalar_key):
            return self._empty_message()
        empty: Any = [] if self.table.list_key else None
        key = self.table.list_key or self.table.scalar_key
        return {**self.table.always, "role": self.table.role, key: empty}

    def _empty_message(self) -> Any:
        """Write a message without parts as the API's requests have it; clients refuse an answer that has no message."""
        role = self.table.role
        writer = self.writers.roles.get(role)
        if writer is None or writer.write is None:
            return ABSENT
        item = writer.write(Message(role, ()), self.build, *writer.open_slots())
        return {**self.table.always, **item} if is_object(item) else ABSENT

    def _complete(self, role: str, items: list[Any]) -> None:
        """Complete the items of a message."""
        for item in items:
            if is_object(item):
                item.update(self.completion(role, item))

    def completion(self, role: str, item: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an item changes to be one of an answer: content as a list or bare text, and constants."""
        if "role" not in item:
            return {}
        key, scalar, kinds = self.table.list_key, self.table.scalar_key, self.writers.roles[role].kinds
        changes = {name: value for name, value in self.table.always.items() if name not in item}
        text, parts = item.get(key), item.get(scalar)
        if key and type(text) is str and Text in kinds:
            changes[key] = [kinds[Text].write(Text(text), self.build)] if text else []
        if is_list(parts) and all(is_object(part) and type(part.get("text")) is str for part in parts):
            changes[scalar] = "".join([part["text"] for part in parts])
        if scalar and scalar not in item and not self.own:  # a request may leave it out, an answer does not
            changes[scalar] = None
        return changes

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Write token usage."""
        return write_counts(usage, self.table, own=self.own)

    def options(self, node: Any) -> Mapping[str, Any]:
        """Return the vendor options of this API."""
        vendor: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        return vendor.get(self.wire.name, {})

    def word(self, node: Answer | Candidate) -> str | None:
        """Return this wire's finish reason: the recorded one if it still applies, else the closest match."""
        finish, raw = node.finish, node.finish_raw
        if self.own and raw is not None and self._still_means(raw, finish):
            return raw
        if finish is None:
            return None
        word = self.table.word_for(finish, raw)
        meaning = None if word is None else self.table.meaning_of(word)
        if word is not None and meaning != finish and (finish, meaning) != ("tool_calls", "stop"):
            why = f"{self.wire.title} has no word for {finish}: it becomes {word}"
            self.build.report.note("replaced", node, "finish", why)
        if word is None:
            self.build.report.note("dropped", node, "finish", f"{self.wire.title} has no word for {finish}")
        return word

    def _still_means(self, raw: str, finish: str | None) -> bool:
        """Return whether the recorded finish reason still matches `finish`, which the caller may have changed."""
        if raw in self.table.unfinished:
            return finish is None
        meaning = self.table.meaning_of(raw)
        return meaning == finish or (meaning == "stop" and finish == "tool_calls")

    def is_blocked(self, candidate: Candidate) -> bool:
        """Return whether a candidate represents a blocked prompt, which has neither a message nor an index."""
        return bool(self.table.blocked) and candidate.message is None and candidate.index is None

    def lacks(self, node: Any, name: str) -> None:
        """Note a missing key that the API always sends, in an answer of another API."""
        # an empty text says nothing in its place
        if not self.own and self.table.defaults.get(name, "") == "":
            self.build.report.note(
                "missing", node, name, f"{self.wire.title} always gives it, and nothing is known"
            )

    def _recalled(self, item: dict[str, Any], node: Answer | Candidate) -> dict[str, Any]:
        kept = node.kept
        if kept is None or kept.form is None:
            return item
        if kept.wire != self.wire.name:
            self.build.report.forget(node)
            return item
        return restore(item, kept.form, node, self.wire.name)


def write_answer(  # noqa: PLR0913  # wire tables, and the arguments of the caller
    answer: Answer,
    wire: Wire,
    writers: Writers,
    table: AnswerTable,
    *,
    policies: Policies | str | Mapping[str, Any],
    notes: list[Note] | None,
    id: str | None = None,  # noqa: A002  # the API's own word
    created: int | None = None,
) -> Any:
    """Write an answer. An answer that was read from this wire is reproduced exactly."""
    check_class(answer, Answer, "answer")
    if id is not None:
        check_class(id, str, "id")
        answer = replace(answer, id=id)
    answer = with_time(answer, created, wire, table)
    if notes is not None:
        check_class(notes, list, "notes")
    try:
        body, told = _written(answer, wire, writers, table, policies_of(policies))
    except PromptwireError:
        raise
    except Exception as error:  # values of a wrong type can fail anywhere
        raise broken((answer,), Answer, error, wire.name) from error
    if notes is not None:
        notes.extend(told)
    kept = answer.kept
    is_bare = kept is not None and kept.wire == wire.name and kept.shape == BARE
    return [body] if table.in_list and not is_bare else body


def items_of(  # noqa: PLR0913  # wire tables, and the arguments of the caller
    message: Message,
    wire: Wire,
    writers: Writers,
    table: AnswerTable,
    policies: Policies,
    *,
    own: bool,
    text_before: int = 0,
) -> tuple[list[Any], list[Note]]:
    """Write one message of an answer in a stream, and return its items and the notes."""
    build = _answering(Request(None, (message,)), wire, writers, policies, own=own)
    writer = AnswerWriter(wire, writers, table, build, own=own, text_before=text_before)
    return writer.items(message), list(build.report.notes)


def _answering(
    request: Request, wire: Wire, writers: Writers, policies: Policies, *, own: bool
) -> BuildContext:
    build = start(wire, request)
    build.writers = writers
    build.answering = True
    # request rules and repairs do not apply to answers, and their tool calls have no results yet
    loss = "raise" if policies.loss == "raise" else "note"
    rest = replace(policies, loss=loss, refusals="ignore", orphans="keep", blank="keep", repairs="off")
    chosen = VERBATIM if own else rest
    build.configure(None, chosen)
    return build


def _written(
    answer: Answer, wire: Wire, writers: Writers, table: AnswerTable, policies: Policies
) -> tuple[dict[str, Any], Sequence[Note]]:
    own = answer.wire == wire.name
    answer, made = (answer, ()) if own else with_ids(numbered(answer))
    messages = [choice.message for choice in answer.candidates if choice.message is not None]
    build = _answering(Request(answer.model, messages), wire, writers, policies, own=own)
    writer = AnswerWriter(wire, writers, table, build, own=own)
    if not own:
        writer.note_losses(answer)
    for call in made:
        build.report.note(
            "added", call, "id", f"{answer.wire} gives its calls none, and {wire.title} asks for one"
        )
    body: dict[str, Any] = own_json(writer.body(answer))
    return body, build.report.notes
