"""Plain messages: nearly every message is of one of four forms, which generated code writes at once.

text    one text of the user or the assistant
result  one result in a tool message
named   the same with the name of the tool, which many APIs do not take
calls   texts of the assistant (or none), then calls
media   texts and images of the user; the images are held as data
Whatever else a message carries, it is written part by part, to the same JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.wire import MessageShape, Variant
from ...spec.shapes import ConstantShape, Hole
from ..conditions import all_of, any_of, equals, is_given
from ..field_access import FieldAccess
from ..python import Expression, attribute, bound, call, display, listing, literal, name
from ..text_shapes import bare_text_shape, is_joined
from .choosers import fits, is_guarded
from .displays import PlainDisplay
from .message_checks import is_checked, standing
from .neighbours import may_begin
from .placing import Placing
from .rule_facts import counted_roles, watched_roles
from .shape_fields import is_named_by_call
from .values import value_of

_SPEAKERS = ("user", "assistant")
# part kinds of a form and their companions: text before calls, texts and images in any order
_CALLS = {"text": ("text", "tool_call"), "tool_call": ("tool_call",)}
_SHOWN = {"text": ("text", "image"), "image": ("text", "image")}


@dataclass(frozen=True, slots=True)
class PlainText:
    """The item of a message of one text, `part`, of a role; None for either speaker."""

    role: str | None
    item: Expression


@dataclass(frozen=True, slots=True)
class PlainResult:
    """A tool message of one result, `part`: its JSON, and the item that holds it as `value` or as the list `joined`.

    forms  tests, each with the JSON where it holds; `other` is the JSON otherwise
    named  whether a form is about the name of the call: `called` has the names by id
    sure   whether there is always JSON; item  None where the result is an item of its own
    """

    forms: tuple[tuple[Expression, Expression], ...]
    other: Expression
    named: bool
    sure: bool
    item: Expression | None


@dataclass(frozen=True, slots=True)
class PlainCalls:
    """Texts, then calls: the JSON of both, and where they land.

    given  what must hold for the request
    judged the paths of rules that look at where texts and calls stand: those that are about few models
    apart  whether each call is an item of its own
    calls  the list that the calls stand in: that of the texts, or another
    item   the item of both lists
    named  whether their names are remembered for their results
    """

    text: Expression
    call: Expression
    given: Expression | None
    judged: tuple[str, ...]
    apart: bool
    calls: str
    item: Expression
    named: bool = False


@dataclass(frozen=True, slots=True)
class ShownParts:
    """The function that writes texts and images; `guard` is what must hold for an image."""

    text: Expression
    image: Expression
    guard: Expression | None
    item: Expression
    name: str = "write_media"
    macro: ClassVar[str] = "shown_parts"


@dataclass(frozen=True, slots=True)
class PlainMessages:
    """The forms that one wire writes at once."""

    texts: tuple[PlainText, ...]
    result: PlainResult | None
    calls: PlainCalls | None
    shown: ShownParts | None


class PlainForms:
    """Finds out which forms of messages a wire writes at once: those that no rule looks at and no shape adds to."""

    def __init__(self, placing: Placing, outer: FieldAccess, displays: Mapping[str, PlainDisplay]) -> None:
        """`outer` carries filters, `displays` the JSON of plain shapes, by label."""
        self.placing = placing
        self.model = placing.model
        self.outer = outer
        self.displays = displays
        self.watched = watched_roles(self.model)
        self.counted = counted_roles(self.model)

    def plain(self) -> PlainMessages:
        """Return all forms."""
        calls, shown = self._calls(), self._shown()
        result = self._result(called=calls is not None)
        if calls is not None and result is not None:
            calls = replace(calls, named=result.named)
        return PlainMessages(self._texts(name("role")), result, calls, shown)

    def texts_alone(self) -> tuple[PlainText, ...]:
        """Return the one message of a conversation, `turn`, where either speaker's text is written at once."""
        texts = self._texts(attribute(name("turn"), "role"))
        if not all(may_begin(self.model, role, "text") for role in _SPEAKERS):
            return ()
        all_speakers = len(texts) == len(_SPEAKERS) or any(text.role is None for text in texts)
        return texts if all_speakers else ()

    def shown_alone(self, shown: ShownParts | None) -> ShownParts | None:
        """Return the one message of a conversation that shows images, where it is written at once."""
        return shown if may_begin(self.model, "user", "media") else None

    # ---- one text

    def _texts(self, role: Expression) -> tuple[PlainText, ...]:
        texts: list[PlainText] = []
        for speaker in _SPEAKERS:
            shape = self.model.messages.get(speaker)
            if shape is not None and self._is_text_alone(shape):
                texts.append(PlainText(speaker, self._text_item(shape, role)))
        if len(texts) == len(_SPEAKERS) and texts[0].item == texts[1].item:
            return (PlainText(None, texts[0].item),)
        return tuple(texts)

    def _is_text_alone(self, shape: MessageShape) -> bool:
        """Return whether a message of one plain text is just its constants and its content."""
        extra = [
            entry for entry in shape.shape.required if not isinstance(entry.shape, (ConstantShape, Hole))
        ]
        has_content = any(slot == "content" for slot, _ in shape.slots)
        bare = bare_text_shape(self.model, shape.role)
        checked = shape.role in self.watched or is_checked(shape.role, "text", self.model)
        return has_content and not extra and bare is not None and not checked

    def _text_item(self, shape: MessageShape, role: Expression) -> Expression:
        bare = bare_text_shape(self.model, shape.role)
        assert bare is not None
        access = FieldAccess("part", bare.kind, self.outer.filters)
        text = access.value(Hole(("text",), bare.span))
        entries: list[tuple[str, Expression]] = []
        for entry in shape.shape.fields:
            if entry.key == "role" and shape.wire_role == shape.role:
                entries.append((entry.key, role))
            elif isinstance(entry.shape, ConstantShape) and not entry.optional:
                entries.append((entry.key, literal(entry.shape.value)))
            elif isinstance(entry.shape, Hole) and entry.shape.path == ("content",):
                content = listing([value_of(bare.shape, access)]) if entry.shape.listed else text
                entries.append((entry.key, content))
        return display(entries)

    # ---- one result

    def _result(self, *, called: bool) -> PlainResult | None:
        """Return a result alone in its message; `called`: calls are written at once, so that their names are known."""
        variants = [
            variant for variant in self.placing.kinds("tool").get("tool_result", ()) if variant.written
        ]
        slots = self.placing.shapes("tool", nested=False).get("tool_result", [])
        checked = "tool" in self.watched or is_checked("tool", "tool_result", self.model)
        if not (variants and slots) or checked:
            return None
        variant, shape = variants[0], self.model.messages.get("tool")
        writer, _ = self.placing.writer(slots[-1])
        other = call(writer, name("part"), name("build"))
        shown = self.displays.get(variant.label) if len(variants) == 1 else None
        tests = [] if shown is None else self._tests(shown, variant, called=called)
        by_call = is_named_by_call(variant)
        named = called and shown is not None and (by_call or shown.named is not None)
        forms = () if shown is None else _result_forms(shown, tests, by_call=by_call, named=named)
        sure = shown is not None and not tests
        whole = PlainResult(forms, other, named, sure, None)
        if variant.standalone or shape is None:
            return whole
        item = _item_of(shape, name("joined") if self.model.merges else listing([name("value")]))
        if item is None or not self._is_text_alone(shape):
            return None
        return replace(whole, item=item)

    def _tests(self, shown: PlainDisplay, variant: Variant, *, called: bool) -> list[Expression]:
        """Return the tests under which a plain result is written inline."""
        tests = [_any_given(shown.given)] if shown.given else []
        tests += [] if shown.guard is None else [shown.guard]
        if is_named_by_call(variant):
            found = Expression("part.name or called.get(part.call_id)")
            if not called:
                found = call("name_of", name("part"), name("build"))
            tests.append(is_given(bound("name", found)))
        return tests

    # ---- several parts

    def _calls(self) -> PlainCalls | None:
        """Return the assistant's texts and calls."""
        judged = self._judged("assistant", _CALLS)
        call = self._only_row("assistant", "tool_call")
        shown = None if call is None else self.displays.get(call.label)
        text, shape = self._text_of("assistant"), self.model.messages.get("assistant")
        if call is None or shown is None or shown.guard is not None or text is None or shape is None:
            return None
        if judged is None:
            return None
        test = _any_given(shown.given) if shown.given else None
        if call.slot == "content":
            whole = _item_of(shape, name("content"))
            if whole is None:
                return None
            return PlainCalls(text, shown.value, test, judged, False, "content", whole)
        writer = f"write_item_{shape.role}"
        slots = [slot if slot in ("content", call.slot) else self._empty(slot) for slot, _ in shape.slots]
        item = Expression(f"{writer}(message, build, {', '.join(slots)})")
        apart = call.slot == "messages"
        calls = "out" if apart else call.slot
        return PlainCalls(text, shown.value, test, judged, apart, calls, item)

    def _empty(self, slot: str) -> str:
        return "None" if self.model.slots[slot] == "one" else "[]"

    def _shown(self) -> ShownParts | None:
        """Return the code for the user's texts and images; if the wire lacks one, parts are written one by one."""
        image = self._only_row("user", "image", "data")
        shown = None if image is None or image.slot != "content" else self.displays.get(image.label)
        text, shape = self._text_of("user"), self.model.messages.get("user")
        if image is None or shown is None or shown.given or text is None or shape is None:
            return None
        if self._judged("user", _SHOWN) != ():
            return None
        item = _item_of(shape, name("media"))
        if item is None:
            return None
        access = FieldAccess("part", image.kind, self.outer.filters)
        guard = all_of([fits(image, access) if is_guarded(image) else None, shown.guard])
        return ShownParts(text, shown.value, guard, item)

    def _judged(self, role: str, form: Mapping[str, Sequence[str]]) -> tuple[str, ...] | None:
        """Return the paths of rules about the neighbours of the parts of a form; None if rules always apply."""
        paths: list[str] = []
        for kind, beside in form.items():
            more = standing(role, kind, self.model, beside)
            if more is None:
                return None
            paths += more
        return tuple(paths)

    def _only_row(self, role: str, kind: str, source: str | None = None) -> Variant | None:
        """Return the one shape that a plain part of this kind and source has in the messages of a role."""
        variants_of_kind = self.placing.kinds(role).get(kind, ())
        variants = [
            variant
            for variant in variants_of_kind
            if variant.written and variant.source_key == source and not variant.required_options
        ]
        checked = role in self.watched | self.counted
        return variants[0] if len(variants) == 1 and not checked else None

    def _text_of(self, role: str) -> Expression | None:
        """Return the JSON of plain text among other content, where it is no more than an element of it."""
        variants = self.placing.kinds(role).get("text", ())
        bare = self.placing.bare(role)
        if bare is None or [variant for variant in variants if variant.for_plain] != [bare]:
            return None
        if {variant.slot for variant in variants} != {"content"}:
            return None
        if any(hole.path == ("text",) and hole.filters for hole in bare.shape.holes):
            return None
        return value_of(bare.shape, FieldAccess("part", bare.kind, self.outer.filters))


