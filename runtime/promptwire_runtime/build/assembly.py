"""Writing a message part by part: slots, items of their own, joining, pairing, blank text, elements kept as they came.

Generated code writes plain messages at once, and hands every other one over; `Writers` say what the wire has.
"""

from __future__ import annotations

from ..model.parts import Opaque
from ..passes import drops_blank, drops_empty
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of
from ..wire_json.values import bare_text
from .writers import STANDALONE

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from .context import BuildContext
    from .writers import MessageWriter, PartWriter

_FOREIGN = "it came from {} and means nothing here"


def write_message(
    message: Message,
    build: BuildContext,
    items: list[Any],
    joined: list[Any] | None = None,
    open_calls: list[Any] | None = None,
) -> bool:
    """Write one message into `items`, or into `joined`, the content of the one before; tell whether it was sent.

    `open_calls` holds the ids of calls without a result so far, where the wire asks for pairs.
    """
    writers = build.writers
    origin = message.provenance
    if origin is not None and writers.signed and origin.api != build.wire.api:
        message = build.without_foreign(message)
        if build.left_out is message:
            return False
    role = writers.roles.get(message.role)
    if role is None:
        build.lost(message, "role", "this wire has no message of this role")
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
    return build.left_out is not message


class Assembly:
    """One message on its way: its parts land in slots, from which its item is written.

    held    whether anything stands in the slots of the item that is open
    alone   whether a part stands as an item of its own
    spoken  whether a piece of the message was written before it
    """

    __slots__ = (
        "alone",
        "build",
        "held",
        "items",
        "joined",
        "message",
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
        self.slots: list[Any] = role.opened()
        if joined is not None:
            self.slots[role.content] = joined
            self.size = len(joined)
        self.held = self.alone = self.spoken = False

    def add(self, part: Any) -> None:
        """Write a part into the slot of the shape that takes it; report one that none takes."""
        role = self.role
        writer = role.kinds.get(class_of(part))
        if writer is not None:
            part = self._write(part, writer)
            if part is None:
                return
        elif class_of(part) is Opaque:
            self._keep(part)
            return
        else:
            self.build.lost(part, "", role.nowhere)
        if role.marks and not part.plain and part.cache is not None:
            content = self.slots[role.content]
            if content:
                content.append(self.build.writers.cache(self.build.mark(part), self.build))

    def _write(self, part: Any, writer: PartWriter) -> Any:
        """Write what of a part is sent here, once the rules have looked at it; None where it is left out."""
        build = self.build
        if writer.check is not None:
            writer.check(part, self.message, build)
        if writer.blank and not part.plain and drops_blank(part, self.message, build):
            return None
        if writer.payloads and (part.provenance is not None or not part.plain):
            part = build.proven(part, self.message, writer.payloads)
            if part is None:
                return None
        if writer.others:
            writer = next((other for test, other in writer.others if test(part, build)), writer)
        if writer.slot == STANDALONE:
            if not self._stand_alone(part, writer):
                return part
        else:
            value = writer.write(part, build)
            if value is None:
                return part
            self._land(value, writer.slot, part)
        if writer.pairs:
            self._pair(part, writer.pairs)
        return part

    def _stand_alone(self, part: Any, writer: PartWriter) -> bool:
        """Write a part as an item of its own; what stands before it is an item too."""
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

    def _land(self, value: Any, slot: int, part: Any) -> None:
        role, slots = self.role, self.slots
        self.held = True
        if slot in role.single:
            if slots[slot] is not None:
                self.build.lost(part, "", "the message has room for one of its kind")
            else:
                slots[slot] = value
            return
        slots[slot].append(value)
        if slot == role.content:
            for calls in role.calls:
                if slots[calls]:
                    self.build.reordered(self.message)

    def _pair(self, part: Any, pairs: str) -> None:
        """Open a call, or close the one that a result answers: as a rule the first."""
        calls = self.open_calls
        if pairs == "opens":
            if calls is not None:
                calls.append(part.id)
        elif calls and calls[0] == part.call_id:
            del calls[0]
        else:
            self.build.close_call(part, calls)

    def _keep(self, part: Opaque) -> None:
        """Place an element of this wire as it came, in the list that it stood in."""
        build, slots = self.build, self.role.slots
        if part.wire != build.wire.name:
            build.lost(part, "value", _FOREIGN.format(part.wire))
        elif part.place == "messages":
            self._flush()
            self.alone = True
            self.items.append(build.apart(part) if build.writers.merges else build.opaque(part))
        elif (
            part.place in slots
            and part.place != "content"
            and slots.index(part.place) not in self.role.single
        ):
            self.slots[slots.index(part.place)].append(build.opaque(part))
            self.held = True
        elif self.role.content == STANDALONE:
            build.lost(part, "value")
        else:
            self._land(build.opaque(part), self.role.content, part)

    def _flush(self) -> None:
        """Close the item that is open, before an item of its own."""
        role = self.role
        if role.write is None:
            return
        if self.joined is not None:
            if len(self.joined) == self.size:
                self.build.left_out = self.message
            self.joined = None
        elif self.held:
            self.items.append(role.write(self.message, self.build, *self.slots))
            if not self.message.plain:
                self.message = self.build.rest_of(self.message, *role.shared)
            self.spoken = True
        else:
            return
        self.slots = role.opened()
        self.held = False

    def close(self) -> None:
        """Write what is left of the message; one of which nothing is sent says so."""
        message, build, write = self.message, self.build, self.role.write
        assert write is not None  # noqa: S101  # roles without items close otherwise
        if message.role == "tool" and not message.parts:
            build.lost(message, "role", "a tool message without a result says nothing")
            build.left_out = message
        elif self.joined is not None:
            # what stands on the message itself is lost, and says so
            if not message.plain:
                write(message, build, *self.slots)
            if len(self.joined) == self.size:
                build.emptied(message)
        elif self.held or self._is_sent_empty():
            self.items.append(write(message, build, *self.slots))
        elif not self.alone:
            build.emptied(message)
        elif not (self.spoken or message.plain):
            build.without_item(message)

    def _is_sent_empty(self) -> bool:
        """Tell whether a message without parts is sent as it was given."""
        message, build = self.message, self.build
        if self.alone or message.parts or message.role == "tool":
            return False
        return not (build.writers.blank and drops_empty(message, build))

    def close_without_item(self) -> None:
        """Report what stands on a message of which only parts are sent."""
        message, build = self.message, self.build
        if not message.parts:
            article = "an" if message.role == "assistant" else "a"
            why = "without a result says nothing" if message.role == "tool" else "holds nothing here"
            build.lost(message, "role", f"{article} {message.role} message {why}")
        if not message.plain:
            build.without_item(message)


def write_contents(kind: str, parts: tuple[Any, ...], build: BuildContext, collapse: bool) -> Any:
    """Write the parts inside a part of this kind: a list, or bare text where `collapse` allows that."""
    content: list[Any] = []
    writers = build.writers.contents[kind]
    for part in parts:
        writer = writers.kinds.get(class_of(part))
        if writer is not None:
            if writer.check is not None:
                writer.check(part, build)
            taken = build.own_part(part) if writer.payloads and part.provenance is not None else part
            if taken is None:
                continue
            value = writer.write(taken, build)
            if value is not None:
                content.append(value)
        elif class_of(part) is Opaque:
            if part.wire == build.wire.name:
                content.append(build.opaque(part))
            else:
                build.lost(part, "value", _FOREIGN.format(part.wire))
            continue
        else:
            build.lost(part, "", writers.nowhere)
        if writers.marks and not part.plain and part.cache is not None:
            build.lost(part, "cache", "a mark stands between the parts of a message, not inside one")
    if not writers.text:
        return content or ("" if collapse else [])
    return bare_text(content, writers.text) if collapse else content
