"""Messages of the few forms that nearly all have: written at once, before the functions that look at every part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.wire import Alternative, MessageShape, WireModel
from ..spec.shapes import Constant, Hole
from .function import Function
from .pairing import listed, paired
from .part_placing import PartPlacer
from .places import Place
from .python import Expression, Statement, attribute, code, display, listing, literal, name
from .text_shapes import bare_text_shape, is_joined
from .watching import counted_roles, order_watched, watched_roles
from .writing import value_of

_SPEAKERS = ("user", "assistant")


class FormEmitter:
    """Emits what `write_messages` does with a message by its form; what it does not take is written part by part."""

    def __init__(self, model: WireModel, outer: Place, parts: PartPlacer) -> None:
        """`outer` carries filters and imports; `parts` knows where parts of a message land."""
        self.model = model
        self.outer = outer
        self.parts = parts
        self.watched = watched_roles(model)
        self.counted = counted_roles(model)

    # ---- one text

    def text(self, turn: Sequence[str]) -> list[Statement]:
        """A message of one text; `turn` are the lines that remember who spoke."""
        items = self._text_items(name("role"))
        if not items:
            return []
        test = 'if form == "text"'
        if len(items) < len(_SPEAKERS):
            test += f" and role == {code(literal(next(iter(items))))}"
        return [(f"{test}:", [*turn, *_landed(items, "role", "out"), "continue"])]

    def alone(self) -> list[Statement]:
        """Write `turn`, the one message of a conversation, into `messages` by its form; an `else` must follow.

        Empty where not even a text has a short way.
        """
        items = self._text_items(attribute(name("turn"), "role"))
        if len(items) < len(_SPEAKERS):
            return []
        alone = "not rare and len(turns) == 1 and (turn := turns[0]).form"
        parts = "parts: tuple[Any, ...] = turn.parts"
        out: list[Statement] = [(f'if {alone} == "text":', [parts, *_landed(items, "turn.role", "messages")])]
        image = self._images()
        if image is not None:
            test = f'elif {alone} == "shown" and (content := write_shown(turn.parts)) is not None:'
            out.append((test, [f"messages.append({image[2]})"]))
        return out

    def _text_items(self, role: Expression) -> dict[str, str]:
        """Role -> the item of a message of one plain text, `part`, where such a message is short."""
        shapes = {spoken: self.model.messages.get(spoken) for spoken in _SPEAKERS}
        return {
            spoken: self._text_item(shape, role)
            for spoken, shape in shapes.items()
            if shape and self._is_text_alone(shape)
        }

    def _is_text_alone(self, shape: MessageShape) -> bool:
        """Whether a message of one plain text is its constants and its content."""
        extra = [
            e for e in shape.shape.fields if not e.optional and not isinstance(e.shape, (Constant, Hole))
        ]
        has_content = any(slot == "content" for slot, _ in shape.slots)
        bare = bare_text_shape(self.model, shape.role)
        watched = shape.role in self.watched or order_watched(shape.role, "text", self.model)
        return has_content and not extra and bare is not None and not watched

    def _text_item(self, shape: MessageShape, role: Expression) -> str:
        bare = bare_text_shape(self.model, shape.role)
        assert bare is not None
        place = Place("part", bare.kind, self.outer.filters, self.outer.imports)
        text = place.value(Hole(("text",), bare.span))
        rows: list[tuple[str, Expression]] = []
        for entry in shape.shape.fields:
            if entry.key == "role" and shape.wire_role == shape.role:
                rows.append((entry.key, role))
            elif isinstance(entry.shape, Constant) and not entry.optional:
                rows.append((entry.key, literal(entry.shape.value)))
            elif isinstance(entry.shape, Hole) and entry.shape.path == ("content",):
                content = listing([value_of(bare.shape, place)]) if entry.shape.listed else text
                rows.append((entry.key, content))
        return code(display(rows))

    # ---- one result

    def result(self, turn: Sequence[str]) -> list[Statement]:
        """A tool message of one result: an item of its own, or the first content of a turn, which others may join."""
        shape = self.model.messages.get("tool")
        row = self._result()
        if row is None:
            return []
        if row.slot == "messages" or shape is None:
            land = ["out.append({})"]
        elif not (self._is_text_alone(shape) and _item_of(shape, "content")):
            return []
        elif self.model.merges:
            land = ["joined = [{}]", f"out.append({_item_of(shape, 'joined')})"]
        else:
            land = [f"out.append({_item_of(shape, '[{}]')})"]
        return [('if form == "result":', [*self._written(row, [*turn, *land]), "continue"])]

    def joined_result(self) -> list[Statement]:
        """A tool message of one result that goes into the content of the message before it."""
        row, shape = self._result(), self.model.messages.get("tool")
        if row is None:
            return []
        item = row.slot == "messages" or shape is None
        if not item and shape is not None and not self._is_text_alone(shape):
            return []
        land = ["out.append({})"] if item else ["joined.append({})"]
        test = 'if form == "result" and joined is not None:'
        return [(test, [*self._written(row, [*land, "merged = True"]), "continue"])]

    def _result(self) -> Alternative | None:
        rows = [row for row in self.parts.kinds("tool").get("tool_result", ()) if row.written]
        watched = "tool" in self.watched or order_watched("tool", "tool_result", self.model)
        return rows[0] if rows and not watched else None

    def _written(self, row: Alternative, land: Sequence[str]) -> list[Statement]:
        """Write the result `part`, which lands where each line of `land` says: `{}` stands for its JSON."""
        every = self.parts.kinds("tool")["tool_result"]
        shown = self.parts.displays.get(row.label) if sum(each.written for each in every) == 1 else None
        pairs = paired(self.model, "tool_result")
        if shown is not None:
            return ["part = parts[0]", *(line.replace("{}", shown) for line in land), *pairs]
        write, _ = self.parts.writer("tool_result", "tool", every)
        landed: list[Statement] = [*(line.replace("{}", "value") for line in land), *pairs]
        # a message that has lost its only part is not sent
        nothing: list[Statement] = [] if row.slot == "messages" else [("else:", ["build.emptied(message)"])]
        return [
            "part = parts[0]",
            f"value = {write}(part, build)",
            ("if value is not None:", landed),
            *nothing,
        ]

    # ---- several parts

    def calls(self, turn: Sequence[str]) -> list[Statement]:
        """The assistant's texts and calls, where both stand in its content."""
        call = self._content_row("assistant", "tool_call")
        shown = None if call is None else self.parts.displays.get(call.label)
        written = self._texts_and("assistant", shown, "blocks")
        if shown is None or written is None:
            return []
        text, item = written
        loop: list[Statement] = [
            ("if type(part) is Text:", [f"blocks.append({text})"]),
            ("else:", [f"blocks.append({shown})", *paired(self.model, "tool_call")]),
        ]
        landed = f"out.append({item})"
        block: list[Statement] = ["blocks: list[Any] = []", ("for part in parts:", loop), landed]
        return [('if form == "calls":', [*turn, *listed(self.model), *block, "continue"])]

    def shown(self, turn: Sequence[str]) -> list[Statement]:
        """The user's texts and images; where the wire does not take one of them, it is looked at part by part."""
        found = self._images()
        if found is None:
            return []
        test = 'if form == "shown" and (content := write_shown(parts)) is not None:'
        return [(test, [*turn, f"out.append({found[2]})", "continue"])]

    def functions(self) -> list[Function]:
        """The function that writes the parts of a message that shows images."""
        found = self._images()
        if found is None:
            return []
        image, text, _ = found
        shown, guard = self.parts.displays[image.label], self.parts.guard(image)
        last: list[Statement] = [("else:", [f"content.append({shown})"])]
        if guard is not None:
            last = [(f"elif {code(guard)}:", [f"content.append({shown})"]), ("else:", ["return None"])]
        loop: list[Statement] = [("if type(part) is Text:", [f"content.append({text})"]), *last]
        body: list[Statement] = ["content: list[Any] = []", ("for part in parts:", loop), "return content"]
        header = "def write_shown(parts: tuple[Any, ...]) -> list[Any] | None:"
        return [Function(header, "Write plain texts and images; None where one must be looked at.", body)]

    def _images(self) -> tuple[Alternative, str, str] | None:
        """The shape of a plain image of the user, the JSON of a plain text, and the item of a message of both."""
        image = self._content_row("user", "image", "data")
        if image is None:
            return None
        written = self._texts_and("user", self.parts.displays.get(image.label), "content")
        return None if written is None else (image, *written)

    def _content_row(self, role: str, kind: str, source: str | None = None) -> Alternative | None:
        """The one shape that a plain part of this kind and source has in the content of a role."""
        every = self.parts.kinds(role).get(kind, ())
        rows = [row for row in every if row.written and row.source_key == source]
        if len(rows) != 1 or rows[0].slot != "content" or order_watched(role, kind, self.model):
            return None
        return rows[0]

    def _texts_and(self, role: str, other: str | None, content: str) -> tuple[str, str] | None:
        """The JSON of a plain text, and the item of a message of such texts and others: `content` is their list."""
        shape = self.model.messages.get(role)
        text = self.parts.plain_text(role)
        if other is None or text is None or shape is None or role in self.watched | self.counted:
            return None
        item = _item_of(shape, content)
        if not item or order_watched(role, "text", self.model):
            return None
        self.outer.imports.use("promptwire_runtime", "Text")
        return text, item


def _landed(items: Mapping[str, str], role: str, target: str) -> list[Statement]:
    """Add the item of a message of one text, by the role that speaks, to a list."""
    lines = {spoken: f"{target}.append({item})" for spoken, item in items.items()}
    if len(set(lines.values())) == 1:
        return ["part = parts[0]", next(iter(lines.values()))]
    user, assistant = (lines[spoken] for spoken in _SPEAKERS)
    return ["part = parts[0]", (f'if {role} == "user":', [user]), ("else:", [assistant])]


def _item_of(shape: MessageShape, content: str) -> str:
    """The item of a message that is nothing but its `content`, a list; empty where it is more."""
    if len(shape.slots) != 1 or shape.slots[0][1].optional:
        return ""
    rows: list[str] = []
    for entry in shape.shape.fields:
        if isinstance(entry.shape, Constant) and not entry.optional:
            rows.append(f"{code(literal(entry.key))}: {code(literal(entry.shape.value))}")
        elif entry is shape.slots[0][1] and shape.slots[0][0] == "content" and not is_joined(entry.shape):
            rows.append(f"{code(literal(entry.key))}: {content}")
        elif not entry.optional:
            return ""
    return f"{{{', '.join(rows)}}}"
