"""Pictures and other media in answers of an assistant, for APIs whose assistant messages cannot hold them."""

from __future__ import annotations

from ..model.parts import Text
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING
from .changes import EditLog, asked_nodes, first_sent, identities
from .result_media import MEDIA, MEDIA_WORDS, after_results

if TYPE_CHECKING:
    from ..model.parts import Part
    from ..model.request import Request
    from .edits import Edit, RepairContext


def move_answer_media(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with rejected media of answers in the next message of the user.

    A text stands where the media stood and refers to it; under `answer_media="drop"`, it says that they were left out.
    """
    log = EditLog(context, "answer_media")
    choice = context.policies.answer_media
    if choice == "error":
        return request, ()
    mover = _Mover(log, identities(asked_nodes(request, context)), drops=choice == "drop")
    start = first_sent(request, context)
    made = mover.messages(request.messages[start:])
    return log.result(request, replace(request, messages=(*request.messages[:start], *made)))


class _Mover:
    """The messages of one conversation while media moves out of answers."""

    def __init__(self, log: EditLog, asked: frozenset[int], *, drops: bool) -> None:
        self._log = log
        self._asked = asked
        self._drops = drops
        self._count = 0
        # the parts for the next user message
        self._moved: list[Part] = []

    def messages(self, messages: tuple[Message, ...]) -> list[Message]:
        """Return the messages with the media moved."""
        made: list[Message] = []
        for message in messages:
            if message.role == "user" and self._moved:
                made.append(self._log.changed(message, parts=after_results(message.parts, self._moved)))
                self._moved = []
            elif message.role == "assistant" and any(id(part) in self._asked for part in message.parts):
                parts = tuple([self._replaced(part) for part in message.parts])
                made.append(self._log.changed(message, parts=parts))
            else:
                made.append(message)
        if self._moved:
            made.append(self._log.made(self._moved[-1], Message("user", tuple(self._moved))))
        return made

    def _replaced(self, part: Part) -> Part:
        """Return the text that stands in an answer instead of media."""
        if id(part) not in self._asked or not isinstance(part, MEDIA):
            return part
        word = MEDIA_WORDS[kind_of(part)]
        title = self._log.context.wire.title
        if self._drops:
            self._log.add("dropped", part, kind_of(part), f"{title} does not accept it in an answer")
            return self._log.made(part, Text(f"[{word} left out]"))
        self._count += 1
        label = f"{word} {self._count}"
        why = f"{title} does not accept it in an answer; sent in the user message that follows"
        self._log.add("moved", part, "", why)
        self._moved += [self._log.made(part, Text(f"[{label}, from the assistant's answer]")), part]
        return self._log.made(part, Text(f"[{label}: see the next user message]"))
