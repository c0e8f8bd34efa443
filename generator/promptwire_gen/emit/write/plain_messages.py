"""Plain messages: nearly every message has one of five forms, which generated code writes without a call for each part.

text    one text of the user or the assistant
result  one result in a tool message
named   the same with the name of the tool, which many APIs do not take
calls   texts of the assistant (or none), then calls
media   texts and images of the user; the images are held as data
Whatever else a message carries, it is written part by part, to the same JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...model.neutral import MESSAGE
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, Variant, WireModel
from ...spec.shapes import ConstantShape, Hole
from ..field_holder import Test
from ..text_shapes import find_bare_text, get_text_type, is_joined
from .displays import Display
from .node import ShapedNode, make_node
from .placing import Placing, is_guarded
from .rule_facts import (
    WATCHES_END,
    Glance,
    find_counted_roles,
    find_meetings,
    find_neighbour_paths,
    find_watched_roles,
    is_checked,
    may_begin,
)

_SPEAKERS = ("user", "assistant")
# part kinds of a form and their companions: text before calls, texts and images in any order
_CALLS = {"text": ("text", "tool_call"), "tool_call": ("tool_call",)}
_SHOWN = {"text": ("text", "image"), "image": ("text", "image")}


@dataclass(frozen=True)
class PlainText:
    """A message of one text, `part`."""

    message: MessageShape
    text: ShapedNode


@dataclass(frozen=True)
class PlainResult:
    """A tool message of one result, `part`.

    Attributes:
        writer: The function that writes any result.
        shown: The JSON of a plain one, where it is known.
        called: Whether calls are written at once, so that their names are known.
        named: Whether a form is about the name of the call: `called` has the names by id.
        message: The message that holds the result; None where the result is an item of its own.
    """

    writer: str
    shown: Display | None
    called: bool
    named: bool
    message: MessageShape | None

    @property
    def sure(self) -> bool:
        """Return whether there is always JSON."""
        shown = self.shown
        return shown is not None and not (shown.excuses or shown.guarded or shown.node.named_by_call)


@dataclass(frozen=True)
class PlainCalls:
    """Texts followed by calls: the JSON of both, and the slots that take them.

    Attributes:
        judged: The paths of rules that look at where texts and calls stand: those that are about few models.
        calls: The list that the calls stand in: `content` with the texts, `out` as items of their own, or a slot.
        message: The message of the content; None where `write_item_assistant` writes it from all slots.
        slots: What the slots of the item are.
    """

    text: ShapedNode
    call: Display
    judged: tuple[str, ...]
    calls: str
    message: MessageShape | None
    slots: tuple[str, ...]

    @property
    def apart(self) -> bool:
        """Return whether each call is an item of its own."""
        return self.calls == "out"


@dataclass(frozen=True)
class ShownParts:
    """The function that writes texts and images; `tests` are the tests that an image fits its shape."""

    text: ShapedNode
    image: Display
    tests: list[Test]
    message: MessageShape


@dataclass(frozen=True)
class PlainMessages:
    """The plain forms of one wire's messages; None or empty for a form that needs its function."""

    texts: Sequence[PlainText]
    result: PlainResult | None
    calls: PlainCalls | None
    shown: ShownParts | None


