"""Write a message part by part.

Generated code writes plain messages itself and passes all others to `write_message`. The tables of the wire
(`Writers`) say how each part is written. This module handles what is the same for every wire: slots, standalone
items, merging, pairing of calls and results, blank text, and elements that are sent as they were read.
"""

from __future__ import annotations

from ..model.parts import HostedCall, HostedResult, Opaque
from ..passes.blanks import drops_blank, drops_empty, rest_of, without_item
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of
from ..wire_json.values import bare_text
from .writers import STANDALONE

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from .context import BuildContext
    from .writers import MessageWriter, PartWriter

_FOREIGN = "it is JSON of {}, which no other API accepts"


def write_message(
    message: Message,
    build: BuildContext,
    items: list[Any],
    joined: list[Any] | None = None,
    open_calls: list[Any] | None = None,
) -> bool:
    """Write one message into `items`, and return whether it is sent.

    Args:
        message: The message.
        build: The build that it is part of.
        items: The items written so far.
        joined: The content of the previous message, if this one is merged into it.
        open_calls: The ids of calls without a result so far, on wires that require pairs.
    """
    writers = build.writers
    origin = message.provenance
    if origin is not None and writers.signed and origin.api != build.report.wire.api:
        from ..passes.foreign import without_foreign

        given, message = message, without_foreign(message, build.report)
        if given.parts and not message.parts:
            build.omit_message(given)
            return False
    role = writers.roles.get(message.role)
    if role is None:
        build.report.lost(message, "role", "this API has no messages of this role")
        return False
    if role.check is not None:
        role.check(message, build)
    assembly = Assembly(message, role, build, items, joined, open_calls)
    for part in message.parts:
        assembly.add(part)
    if role.write is None:
        assembly.close_without_item()
    else:
        assembly.close()
    return not assembly.omitted


