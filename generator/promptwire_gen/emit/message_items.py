"""The functions that write the item of a message: its role, its slots, its own fields."""

from __future__ import annotations

from ..model.neutral import MESSAGE
from ..model.wire import MessageShape, WireModel
from ..spec.shapes import Constant, Hole, Shape
from .function import Function
from .nodes import unwritten_options
from .places import Place
from .python import Statement, code, display, literal, name
from .reports import report_uncarried
from .text_shapes import bare_text_shape, is_joined, text_type, with_article
from .writing import write_optional


class ItemEmitter:
    """Emits `write_item_<role>`."""

    def __init__(self, model: WireModel, outer: Place) -> None:
        """`outer` carries filters and imports."""
        self.model = model
        self.place = Place("message", MESSAGE, outer.filters, outer.imports)

    def function(self, shape: MessageShape) -> Function:
        """The function that writes a message from its slots and its own fields."""
        slots = {entry.key: slot for slot, entry in shape.slots}
        arguments = "".join(
            f", {slot}: list[Any]" if self.model.slots[slot] == "list" else f", {slot}: Any"
            for slot, _ in shape.slots
        )
        header = f"def write_item_{shape.role}(message: Message, build: BuildContext{arguments}) -> Any:"
        constants = [
            (e.key, literal(e.shape.value)) for e in shape.shape.fields
            if not e.optional and isinstance(e.shape, Constant)
        ]  # fmt: skip
        body: list[Statement] = [f"item: dict[str, Any] = {code(display(constants))}"]
        optional: list[Statement] = []
        vendor: set[str] = set()
        for entry in shape.shape.fields:
            if entry.key in slots:
                body += self._slot(shape, slots[entry.key], entry.key, entry.shape, optional=entry.optional)
            else:
                optional += write_optional(entry, name("item"), self.place) if entry.optional else []
                vendor |= {hole.path[1] for hole in entry.shape.holes if hole.path[0] == "vendor"}
        rest: list[Statement] = ["vendor = build.vendor(message)"] if vendor else []
        rest += [*optional, *_losses(shape, self.place)]
        words = (
            f", frozenset({{{', '.join(code(literal(word)) for word in sorted(vendor))}}})" if vendor else ""
        )
        finished = f"build.finish(item, message{words})"
        unwritten = unwritten_options(shape.shape, "message")
        rest += [f"item = {finished}", *unwritten, "return item"] if unwritten else [f"return {finished}"]
        body.append(("if message.plain:", ["return item"]))
        doc = f"Write the item of {with_article(shape.role)} message."
        return Function(header, doc, [*body, *rest])

    def _slot(
        self, shape: MessageShape, slot: str, key: str, hole: Shape, *, optional: bool
    ) -> list[Statement]:
        assert isinstance(hole, Hole)
        target = f"item[{code(literal(key))}]"
        if self.model.slots[slot] == "one":
            return [(f"if {slot} is not None:", [f"{target} = {slot}"])]
        value = slot
        bare = bare_text_shape(self.model, shape.role)
        if is_joined(hole):
            self.place.imports.use("promptwire_runtime.wire_json.values", "joined_text")
            value = f"joined_text({slot})"
        elif slot == "content" and not hole.listed and bare is not None:
            self.place.imports.use("promptwire_runtime.wire_json.values", "bare_text")
            value = f"bare_text({slot}, {code(literal(text_type(bare)))})"
        if optional:
            return [(f"if {slot}:", [f"{target} = {value}"])]
        return [f"{target} = {value}"]


def _losses(shape: MessageShape, place: Place) -> list[Statement]:
    """Report the fields of a message that its shape cannot carry."""
    carried = {hole.path[0] for hole in shape.shape.holes if not hole.read_only}
    return report_uncarried([(n, f.advisory) for n, f in MESSAGE.fields.items() if n not in carried], place)