class PlainForms:
    """Finds the plain forms of a wire's messages: no rule inspects them, and their shapes add no further keys."""

    def __init__(
        self, placing: Placing, filters: Mapping[str, ShapeFilter], displays: Mapping[str, Display]
    ) -> None:
        """`displays` are the plain parts whose JSON is known, by label."""
        self.placing = placing
        self.wire = placing.model
        self.filters = filters
        self.displays = displays
        self.watched = find_watched_roles(self.wire)
        self.counted = find_counted_roles(self.wire)

    def find_all(self) -> PlainMessages:
        """Return all forms."""
        calls, shown = self._find_calls(), self._find_shown()
        return PlainMessages(self._find_texts(), self._find_result(called=calls is not None), calls, shown)

    def find_lone_texts(self) -> Sequence[PlainText]:
        """Return the fast paths for a conversation of one text; empty if the text of one speaker has none."""
        texts = self._find_texts()
        may = all(may_begin(self.wire, role, "text") for role in _SPEAKERS)
        return texts if may and len(texts) == len(_SPEAKERS) else ()

    def find_lone_parts(self, shown: ShownParts | None) -> ShownParts | None:
        """Return the fast path for a conversation of one message with images; None if a rule forbids it."""
        return shown if may_begin(self.wire, "user", "media") else None

    # ---- one text

    def _find_texts(self) -> list[PlainText]:
        texts: list[PlainText] = []
        for speaker in _SPEAKERS:
            shape, bare = self.wire.messages.get(speaker), find_bare_text(self.wire, speaker)
            if shape is not None and bare is not None and self._is_text_alone(shape):
                texts.append(PlainText(shape, self._make_node(bare)))
        return texts

    def _make_node(self, variant: Variant) -> ShapedNode:
        return make_node(variant, self.wire, self.filters)

    def _is_text_alone(self, shape: MessageShape) -> bool:
        """Return whether a message of one plain text is just its constants and its content."""
        extra = [
            entry for entry in shape.shape.required if not isinstance(entry.shape, (ConstantShape, Hole))
        ]
        bare = find_bare_text(self.wire, shape.role)
        checked = shape.role in self.watched or is_checked(shape.role, "text", self.wire)
        return shape.content is not None and not extra and bare is not None and not checked

    # ---- one result

    def _find_result(self, *, called: bool) -> PlainResult | None:
        """Return a result alone in its message; `called`: calls are written at once, so that their names are known."""
        variants = [
            variant for variant in self.placing.list_kinds("tool").get("tool_result", ()) if variant.written
        ]
        slots = self.placing.group_shapes("tool", nested=False).get("tool_result", [])
        checked = "tool" in self.watched or is_checked("tool", "tool_result", self.wire)
        if not (variants and slots) or checked:
            return None
        variant, shape = variants[0], self.wire.messages.get("tool")
        writer, _ = self.placing.find_writer(slots[-1])
        shown = self.displays.get(variant.label) if len(variants) == 1 else None
        named = called and shown is not None and (shown.node.named_by_call or bool(shown.named))
        if variant.standalone or shape is None:
            return PlainResult(writer, shown, called, named, None)
        if not _holds_only_content(shape) or not self._is_text_alone(shape):
            return None
        return PlainResult(writer, shown, called, named, shape)

    # ---- several parts

    def _find_calls(self) -> PlainCalls | None:
        """Return the assistant's texts and calls."""
        judged = self._find_rule_paths("assistant", _CALLS)
        call = self._find_only_shape("assistant", "tool_call")
        shown = None if call is None else self.displays.get(call.label)
        text, shape = self._find_text("assistant"), self.wire.messages.get("assistant")
        if call is None or shown is None or shown.guarded or text is None or shape is None or judged is None:
            return None
        if call.slot == "content":
            is_whole = _holds_only_content(shape)
            return PlainCalls(text, shown, judged, "content", shape, ()) if is_whole else None
        slots = [
            slot if slot in ("content", call.slot) else self._write_empty_slot(slot)
            for slot, _ in shape.slots
        ]
        calls = "out" if call.slot == "messages" else call.slot
        return PlainCalls(text, shown, judged, calls, None, tuple(slots))

    def _write_empty_slot(self, slot: str) -> str:
        return "None" if self.wire.slots[slot] == "one" else "[]"

    def _find_shown(self) -> ShownParts | None:
        """Return the user's texts and images; None if the wire lacks one, so that parts are written one by one."""
        image = self._find_only_shape("user", "image", "data")
        shown = None if image is None or image.slot != "content" else self.displays.get(image.label)
        text, shape = self._find_text("user"), self.wire.messages.get("user")
        if image is None or shown is None or shown.excuses or text is None or shape is None:
            return None
        if not _holds_only_content(shape) or self._find_rule_paths("user", _SHOWN) != ():
            return None
        return ShownParts(
            text, shown, shown.node.list_fitting_tests(image) if is_guarded(image) else [], shape
        )

    def _find_rule_paths(self, role: str, form: Mapping[str, Sequence[str]]) -> tuple[str, ...] | None:
        """Return the paths of rules about the neighbours of the parts of a form; None if rules always apply."""
        paths: list[str] = []
        for kind, beside in form.items():
            more = find_neighbour_paths(role, kind, self.wire, beside)
            if more is None:
                return None
            paths += more
        return tuple(paths)

    def _find_only_shape(self, role: str, kind: str, source: str | None = None) -> Variant | None:
        """Return the one shape that a plain part of this kind and source has in the messages of a role."""
        variants = [
            variant
            for variant in self.placing.list_kinds(role).get(kind, ())
            if variant.written and variant.source_key == source and not variant.required_options
        ]
        checked = role in self.watched | self.counted
        return variants[0] if len(variants) == 1 and not checked else None

    def _find_text(self, role: str) -> ShapedNode | None:
        """Return plain text among other content, where it is no more than an element of it."""
        variants = self.placing.list_kinds(role).get("text", ())
        bare = self.placing.find_bare_text(role)
        if bare is None or [variant for variant in variants if variant.for_plain] != [bare]:
            return None
        if {variant.slot for variant in variants} != {"content"}:
            return None
        if any(hole.path == ("text",) and hole.filters for hole in bare.shape.holes):
            return None
        return self._make_node(bare)


