"""The API that a stream is written for: its tables, and the JSON that it has for whole parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..build.wire import Wire
from ..build.writers import Writers
from ..model.calls import ToolCall
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.notes import Note
from ..reporting.policies import Policies
from ..wire_json.kinds import is_list, is_object
from .answer_writer import has_refusals, items_of
from .buffers import EACH, settled
from .json_differences import NAMING, unreported
from .stream_table import StreamTable
from .table import AnswerTable
from .written import WrittenKind, WrittenStream


class StreamTarget:
    """The tables of the API that a stream is written for.

    told       the values of a part, or of the message if parts are not in a list, that events report
    is_listed  whether the parts of this API are in a list
    refuses    whether this API has refusals
    """

    __slots__ = (
        "_naming", "answers", "is_listed", "refuses", "stream", "told", "wire", "writers", "written",
    )  # fmt: skip

    def __init__(
        self, wire: Wire, writers: Writers, answers: AnswerTable, stream: StreamTable, written: WrittenStream
    ) -> None:
        self.wire = wire
        self.writers = writers
        self.answers = answers
        self.stream = stream
        self.written = written
        paths = stream.event_paths(answers)
        self.told = paths.at(stream.part) or paths
        self.is_listed = stream.part[-1:] == (EACH,)
        self.refuses = "refusal" in written.kinds and has_refusals(writers, answers)
        self._naming = NAMING.union(stream.thought)

    def kind_of(self, word: str, special: str | None = None) -> WrittenKind:
        """Return the events of a kind of part; those of a special kind if the API has them."""
        kinds = self.written.kinds
        return kinds.get(special or word, kinds[word])

    def is_own(self, message: Message) -> bool:
        """Return whether a message was read from this API."""
        return message.provenance is not None and message.provenance.wire == self.wire.name

    def elements(
        self, message: Message, policies: Policies, *, text_before: int = 0
    ) -> tuple[list[dict[str, Any]], list[Note]]:
        """Return the elements of a message that holds one part, or the message that they are in, and the notes.

        Raises NoPlace for a part that this API does not support, unless the policies turn the loss into a note.
        """
        own = self.is_own(message)
        message = message if own else _bare_calls(message)
        items, notes = items_of(
            message, self.wire, self.writers, self.answers, policies, own=own, text_before=text_before
        )
        items = [self.answers.as_answer(item) if is_object(item) else item for item in items]
        if self.is_listed and not self.answers.flat:
            key = self.stream.part[-2]
            items = [element for item in items if is_list(item.get(key)) for element in item[key]]
        return [item for item in items if is_object(item)], notes

    def rest(self, json: Mapping[str, Any], call: int | None = None) -> dict[str, Any]:
        """Return an element without the texts, calls and empty values that other events report.

        Args:
            json: The element, or the message where parts are not in a list.
            call: The number of its only call, where calls are in a list of the message.
        """
        always = self.answers.always
        rest = unreported(json, self.told, self._naming)
        rest = {key: value for key, value in rest.items() if key not in always or always[key] != value}
        before: list[Any] = [{}] * (call or 0)
        for key, inner in rest.items() if before and not self.is_listed else ():
            below = self.told.inner.get(key)
            if below is not None and EACH in below.inner and is_list(inner):
                rest[key] = [*before, *inner]
        return rest

    def has_texts(self, key: str) -> bool:
        """Return whether events report the texts of a list of a message, and no calls."""
        inside = None if self.is_listed else self.told.at((key, EACH))
        return inside is not None and not inside.calls

    def settled(self, value: Any, path: tuple[str, ...] = ()) -> Any:
        """Return a value of the accumulated body as plain JSON."""
        return settled(value, path, self.stream.decoded)


def _bare_calls(message: Message) -> Message:
    """Return a message whose calls lack the id and the arguments, which events report."""
    parts = [
        replace(part, id=part.name if part.id is None else part.id, arguments={}, kept=None)
        if isinstance(part, ToolCall)
        else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))
