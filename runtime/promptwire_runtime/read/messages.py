"""Read messages: which items form one, first messages, results of custom tools, and the short way for plain ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from ..model.options import Instruction
from ..model.parts import (
    Audio,
    CustomToolCall,
    CustomToolResult,
    Document,
    Image,
    Opaque,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Video,
)
from ..model.request import Message
from ..model.wire_memory import Kept, Provenance, make_form, make_kept, make_swap
from ..nodes.node import changed, is_deferred
from ..reporting.notes import Note
from .form_memory import MemoryWords


class _Turn:
    __slots__ = ("closed", "message", "parts", "role")

    def __init__(
        self, role: str, message: Message | None, parts: list[Part], *, closed: bool = False
    ) -> None:
        self.role = role
        self.message = message
        self.parts = parts
        self.closed = closed

    def finish(self, origin: Provenance) -> Message:
        if self.message is None:
            return Message(self.role, tuple(self.parts), provenance=origin)
        if len(self.parts) == len(self.message.parts):
            return self.message
        return cast("Message", changed(self.message, parts=tuple(self.parts)))


class TurnCollector:
    """Collects items: consecutive standalone items of one role form one Message.

    A message item of the assistant joins the open turn only when that turn holds standalone items and no
    message item yet; every other message item opens a new Message.
    """

    def __init__(self, origin: Provenance, *, group: bool) -> None:
        """Start without a turn; `group` is true on wires whose items are not inside messages."""
        self._origin = origin
        self._group = group
        # a message that nothing was merged into is unchanged
        self._turns: list[_Turn | Message] = []
        self._joined = False

    def add_message(self, message: Message) -> None:
        """Add a message item."""
        last = self._turns[-1] if self._group and self._turns else None
        if (
            type(last) is _Turn
            and message.role == "assistant" == last.role
            and message.parts
            and last.message is None
            and not last.closed
        ):
            last.message = message
            last.parts.extend(message.parts)
        else:
            self._turns.append(message)

    def add_item(self, role: str, part: Part | None) -> bool:
        """Add an item that is a part of its own; False where it is none."""
        if part is None:
            return False
        self._joined = True
        last = self._turns[-1] if self._turns else None
        if isinstance(last, Message) and role == "assistant" == last.role:
            last = self._turns[-1] = _Turn(role, last, list(last.parts))
        if (
            type(last) is _Turn
            and last.role == role
            and not last.closed
            and (last.message is None or role == "assistant")
        ):
            last.parts.append(part)
        else:
            self._turns.append(_Turn(role, None, [part]))
        return True

    def add_unknown(self, part: Opaque) -> None:
        """Add an item that no shape knows."""
        self._joined = True
        self._turns.append(_Turn("user", None, [part], closed=True))

    def finish(self) -> tuple[Message, ...]:
        """Return the messages."""
        if not self._joined:
            messages: Any = self._turns
            return tuple(messages)
        return tuple(
            [turn if isinstance(turn, Message) else turn.finish(self._origin) for turn in self._turns]
        )


def with_custom_results(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages with a `CustomToolResult` for each result that answers a free-text call."""
    calls = {
        part.id
        for message in messages
        # the forms that nearly all messages have hold none
        if message.fast_path in ("", "parts")
        for part in message.parts
        if type(part) is CustomToolCall and part.id
    }
    if not calls:
        return messages
    read: list[Message] = []
    for message in messages:
        if any(type(part) is ToolResult and part.call_id in calls for part in message.parts):
            parts = tuple([_as_custom_result(part, calls) for part in message.parts])
            message = cast("Message", changed(message, parts=parts))  # noqa: PLW2901  # the same with other parts
        read.append(message)
    return tuple(read)


def _as_custom_result(part: Part, calls: set[str]) -> Part:
    if type(part) is not ToolResult or part.call_id not in calls:
        return part
    return CustomToolResult(
        part.call_id,
        part.parts,
        name=part.name,
        item_id=part.item_id,
        status=part.status,
        cache=part.cache,
        signature=part.signature,
        provenance=part.provenance,
        vendor=part.vendor,
        extra=part.extra,
        kept=part.kept,
    )