def _result_forms(
    shown: PlainDisplay, tests: Sequence[Expression], *, by_call: bool, named: bool
) -> tuple[tuple[Expression, Expression], ...]:
    """Return the forms of a result. `by_call`: its name comes from the call; `named`: it may repeat that name."""
    plain = equals(name("form"), literal("result"))
    repeats = equals(Expression("called.get(part.call_id)"), attribute(name("part"), "name"))
    rows = [([] if by_call else [plain], shown.value)]
    if named and shown.named == shown.value:
        either = any_of([plain, repeats])
        rows = [([either] if either is not None else [], shown.value)]
    elif named and shown.named is not None:
        rows.append(([repeats], shown.named))
    forms = [(all_of([*own, *tests]), json) for own, json in rows]
    return tuple([(test, json) for test, json in forms if test is not None])


def _any_given(fields: Sequence[str]) -> Expression:
    """Return the test whether the request gives one of these fields."""
    request = attribute(name("build"), "request")
    test = any_of([attribute(request, field) for field in fields])
    assert test is not None
    return test


def _item_of(shape: MessageShape, content: Expression) -> Expression | None:
    """Return the item of a message that is nothing but its `content`, a list; None where it is more."""
    if len(shape.slots) != 1 or shape.slots[0][1].optional:
        return None
    entries: list[tuple[str, Expression]] = []
    for entry in shape.shape.fields:
        if isinstance(entry.shape, ConstantShape) and not entry.optional:
            entries.append((entry.key, literal(entry.shape.value)))
        elif entry is shape.slots[0][1] and shape.slots[0][0] == "content" and not is_joined(entry.shape):
            entries.append((entry.key, content))
        elif not entry.optional:
            return None
    return display(entries)