class Assembly:
    """Assembles the items of one message: parts are written into slots, and an item is written from its slots.

    Attributes:
        held: Whether the slots of the current item contain anything.
        alone: Whether some part was written as a standalone item.
        spoken: Whether an item of the message was written before the current one.
        omitted: Whether nothing of the message is sent.
    """

    __slots__ = (
        "alone",
        "build",
        "held",
        "items",
        "joined",
        "message",
        "omitted",
        "open_calls",
        "role",
        "size",
        "slots",
        "spoken",
    )

    def __init__(
        self,
        message: Message,
        role: MessageWriter,
        build: BuildContext,
        items: list[Any],
        joined: list[Any] | None,
        open_calls: list[Any] | None,
    ) -> None:
        self.message = message
        self.role = role
        self.build = build
        self.items = items
        self.joined = joined
        self.open_calls = open_calls
        self.slots: list[Any] = role.open_slots()
        if joined is not None:
            self.slots[role.content] = joined
            self.size = len(joined)
        self.held = self.alone = self.spoken = self.omitted = False

    def add(self, part: Any) -> None:
        """Write a part into its slot, or report that no shape accepts it."""
        role = self.role
        writer = role.kinds.get(class_of(part))
        if writer is not None:
            part = self._check_part(part, writer)
            if part is None:
                return
            if writer.others:
                writer = next((other for test, other in writer.others if test(part, self.build)), writer)
            if writer.slot == STANDALONE:
                is_sent = self._stand_alone(part, writer)
            else:
                value = writer.write(part, self.build)
                is_sent = value is not None
                if is_sent:
                    self._place_in_slot(value, writer.slot, part)
            if is_sent and writer.pairs:
                self._track_call(part, writer.pairs)
        elif class_of(part) is Opaque:
            self._write_opaque(part)
            return
        else:
            self.build.report.lost(part, "", role.nowhere, role=self.message.role)
        if role.marks and not part.is_plain and part.cache is not None:
            self._write_mark(part)

    def _check_part(self, part: Any, writer: PartWriter) -> Any:
        """Check a part against the rules. Return it without foreign payloads, or None if it is omitted."""
        build = self.build
        if part.kept is not None and type(getattr(part, "arguments", None)) is str:
            from .restoring import with_arguments

            part = with_arguments(part, build.report)
        if writer.check is not None:
            writer.check(part, self.message, build)
        if writer.blank and not part.is_plain and drops_blank(part, self.message, build.report):
            return None
        if writer.payloads and (part.provenance is not None or not part.is_plain):
            from ..passes.foreign import without_foreign_payloads

            return without_foreign_payloads(part, self.message, writer.payloads, build.report)
        return part

    def _write_mark(self, part: Any) -> None:
        """Write the cache mark of a part as an element of its own."""
        content = self.slots[self.role.content]
        if content:
            content.append(self.build.writers.cache(self.build.rules.mark(part), self.build))

    def _stand_alone(self, part: Any, writer: PartWriter) -> bool:
        """Write a part as a standalone item, after the item that is in progress."""
        if writer.sure:
            self._flush()
            item = writer.write(part, self.build)
        else:
            item = writer.write(part, self.build)
            if item is None:
                return False
            self._flush()
        self.items.append(item)
        self.alone = True
        return True

    def _place_in_slot(self, value: Any, slot: int, part: Any) -> None:
        role, slots = self.role, self.slots
        self.held = True
        if slot in role.single:
            if slots[slot] is None:
                slots[slot] = value
            elif type(value) is type(slots[slot]) is str and self._joins_pieces():
                slots[slot] += value
            else:
                self.build.report.lost(part, "", "the message can hold only one of its kind")
            return
        texts = slots[slot]
        is_text = type(value) is str and slot == role.content
        if is_text and texts and type(texts[-1]) is str and self._joins_pieces():
            texts[-1] += value
        else:
            texts.append(value)
        if slot == role.content:
            for calls in role.calls:
                if slots[calls]:
                    self.build.report.reordered(self.message)

    def _joins_pieces(self) -> bool:
        """Return whether the texts of a message are pieces of one, as another API's answer in a stream tells them.

        Messages of requests are texts of their own, with a blank line between them, and an own answer comes back.
        """
        return self.build.answering and self.build.report.policies.passes == "run"

    def _track_call(self, part: Any, pairs: str) -> None:
        """Add a call to the open calls, or remove the one that a result answers, which usually is the first.

        A call that the API answers itself is added in a tuple, so that no result of the caller's is taken for its own.
        """
        calls, answered = self.open_calls, self.build.report.wire.answered
        if pairs == "opens":
            if calls is not None:
                calls.append(
                    (part.id,) if isinstance(part, HostedCall) and part.type in answered else part.id
                )
        elif calls and calls[0] == (
            (part.call_id,) if answered and isinstance(part, HostedResult) else part.call_id
        ):
            del calls[0]
        else:
            self.build.close_call(part, calls)

    def _write_opaque(self, part: Opaque) -> None:
        """Write an opaque element of this wire unchanged, into the list that it was read from."""
        build, slots = self.build, self.role.slots
        if part.wire != build.report.wire.name:
            build.report.lost(part, "value", _FOREIGN.format(part.wire))
        elif part.place == "messages":
            self._flush()
            self.alone = True
            self.items.append(build.write_standalone(part) if build.writers.merges else build.opaque(part))
        elif (
            part.place in slots
            and part.place != "content"
            and slots.index(part.place) not in self.role.single
        ):
            self.slots[slots.index(part.place)].append(build.opaque(part))
            self.held = True
        elif self.role.content == STANDALONE:
            build.report.lost(part, "value")
        else:
            self._place_in_slot(build.opaque(part), self.role.content, part)

    def _flush(self) -> None:
        """Write the item in progress, before a standalone item."""
        role = self.role
        if role.write is None:
            return
        if self.joined is not None:
            if len(self.joined) == self.size:
                self.omitted = True
            self.joined = None
        elif self.held:
            self.items.append(role.write(self.message, self.build, *self.slots))
            if not self.message.fast_path:
                self.message = rest_of(self.message, role.shared, self.build.report)
            self.spoken = True
        else:
            return
        self.slots = role.open_slots()
        self.held = False

    def close(self) -> None:
        """Write the rest of the message, or report that nothing of it is sent."""
        message, build, write = self.message, self.build, self.role.write
        assert write is not None  # noqa: S101  # roles without items use close_without_item
        if message.role == "tool" and not message.parts:
            build.report.lost(message, "role", "a tool message must hold a result")
            self.omitted = True
        elif self.joined is not None:
            # fields of the message itself are lost; writing it reports them
            if not message.fast_path:
                write(message, build, *self.slots)
            if len(self.joined) == self.size:
                self._omit()
        elif self.held or self._is_sent_empty():
            self.items.append(write(message, build, *self.slots))
        elif not self.alone:
            self._omit()
        elif not (self.spoken or message.fast_path):
            without_item(message, build.report)

    def _omit(self) -> None:
        """Report that nothing of the message is sent."""
        self.omitted = True
        self.build.omit_message(self.message)

    def _is_sent_empty(self) -> bool:
        """Return whether a message without parts is sent as an empty item."""
        message, build = self.message, self.build
        if self.alone or message.parts or message.role == "tool":
            return False
        return not (build.writers.blank and drops_empty(message, build.report))

    def close_without_item(self) -> None:
        """Report the fields of a message of which only the parts are sent."""
        message, build = self.message, self.build
        if not message.parts:
            what = "an assistant message" if message.role == "assistant" else f"a {message.role} message"
            why = "must hold a result" if message.role == "tool" else "must hold parts"
            build.report.lost(message, "role", f"{what} {why}")
        if not message.fast_path:
            without_item(message, build.report)


def write_contents(kind: str, parts: tuple[Any, ...], build: BuildContext, collapse: bool) -> Any:
    """Write the parts inside a part of this kind: as a list, or as plain text where `collapse` allows it."""
    content: list[Any] = []
    writers = build.writers.contents[kind]
    for part in parts:
        writer = writers.kinds.get(class_of(part))
        if writer is not None:
            if writer.check is not None:
                writer.check(part, build)
            taken = _own_part(part, build) if writer.payloads and part.provenance is not None else part
            if taken is None:
                continue
            value = writer.write(taken, build)
            if value is not None:
                content.append(value)
        elif class_of(part) is Opaque:
            if part.wire == build.report.wire.name:
                content.append(build.opaque(part))
            else:
                build.report.lost(part, "value", _FOREIGN.format(part.wire))
            continue
        else:
            build.report.lost(part, "", writers.nowhere)
        if writers.marks and not part.is_plain and part.cache is not None:
            build.report.lost(
                part, "cache", "this API takes cache marks between the parts of a message, not inside a part"
            )
    if not writers.text:
        return content or ("" if collapse else [])
    return bare_text(content, writers.text) if collapse else content


def _own_part(part: Any, build: BuildContext) -> Any:
    from ..passes.foreign import own_part

    return own_part(part, build.report)