def without_instructions(
    messages: tuple[Message, ...], role: str, reader: Any
) -> tuple[Any, tuple[Message, ...]]:
    """Return the instructions that the first message is, and the messages without it; None where it is none.

    `role` is that of instructions that state none, unless the model has another.
    """
    first = messages[0] if messages else None
    if first is None or first.role not in ("system", "developer") or not first.parts:
        return None, messages
    if first.name is not None or not all(type(part) is Text and part.text for part in first.parts):
        return None, messages
    texts = cast("tuple[Text, ...]", first.parts)
    if any(part.citations is not None or part.vendor is not None for part in texts):
        return None, messages
    reader.notes.append(_moved_note(first.role))
    default = reader.wire.decide(reader.origin.model, None).role or role
    if len(texts) == 1 and texts[0].is_plain and first.role == default:
        return texts[0].text, messages[1:]
    own = None if first.role == default else first.role
    layers = [changed(part, Instruction, text=part.text, role=own, cache=part.cache) for part in texts]
    return tuple(layers), messages[1:]


@lru_cache(maxsize=4)
def _moved_note(role: str) -> Note:
    """Return the note on a first message of this role that was read as instructions."""
    return Note("moved", "", "instructions", f"they were the first message, of role {role}")


# `type` as type checkers do not narrow it: what a list or an object holds is any JSON
_class: Callable[[Any], type] = type
_PLAIN_KINDS = frozenset({Text, Image, Document, Audio, Video, Reasoning, ToolCall, ToolResult})
_NOTHING: dict[str, Any] = {}
# a memory that is not known without writing the message
UNSURE_KEPT = Kept("")


class PlainItem:
    """How a wire writes a message of one role that has nothing but plain parts.

    speaker  the key that says whose it is, and `word`, what stands there
    content  the key of its content
    calls    the key of its tool calls, which may be that of the content; empty where they are no part of it
    bare     whether one text stands without a list
    text     the keys of an element that is surely a text, `text` or `type=text text`; empty where none is known
    """

    __slots__ = ("_kind", "_known", "_size", "_text", "bare", "calls", "content", "speaker", "word")

    def __init__(
        self, speaker: str, word: str, content: str, calls: str = "", *, bare: bool, text: str = ""
    ) -> None:
        self.speaker = speaker
        self.word = word
        self.content = content
        self.calls = calls
        self.bare = bare
        *constants, self._text = text.split() or [""]
        # the key of the only constant besides the text, and the constant
        self._kind = constants[0].split("=") if constants else None
        self._size = 1 + len(constants)
        # memories that many messages have: no more than there are wires and words
        self._known: dict[tuple[Any, ...], Kept] = {}

    def text_alone(self, elements: list[Any]) -> Any:
        """Return the value at the place of the text, if a list has one element with the keys of a text; else None."""
        if len(elements) != 1:
            return None
        element: Any = elements[0]
        if _class(element) is not dict or len(element) != self._size:
            return None
        kind = self._kind
        return element.get(self._text) if kind is None or element.get(kind[0]) == kind[1] else None

    def memory_of_text(self, elements: list[Any], wire: str) -> Kept | None:
        """Return how a list of one text alone differs from what a build writes; None where a build writes it."""
        return self._memory_of(_NOTHING, _text_element(elements[0]), wire) if self.bare else None

    def memory(
        self, parts: tuple[Part, ...], item: dict[str, Any], words: MemoryWords, wire: str, *, others: bool
    ) -> Kept | None:
        """Return how an item differs from what a build writes for the message that is read from it.

        None: a build writes the item. UNSURE_KEPT: that is not known without writing the message.

        Args:
            parts: The parts of the message.
            item: The JSON.
            words: The words of the wire.
            wire: The name of the wire.
            others: Whether the message has more than parts.
        """
        if item.get(self.speaker) != self.word:
            return UNSURE_KEPT
        content: Any = item.get(self.content)
        bare = len(item) == 2 and bool(content)
        absent = _NOTHING if bare else self._find_absent(item, words, others=others)
        calls = 0 if bare else self._number_of_calls(item)
        if absent is None or calls is None:
            return UNSURE_KEPT
        count = len(parts) - calls
        if (_class(content) is list or type(content) is str) and content:
            element = self._find_element(parts, content, count)
            if element is None:
                return UNSURE_KEPT
            return self._memory_of(absent, element, wire) if absent or element else None
        if count or not calls or (content is not None and content != []):
            return UNSURE_KEPT
        if self.content in item:
            # it has no value: null or an empty list
            absent = {key: value for key, value in item.items() if key in absent or key == self.content}
        return self._memory_of(absent, (), wire) if absent else None

    def _find_element(self, parts: tuple[Part, ...], content: Any, count: int) -> tuple[str, ...] | None:
        """Return the type and the key of the one text of a content that a build writes without a list.

        Empty: a build writes the content. None: that is not known.
        """
        part = parts[0] if self.bare and count == 1 and type(parts[0]) is Text else None
        if type(content) is str:
            return () if part is not None and part.is_plain else None
        if len(content) != count or not _are_written_alone(parts, count):
            return None
        if part is None:
            return ()
        return _text_element(content[0]) if _is_known(part) else None

    def _memory_of(self, absent: dict[str, Any], element: tuple[str, ...], wire: str) -> Kept:
        """Return the memory of keys without a value, and of the element that a build would write as text."""
        usual = not absent or not any(value is not None for value in absent.values())
        name = wire, element, *absent
        kept = self._known.get(name) if usual else None
        if kept is None:
            constants = {"type": element[0]} if element and element[0] else {}
            listed = {self.content: (constants, element[1])} if element else {}
            kept = make_kept(wire, make_form((make_swap({}, absent),) if absent else (), {}, listed, {}))
            if usual:
                self._known[name] = kept
        return kept

    def _find_absent(
        self, item: dict[str, Any], words: MemoryWords, *, others: bool
    ) -> dict[str, Any] | None:
        """Return the keys of an item that no build writes, as they mean nothing; None where one may mean something."""
        absent: dict[str, Any] = {}
        known = self.speaker, self.content, self.calls or self.content
        for key, value in item.items():
            if key in known:
                continue
            if key not in words.keys or not (value is None or words.explain(value)):
                return None
            absent[key] = value
        return None if absent and others else absent

    def _number_of_calls(self, item: dict[str, Any]) -> int | None:
        """Return the number of calls outside the content; None if they are not a list, or an empty one."""
        if not self.calls or self.calls == self.content or self.calls not in item:
            return 0
        calls: Any = item[self.calls]
        return len(calls) or None if _class(calls) is list else None


