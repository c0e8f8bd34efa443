"""A conversation as one text under a key of the body, between the marks that a model was trained with."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import LightRecord
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_list, is_object
from ..wire_json.values import fits
from .message_places import NO_ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from ..reporting.report import Report

# the vendor option of a prompt without marks
RAW = "raw"
# the texts around one message
_Around = tuple[str, str]
# the role and text of one message
_Turn = tuple[str, str]
_OWN_MARKS = "promptwire does not change the marks in a text of the caller"
_NO_TEXT = "a message of the prompt is nothing but text"
_SPEAKERS = ("user", "assistant")


@dataclass(frozen=True, eq=False, repr=False)
class PromptTemplate(LightRecord):
    """The marks of one family of models: an optional system text, then user and assistant in turn, the user last.

    Attributes:
        models: Patterns of the names of the models, between `|`; empty for all.
        begin: The text before all messages.
        end: The text behind all messages, which the model continues.
        turns: The role -> the texts before and behind a message. A role without them cannot be written.
        source: Who says so.
    """

    models: str
    begin: str
    end: str
    turns: Mapping[str, _Around]
    source: str = ""

    def serves(self, model: str | None) -> bool:
        """Return whether a model expects these marks; a model without a name does."""
        return not self.models or model is None or fits(model, self.models)

    def text(self, turns: list[_Turn]) -> str | None:
        """Write (role, text) pairs as one text; None if a role has no marks or the roles do not take turns."""
        if _in_turn([role for role, _ in turns]) and all(role in self.turns for role, _ in turns):
            around = [(self.turns[role], text) for role, text in turns]
            return "".join(
                [self.begin, *[before + text + behind for (before, behind), text in around], self.end]
            )
        return None

    def parsed(self, text: str) -> list[_Turn] | None:
        """Read a text as (role, text) pairs; None if it does not have these marks."""
        stop = len(text) - len(self.end)
        if not (text.startswith(self.begin) and text.endswith(self.end) and len(self.begin) <= stop):
            return None
        place, found = len(self.begin), list[_Turn]()
        system = self.turns.get("system")
        starts_with_system = (
            system is not None and system[0] != "" and text.startswith(system[0], place, stop)
        )
        expected = "system" if starts_with_system else "user"
        while place < stop:
            turn = self._turn(text, place, stop, expected)
            if turn is None:
                return None
            content, place = turn
            found.append((expected, content))
            expected = "assistant" if expected == "user" else "user"
        return found if found and found[-1][0] == "user" else None

    def _turn(self, text: str, place: int, stop: int, role: str) -> tuple[str, int] | None:
        """Return the text of one message, which the marks of the next one or the end follow, and where that begins."""
        if role not in self.turns or not text.startswith(self.turns[role][0], place, stop):
            return None
        before, behind = self.turns[role]
        following = self.turns.get("assistant" if role == "user" else "user")
        start = found = place + len(before)
        while (found := text.find(behind, found, stop)) >= 0:
            after = found + len(behind)
            if after == stop or (following is not None and text.startswith(following[0], after, stop)):
                return text[start:found], after
            found += 1
        return None


def _merge_neighbours(turns: list[_Turn], report: Report) -> list[_Turn]:
    """Merge neighbouring messages of the same role, with a note."""
    runs = [(role, [text for _, text in run]) for role, run in groupby(turns, key=itemgetter(0))]
    if len(runs) < len(turns):
        report.note(
            "merged", report.request, "messages", "in the prompt, neighbours of one role are one message"
        )
    return [(role, "\n\n".join(texts)) for role, texts in runs]


def _in_turn(roles: list[str]) -> bool:
    """Return whether user and assistant take turns behind an optional system message, the user first and last."""
    talk = roles[1:] if roles[:1] == ["system"] else roles
    return len(talk) % 2 == 1 and all(role == _SPEAKERS[place % 2] for place, role in enumerate(talk))


@dataclass(frozen=True, eq=False, repr=False)
class PromptPlace(LightRecord):
    """The key of a body that holds the conversation as one text.

    It stands in for `MessagePlaces`. A text without the marks of any template is one message of the user, and so is the
    prompt of a request with the vendor option `raw`.

    Attributes:
        key: The key of the body.
        speaker: The key of a message that holds its role.
        content: The key of a message that holds its text.
        words: The neutral role -> the word under `speaker`.
        templates: The templates, in the order in which they are tried.
        beside: A key of a message -> the key of the body that lists it for all messages, beside the text.
        unmarked: Whether the text is that of the user's only message, without marks; there is no option `raw`.
    """

    key: str
    speaker: str
    content: str
    words: Mapping[str, str]
    templates: tuple[PromptTemplate, ...]
    beside: Mapping[str, str] = NO_ROWS
    unmarked: bool = False
    # results have no list of their own
    results: ClassVar[str] = ""

    def fill(self, body: dict[str, Any], items: list[Any], report: Report) -> None:
        """Write the items of a conversation into a body, as one text."""
        if not items:
            report.missing(report.request, self.key, "the conversation has no message")
            return
        if self.beside:
            items = self._without_beside(items, body)
        turns = self._turns(items)
        is_known = turns is not None
        turns = _merge_neighbours(turns or [], report)
        text, why, source = self._text(turns, report) if is_known else (None, _NO_TEXT, "")
        if text is None:
            roles = [role for role, _ in turns]
            fix = self._fix(turns, report)
            no_repair = _OWN_MARKS if fix is None else ""
            report.refused("messages", roles, why, report.request, source, fix=fix or "", no_repair=no_repair)
            text = "\n\n".join([text for _, text in turns])
        body[self.key] = text

    def _without_beside(self, items: list[Any], body: dict[str, Any]) -> list[Any]:
        """Write the fields of messages other than their text into a body; return the messages without them."""
        objects: list[dict[str, Any]] = [item for item in items if is_object(item)]
        for key, place in self.beside.items():
            lists: list[Any] = [item[key] for item in objects if is_list(item.get(key))]
            listed = [part for each in lists for part in each]
            if listed:
                body[place] = listed
        return [
            {key: value for key, value in item.items() if key not in self.beside} if is_object(item) else item
            for item in items
        ]

    def _text(self, turns: list[_Turn], report: Report) -> tuple[str | None, str, str]:
        """Return the text of a prompt; or None, with the reason and its source."""
        model = report.wire.judged(report.request.model, report.settings)
        template = self._template(report)
        raw = self._raw(report)
        if raw is not None and type(raw) is not bool:
            report.refused(f"vendor.{report.wire.name}.{RAW}", raw, "raw is true or false", report.request)
        takes_system = template is not None and raw is not True and "system" in template.turns
        if turns and turns[0][0] == "system" and not takes_system:
            source = "" if template is None else template.source
            report.refused(
                "instructions", turns[0][1], "the prompt has no place for them", report.request, source
            )
            turns = turns[1:]
        if template is None or raw is True:
            reason = "with raw" if raw is True else f"no template is known for {model}:"
            text = turns[0][1] if [role for role, _ in turns] == ["user"] else None
            return text, f"{reason} the prompt is one message of the user", ""
        text = template.text(turns)
        if text is None:
            roles = ", ".join([role for role in self.words if role in template.turns])
            why = f"the prompt has messages of {roles}, where user and assistant take turns, the user last"
            if self.unmarked:
                why = "the prompt is one message of the user; this API takes no earlier messages"
            return None, why, template.source
        if not self.unmarked and template.parsed(text) != turns:
            return None, "a message contains the marks that separate messages in the prompt", template.source
        return text, "", ""

    def _fix(self, turns: list[_Turn], report: Report) -> str | None:
        """Return the repair of messages that are not a prompt; None if only their texts could be changed."""
        if self.unmarked:
            return "join_turns"
        roles = [role for role, _ in turns if role != "system"]
        if not roles:
            return "begin_with_user" if turns else ""
        template = self._template(report)
        if template is None or self._raw(report) is True:
            return "join_turns"
        if roles[-1] == "assistant":
            return "end_with_user"
        if roles[0] == "assistant":
            return "begin_with_user"
        if _in_turn([role for role, _ in turns]):
            return None
        return "join_turns"

    def _raw(self, report: Report) -> Any:
        return None if self.unmarked else report.vendor(report.request).get(RAW)

    def template_of(self, model: str | None) -> PromptTemplate | None:
        """Return the template of a model; the first template for a model without a name."""
        return next((each for each in self.templates if each.serves(model)), None)

    def _template(self, report: Report) -> PromptTemplate | None:
        """Return the template of the model; where no model is known, the one that the prompt was read with."""
        model, kept = report.wire.judged(report.request.model, report.settings), report.request.kept
        if model is None and kept is not None and kept.wire == report.wire.name and kept.shape is not None:
            known = {str(place): template for place, template in enumerate(self.templates)}
            return known.get(kept.shape) or self.template_of(model)
        return self.template_of(model)

    def template_in(self, body: dict[str, Any]) -> str | None:
        """Return the place of the template of a body's text; None for the first one, and for a text without marks."""
        text: Any = body.get(self.key)
        if class_of(text) is not str or self.unmarked:
            return None
        places = [place for place, each in enumerate(self.templates) if each.parsed(text) is not None]
        return str(places[0]) if places and places[0] else None

    def is_raw(self, body: dict[str, Any], model: str | None) -> bool:
        """Return whether a body has a text without marks, although the model has a template."""
        text: Any = None if self.unmarked else body.get(self.key)
        return class_of(text) is str and self.template_of(model) is not None and self._parsed(text) is None

    def _parsed(self, text: str) -> list[_Turn] | None:
        return next((found for each in self.templates if (found := each.parsed(text)) is not None), None)

    def _turns(self, items: list[Any]) -> list[_Turn] | None:
        """Return the role and text of each item; None if one is more than these."""
        roles = {word: role for role, word in self.words.items()}
        turns: list[_Turn] = []
        for item in items:
            text: Any = item.get(self.content) if is_object(item) else None
            if class_of(text) is not str or len(item) > 2 or item.get(self.speaker) not in roles:
                return None
            turns.append((roles[item[self.speaker]], text))
        return turns

    def items(self, body: dict[str, Any]) -> list[Any]:
        """Return the items of the messages that the text of a body represents."""
        text = body.get(self.key)
        if text is None:
            return []
        turns = self._parsed(text) if class_of(text) is str and not self.unmarked else None
        found: list[tuple[str, Any]] = [("user", text)] if turns is None else [*turns]
        items = [{self.speaker: self.words[role], self.content: value} for role, value in found]
        # reading cannot tell whose it was
        items[-1] |= {key: body[place] for key, place in self.beside.items() if place in body}
        return items
