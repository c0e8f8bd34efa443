"""The section `answer` of a spec: its shapes, checked against the fields of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from ..problems import did_you_mean, make_hint, quote
from ..spec.answer_sections import AnswerSection
from ..spec.fields import JsonPath
from ..spec.load import LoadedSpec
from ..spec.nodes import Sequence, Table
from ..spec.notation import UNPARSED, Notation
from ..spec.shapes import Alternatives, Hole, HoleFilter, Interpolation, KeyShape, Listing, Object, Shape
from .answer_model import BODY_HOLES, CANDIDATE_HOLES, COUNTS, ERROR_HOLES, AnswerModel
from .neutral import PARTS
from .wire import MessageShape

# the only filter of a count
_AS_TEXT = HoleFilter("number_text")
_THINKING_HOLES = ("text", "made")
_COUNT_HOLES = f"${', $'.join(COUNTS)}"


def make_answer_model(
    spec: LoadedSpec, messages: Mapping[str, MessageShape], notation: Notation
) -> AnswerModel | None:
    """Parse and check the section `answer` of a spec. Return None if it has no valid one."""
    section, answer = spec.get_section("answer"), spec.model.answer
    body = section.get("body") if section is not None else None
    if section is None or answer is None or "answer" in spec.invalid or not isinstance(body, Table):
        return None
    return _AnswerReader(spec, section, answer, messages, notation).read(body)


def _find_holes(value: Any) -> Iterator[str]:
    """Yield the names of the holes in the texts of a JSON value."""
    if isinstance(value, str):
        yield from re.findall(r"\$(\w*)", value)
    elif isinstance(value, dict):
        yield from _find_holes([*cast("dict[str, Any]", value).values()])
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _find_holes(inner)


class _AnswerReader:
    def __init__(
        self,
        spec: LoadedSpec,
        section: Table,
        answer: AnswerSection,
        messages: Mapping[str, MessageShape],
        notation: Notation,
    ) -> None:
        self.spec = spec
        self.section = section
        self.answer = answer
        self.assistant = messages.get("assistant")
        self.notation = notation
        self.text_counts: list[str] = []

    def read(self, table: Table) -> AnswerModel:
        """Build the model of the section; `table` holds the body."""
        body = self.notation.parse_object(table, spreads=True)
        candidate = self._parse_object("candidate")
        error = self._parse_object("error")
        others = self._parse_objects("other_errors")
        for shape in (error, *others):
            if shape is not None:
                self._check_shape(shape, "error", {"error": ERROR_HOLES})
        holes: dict[str, tuple[str, ...]] = {"body": BODY_HOLES, "candidate": CANDIDATE_HOLES}
        if candidate is None:
            holes = {"body": (*BODY_HOLES, *CANDIDATE_HOLES)}
        else:
            self._check_shape(candidate, "candidate", holes)
        self._check_shape(body, "body", holes)
        self._check_message(body, candidate)
        counts = self._parse_counts()
        self._check_places(body, body if candidate is None else candidate)
        self._check_beside(counts)
        self._check_key_aliases()
        self._check_words()
        self._check_defaults([name for entry in body.fields for name in entry.spellings])
        return AnswerModel(
            section=self.answer,
            body=body,
            candidate=candidate,
            error=error,
            other_errors=others,
            message_keys=self._find_message_keys(),
            counts=counts,
            text_counts=tuple(self.text_counts),
            count_aliases=self._spell_count_aliases(counts),
            added_counts=self._spell_added_counts(),
            blocked=self._spell_path(self.answer.blocked) if self.answer.blocked else (),
            list_key=self._find_content_key("list"),
            scalar_key=self._find_content_key("text"),
            key_aliases=self._find_key_aliases(),
            role=self.assistant.wire_role if self.assistant is not None else "assistant",
        )

    def _check_words(self) -> None:
        """Check the holes of `thinking`, and the kinds of parts that no answer has."""
        for name, text in self.answer.thinking.items():
            for word in re.findall(r"\$(\w*)", text):
                if word not in _THINKING_HOLES:
                    hint = did_you_mean(word, _THINKING_HOLES) or "the holes are $text and $made"
                    message = f"{quote('$' + word)} is no hole of answer.thinking"
                    self.notation.report(("answer", "thinking", name), "unknown-hole", message, hint)
        for index, kind in enumerate(self.answer.excluded_kinds):
            if kind not in PARTS:
                hint = make_hint(kind, PARTS, "kinds")
                place = ("answer", "excluded_kinds", index)
                self.notation.report(place, "unknown-kind", f"{quote(kind)} is no kind of part", hint)

    def _check_defaults(self, keys: Collection[str]) -> None:
        """Check that each default belongs to a key of the body and has no hole but $made."""
        for key, value in self.answer.defaults.items():
            place, name = ("answer", "defaults", key), key.removesuffix("?")
            if name not in keys:
                message = f"answer.body has no key {quote(name)}, so that no answer takes this default"
                self.notation.report(place, "bad-answer", message, make_hint(name, keys, "keys"), at_key=True)
            for word in _find_holes(value):
                if word != "made":
                    message = f"{quote('$' + word)} is no hole of answer.defaults"
                    self.notation.report(
                        place, "unknown-hole", message, "the hole is $made, in an id", at_key=True
                    )

    def _parse_object(self, name: str) -> Object | None:
        table = self.section.get(name)
        spreads = name == "candidate"
        return self.notation.parse_object(table, spreads=spreads) if isinstance(table, Table) else None

    def _parse_objects(self, name: str) -> tuple[Object, ...]:
        rows = self.section.get(name)
        tables = rows.items if isinstance(rows, Sequence) else (rows,)
        return tuple([self.notation.parse_object(table) for table in tables if isinstance(table, Table)])

    def _find_message_keys(self) -> tuple[str, ...]:
        """Return the keys of the assistant's message, in all spellings of an answer."""
        if self.assistant is None:
            return ()
        aliases = self._find_key_aliases()
        names = [name for entry in self.assistant.shape.fields for name in entry.spellings]
        spelled = [aliases.get(name, name) for name in names]
        return tuple([name for name in spelled if name is not None])

    def _find_key_aliases(self) -> Mapping[str, str | None]:
        """Return the key aliases of messages in answers; the speaker has none unless one is declared."""
        aliases = self.answer.key_aliases
        return {self.spec.model.speaker: None, **aliases} if aliases else {}

    def _check_key_aliases(self) -> None:
        keys = [] if self.assistant is None else [entry.key for entry in self.assistant.shape.fields]
        for key in self.answer.key_aliases:
            if keys and key not in keys:
                hint = make_hint(key, keys, "keys")
                message = f"the assistant's message has no key {quote(key)}"
                place = ("answer", "key_aliases", key)
                self.notation.report(place, "bad-answer", message, hint, at_key=True)

    def _find_content_key(self, form: str) -> str:
        """Return the key of the message's content, if the content of answers always has this form."""
        content = None if self.assistant is None else self.assistant.content
        return "" if self.answer.content != form or content is None else content.key

    def _check_shape(self, shape: Object, where: str, holes: Mapping[str, tuple[str, ...]]) -> None:
        for inner in _walk(shape):
            items = inner.items if isinstance(inner, Listing) and where == "error" else ()
            if len(items) == 1 and isinstance(items[0], Object):
                continue
            if isinstance(inner, (Alternatives, Interpolation, Listing)):
                message = "a shape of an answer has objects, constants and holes only"
                message += ": an error may be in a list, [{...}]" if where == "error" else ""
                self.notation.report(inner.span, "bad-answer", message, "write key?: $vendor.key")
        for index, rest in enumerate(shape.spreads):
            if rest.path in [other.path for other in shape.spreads[:index]]:
                message = f"{quote('$' + rest.name)} stands in this list already"
                self.notation.report(rest.span, "bad-rest", message, "leave one of them out")
            elif rest.path not in (("message",), ("usage",)):
                message = '"..." stands for the keys of the message, of the counts, or of both'
                hint = "write ...: $message, ...: $usage or ...: [$message, $usage]"
                hint += ', or name the keys: "key?: $vendor.key"'
                self.notation.report(rest.span, "bad-rest", message, hint)
        for hole in shape.holes:
            self._check_hole(hole, where, holes)

    def _check_hole(self, hole: Hole, where: str, holes: Mapping[str, tuple[str, ...]]) -> None:
        is_option = hole.path[0] == "vendor" and len(hole.path) == 2
        if is_option and where == "error":
            message = "an error has no options of one API: what else its body holds stays in ApiError.raw"
            self.notation.report(hole.span, "unknown-hole", message, "leave the key out")
            return
        if hole.path == UNPARSED or is_option:
            return
        if hole.name not in holes[where]:
            place = next((other for other, names in holes.items() if hole.name in names), None)
            hint = did_you_mean(hole.name, holes[where])
            hint = hint or f"write $vendor.{hole.path[-1]} for a key of this API alone"
            if hole.path[0] == "usage" or hole.name in COUNTS:
                hint = f"write usage: {{key: ${hole.path[-1]}}} under answer, and ...: $usage here"
            hint = hint if place is None else f"its place is answer.{place}"
            message = f"{quote('$' + hole.name)} is not a field of an answer's {where}"
            self.notation.report(hole.span, "unknown-hole", message, hint)
        elif hole.filters or hole.guard is not None or (hole.listed and hole.path != ("message",)):
            message = "a hole of an answer has no filter and no guard; only $message[] is a list"
            self.notation.report(hole.span, "bad-hole", message, f"write ${hole.name}")

    def _check_message(self, body: Object, candidate: Object | None) -> None:
        """Check that an answer holds its message once: in the body, or in the candidates that the body lists."""
        where, holder = ("body", body) if candidate is None else ("candidate", candidate)
        messages = [hole for hole in holder.holes if hole.path == ("message",)]
        listed = any(hole.path == ("candidates",) for hole in holder.holes)
        if not messages and not listed:
            self._report_missing(where, f"answer.{where} has no place for $message", "message: $message")
        for again in messages[1:]:
            message = f"$message stands in answer.{where} already"
            self.notation.report(again.span, "bad-hole", message, "leave one of them out")
        if self.assistant is None and "messages" not in self.spec.invalid:
            why = "an answer is a message of the assistant, and messages.assistant has no shape"
            self._report_missing("body", why, "messages: {assistant: ...}")

    def _check_places(self, body: Object, holder: Object) -> None:
        """Check that everything with a shape or words has a place, and the reverse."""
        places = body.heads | holder.heads
        rows = (
            ("candidates", "candidate", "candidate: {message: $message}", "choices: $candidates"),
            ("usage", "usage", "usage: {input_tokens: $input, output_tokens: $output}", "usage: $usage"),
            ("finish", "finish", "finish: {stop: stop}", "finish_reason: $finish"),
        )
        for hole, key, section, place in rows:
            is_stated = self.section.get(key) is not None
            if hole in places and not is_stated:
                self._report_missing("body", f"${hole} has a place, and answer has no {key}", section)
            elif is_stated and hole not in places:
                self._report_missing(key, f"answer.{key} has no place: ${hole} stands nowhere", place)

    def _report_missing(self, where: str, message: str, hint: str) -> None:
        place = ("answer", where)
        self.notation.report(place, "missing-hole", message, f"write {hint}", at_key=True)

    def _parse_counts(self) -> dict[str, tuple[str, ...]]:
        """Return the field of the neutral counts -> the keys that lead to it."""
        shape = self._parse_object("usage")
        counts: dict[str, tuple[str, ...]] = {}
        stack: list[tuple[tuple[str, ...], KeyShape]] = (
            [] if shape is None else [((), key) for key in shape.fields]
        )
        while stack:
            above, entry = stack.pop(0)
            path = (*above, entry.key)
            inner = entry.shape
            if isinstance(inner, Object) and inner.extra_keys is None and not inner.fixed:
                stack += [(path, key) for key in inner.fields]
            elif self._is_count(entry, counts):
                counts[inner.holes[0].name] = path
                self.text_counts += [inner.holes[0].name] if inner.holes[0].filters else []
        return counts

    def _spell_count_aliases(
        self, counts: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Return the field of the neutral counts -> its other paths: those of the spec, and in snake_case."""
        written: Mapping[str, tuple[JsonPath, ...]] = self.answer.count_aliases
        spelled = {
            name: [
                *[other for path in written.get(name, ()) for other in self._spell_path(path)],
                *[snake for path in (counts.get(name),) if path for snake in self._spell_path(path)[1:]],
            ]
            for name in dict.fromkeys((*written, *counts))
        }
        return {name: tuple(paths) for name, paths in spelled.items() if paths}

    def _spell_added_counts(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        return {
            whole: tuple([other for path in paths for other in self._spell_path(path)])
            for whole, paths in self.answer.added_counts.items()
        }

    def _spell_path(self, path: JsonPath | tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Return a path of keys, and the same in snake_case if this API is read so and it differs."""
        keys = tuple(map(str, path))
        snake = tuple([self.notation.list_spellings(key)[-1] for key in keys])
        return tuple(dict.fromkeys((keys, snake)))

    def _is_count(self, entry: KeyShape, counts: Collection[str]) -> bool:
        """Return whether one key of the counts holds a count, and report a shape that is none."""
        hole, span = entry.shape, entry.shape.span
        plain = isinstance(hole, Hole) and hole.guard is None and not hole.listed
        if not isinstance(hole, Hole) or not plain or hole.filters not in ((), (_AS_TEXT,)):
            message = "the counts are objects of plain holes, or with number_text where they are text"
            hint = f"the holes are {_COUNT_HOLES}"
        elif entry.aliases and not self.notation.snake_aliases:
            message, hint = "a count has one key", f"write {entry.key}?: ${hole.name}"
        elif hole.name in counts:
            message, hint = f"{quote('$' + hole.name)} has a key already", "leave one of them out"
        elif hole.name not in COUNTS and hole.path != UNPARSED:
            message = f"{quote('$' + hole.name)} is not a count of tokens"
            hint = did_you_mean(hole.name, COUNTS) or f"the holes are {_COUNT_HOLES}"
        else:
            return hole.path != UNPARSED
        self.notation.report(span, "bad-answer", message, hint)
        return False

    def _check_beside(self, counts: Collection[str]) -> None:
        for name, whole in self.answer.beside.items():
            for count in (name, whole):
                if count not in counts:
                    message, hint = (
                        f"{quote(count)} has no place in answer.usage",
                        f"write key?: ${count} there",
                    )
                    place = ("answer", "beside", name)
                    self.notation.report(place, "bad-answer", message, hint, at_key=count == name)


def _walk(shape: Shape) -> Iterator[Shape]:
    """Walk a shape and all shapes inside its objects."""
    stack = [shape]
    while stack:
        inner = stack.pop()
        yield inner
        if isinstance(inner, Object):
            stack += [entry.shape for entry in inner.fields]
        elif isinstance(inner, Listing):
            stack += inner.items