def _is_known(part: Text) -> bool:
    """Return whether it is known how the list of a single text is written."""
    # an option may mean another type than that of texts
    return part.is_plain or not (is_deferred(part) or part.kept is not None or part.vendor or not part.text)


def _text_element(element: dict[str, Any]) -> tuple[str, ...]:
    """Return the type and the key of the text of an element that a build writes as bare text; empty of any other.

    The type is empty where elements have none.
    """
    if len(element) == 1 and _class(element) is dict:
        return ("", *element)
    if len(element) != 2 or "type" not in element:
        return ()
    first, second = element
    return element["type"], second if first == "type" else first


def _are_written_alone(parts: tuple[Part, ...], count: int) -> bool:
    """Return whether each part is one element of the list that it was read from."""
    if count == 1:
        return type(parts[0]) in _PLAIN_KINDS
    kinds = set(map(type, parts[:count]))
    return kinds <= _PLAIN_KINDS and not (ToolResult in kinds and len(kinds) > 1)


def is_written_back(parts: tuple[Part, ...] | None, content: Any, *, bare: bool) -> bool:
    """Return whether a build writes the parts inside a part as the JSON that they were read from.

    Args:
        parts: The parts.
        content: The JSON.
        bare: Whether a single text stands without a list.
    """
    if parts is None or (bare and not parts):
        return False
    if type(content) is str:
        return bare and len(parts) == 1 and type(parts[0]) is Text and parts[0].is_plain
    if _class(content) is not list or len(content) != len(parts) or not _are_written_alone(parts, len(parts)):
        return False
    return not (bare and len(parts) == 1 and type(parts[0]) is Text) or len(content[0]) > 2