def _holds_only_content(message: MessageShape) -> bool:
    """Return whether the item of a message has constants and its content, a list, and surely no other keys."""
    content = message.content
    if content is None or content.optional or len(message.slots) != 1 or is_joined(content.shape):
        return False
    return all(
        entry.optional or entry is content or isinstance(entry.shape, ConstantShape)
        for entry in message.shape.fields
    )


@dataclass(frozen=True)
class MessageLoop:
    """The function `write_messages`."""

    wire: WireModel
    plain: PlainMessages

    @cached_property
    def beside(self) -> Mapping[str, list[Glance]]:
        """Return role -> the checks of a message that follows another."""
        return find_meetings(self.wire)

    @property
    def usual(self) -> bool:
        """Return whether some messages have a plain form."""
        plain = self.plain
        return bool(plain.texts or plain.result or plain.calls or plain.shown)

    @property
    def watches_ends(self) -> bool:
        """Return whether a message may require a check of the end of the message before it."""
        return any(glance.watch == WATCHES_END for rows in self.beside.values() for glance in rows)

    @property
    def writes_ahead(self) -> bool:
        """Return whether a plain result is written before it is known whether it joins the results before it."""
        return self.wire.merges and self.plain.result is not None

    @property
    def spoken(self) -> dict[str, str]:
        """Return the roles that have another word on the wire, in reverse order of the spec.

        Empty if tool results have messages of their own.
        """
        merged = self._has_pass("merge_neighbours")
        words = {role: shape.wire_role for role, shape in self.wire.messages.items()}
        return {role: word for role, word in reversed(words.items()) if merged and word != role}

    @property
    def results_apart(self) -> bool:
        """Return whether tool results have messages of their own."""
        return self._has_pass("merge_speakers")

    @property
    def fields(self) -> list[str]:
        """Fields of a message that its shape writes; a message with one of them is never merged."""
        heads = [message.shape.written_heads for message in self.wire.messages.values()]
        return sorted(MESSAGE.fields.keys() & frozenset[str]().union(*heads))

    @property
    def text_type(self) -> str:
        """The type of an element that is text."""
        bare = find_bare_text(self.wire, "user")
        return get_text_type(bare) if bare is not None else "text"

    @property
    def speaker(self) -> str:
        """The wire's role of the assistant, whose calls the next turn answers."""
        assistant = self.wire.messages.get("assistant")
        return assistant.wire_role if assistant is not None else "assistant"

    def _has_pass(self, name: str) -> bool:
        return any(step.name == name for step in self.wire.passes)
