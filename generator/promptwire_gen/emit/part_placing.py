"""Where the parts of a message go: a branch for each kind, each into the slot of the shape that it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..model.neutral import CONTAINERS, ROLES
from ..model.wire import Alternative, MessageShape, WireModel
from .function import Function
from .nodes import by_slot, choose, fits, fits_one_of, is_guarded
from .pairing import paired
from .places import Place
from .python import Expression, Statement, call, code, literal, name
from .reports import may_be_hollow
from .text_shapes import bare_text_shape, with_article, words
from .watching import kind_watched, order_watched
from .writing import value_of

_ORDER = ("text", "tool_call", "tool_result", "image")
_RESULTS = frozenset({"tool_result", "custom_tool_result", "hosted_result"})
_OPAQUE = frozenset({"signature", "encrypted", "redacted"})
_OPAQUE_OF_TEXT = frozenset({"citations", "logprobs"})
_NO_RESULT = "this is no result, and a tool message holds nothing else: write ToolResult(call_id, ...)"
_ORDER_OF_RESULTS = ("tool_result", "text", "image")
# what tells of the speaker stands on every piece of a message; the rest on the first
_SHARED = ("name", "phase")


class PartPlacer:
    """Emits the branches that write parts, and the functions that choose a shape for one."""

    def __init__(self, model: WireModel, place: Place, displays: Mapping[str, str]) -> None:
        """`place` is a template for the places of parts."""
        self.model = model
        self.outer = place
        self.displays = displays
        self._kinds: dict[str, dict[str, list[Alternative]]] = {}

    def kinds(self, role: str) -> dict[str, list[Alternative]]:
        """Part kind -> shapes that a message of this role may hold, the frequent kinds first."""
        if role not in self._kinds:
            self._kinds[role] = self._find_kinds(role)
        return self._kinds[role]

    def _place(self, alternative: Alternative) -> Place:
        return Place("part", alternative.kind, self.outer.filters, self.outer.imports)

    def _find_kinds(self, role: str) -> dict[str, list[Alternative]]:
        shaped = (
            {slot for slot, _ in self.model.messages[role].slots}
            if role in self.model.messages
            else set[str]()
        )
        if role in self.model.content_roles:
            shaped.add("content")
        found: dict[str, list[Alternative]] = {}
        for part in self.model.parts_of(role):
            placed = role in self.model.content_roles or _stands_in(role, part)
            if placed and (part.slot == "messages" or part.slot in shaped):
                found.setdefault(part.mode, []).append(part)
        rank = {kind: index for index, kind in enumerate(_ORDER_OF_RESULTS if role == "tool" else _ORDER)}
        return dict(sorted(found.items(), key=lambda row: rank.get(row[0], len(rank))))

    def writer(self, mode: str, role: str, rows: Sequence[Alternative]) -> tuple[str, bool]:
        """The function that writes a part of this kind in this role, and whether it may find no shape."""
        if len(rows) == 1 and rows[0].written and not rows[0].kind.sources and not is_guarded(rows[0]):
            return f"write_{rows[0].label}", bool(rows[0].needs) or may_be_hollow(rows[0])
        where = f"_{rows[0].slot}" if len(rows) < len(self.kinds(role)[mode]) else ""
        return f"write_{mode}_in_{role}{where}", True

    def choosers(self, role: str) -> list[Function]:
        """The functions that choose among several shapes of a kind."""
        out: list[Function] = []
        for mode, every in self.kinds(role).items():
            for rows in by_slot(every):
                function, _ = self.writer(mode, role, rows)
                if function.startswith(f"write_{mode}_in_{role}"):
                    said = with_article(mode.replace("_", " "))
                    doc = f"Write {said} of {with_article(words(role))}."
                    place = self._place(rows[0])
                    out.append(choose(function, rows, place, rows[0].kind.cls, doc))
        return out

    def bare(self, role: str) -> Alternative | None:
        """The shape of plain text in this role, where text may collapse."""
        return bare_text_shape(self.model, role)

    def item_call(self, shape: MessageShape) -> str:
        """The call that writes the item of a message from its slots."""
        slots = ", ".join(slot for slot, _ in shape.slots)
        return f"write_item_{shape.role}(message, build{', ' if slots else ''}{slots})"

    def branches(self, role: str, *, nested: bool = False) -> list[Statement]:
        """The body of the loop over parts: one branch a kind."""
        self.outer.imports.use("promptwire_runtime.wire_json.kinds", "class_of")
        out: list[Statement] = ["kind = class_of(part)"]
        word = "if"
        shape = self.model.messages.get(role)
        own = {slot for slot, _ in shape.slots} if shape is not None else set[str]()
        slots = {"content"} if nested else own | {"messages"}
        for mode, every in self.kinds(role).items():
            rows = [row for row in every if row.slot in slots and (nested or _stands_in(role, row))]
            if not rows:
                continue
            cls = rows[0].kind.cls
            self.outer.imports.use("promptwire_runtime", cls)
            # what a tool returned is the tool's, whoever's message the result stands in
            inside = {"tool"} if role == "tool_result" else {*ROLES}
            order = (
                kind_watched(inside, mode, self.model) if nested else order_watched(role, mode, self.model)
            )
            rare = [*([] if nested else self._without_blank(mode)), *_own_payloads(rows)]
            out.append((f"{word} kind is {cls}:", [*order, *self._place_part(mode, role, rows, rare)]))
            word = "elif"
        out.append((f"{word} kind is Opaque:", self._place_opaque(role, nested=nested)))
        where = (
            f"inside a {'' if role in CONTAINERS else 'part of a '}{words(role)}"
            if nested
            else f"in {with_article(words(role))}"
        )
        said = f"this kind of part has no place {where}" if nested or role != "tool" else _NO_RESULT
        report = call("build.lost", name("part"), literal(""), literal(said))
        out.append(("else:", [code(report)]))
        if self.model.marks_cache and nested:
            why = literal("a mark stands between the parts of a message, not inside one")
            lost = code(call("build.lost", name("part"), literal("cache"), why))
            out.append(("if kind is not Opaque and not part.plain and part.cache is not None:", [lost]))
        elif self.model.marks_cache and "content" in own:
            test = "if content and kind is not Opaque and not part.plain and part.cache is not None:"
            out.append((test, ["content.append(write_cache(build.mark(part), build))"]))
        return out

    def _after_calls(self, role: str) -> list[Statement]:
        """Note content that stands behind calls, where calls have a list of their own behind the content."""
        rows = [
            row for row in self.kinds(role).get("tool_call", ()) if self.model.slots.get(row.slot) == "list"
        ]
        slots = {row.slot for row in rows} - {"content"}
        return [(f"if {slot}:", ["build.reordered(message)"]) for slot in sorted(slots)]

    def _place_part(
        self, mode: str, role: str, rows: Sequence[Alternative], rare: Sequence[Statement]
    ) -> list[Statement]:
        """Write a part, after what is rare, and let it land: in the slot of the shape that it takes."""
        if self._is_bare_text(mode, role, rows):
            return self._place_bare_text(mode, role, rows, rare)
        *others, last = by_slot(rows)
        out: list[Statement] = [*rare]
        word = "if"
        for group in others:
            test = fits_one_of(group, self._place(group[0]))
            out.append((f"{word} {test}:", self._place_shapes(mode, role, group)))
            word = "elif"
        final = self._place_shapes(mode, role, last)
        return [*out, ("else:", final)] if others else [*out, *final]

    def _without_blank(self, mode: str) -> list[Statement]:
        """Leave out text of nothing but white space, where the wire refuses it in a message."""
        if mode != "text" or not self.model.drops_blank:
            return []
        self.outer.imports.use("promptwire_runtime.passes", "drops_blank")
        return [("if drops_blank(part, message, build):", ["continue"])]

    def _place_bare_text(
        self, mode: str, role: str, rows: Sequence[Alternative], rare: Sequence[Statement]
    ) -> list[Statement]:
        """Write text that may collapse; plain text, the most frequent part, is looked at once, before what is rare."""
        function, _ = self.writer(mode, role, rows)
        value, slot = f"{function}(part, build)", rows[0].slot
        inline = self._inline_text(role)
        if inline is None:
            return [*rare, *self._land(slot, role, value)]
        if not rare:
            return self._land(slot, role, f"{inline} if part.plain else {value}")
        rest = [*rare, *self._land(slot, role, value)]
        return [("if part.plain:", self._land(slot, role, inline)), ("else:", rest)]

    def _place_shapes(self, mode: str, role: str, rows: Sequence[Alternative]) -> list[Statement]:
        """Write a part whose shapes all land in one slot."""
        function, may_fail = self.writer(mode, role, rows)
        value = f"{function}(part, build)"
        slot, test = rows[0].slot, self._source_test(rows) if may_fail else ""
        shown = self.displays.get(self._plain_row(rows, test))
        if test and shown is None:
            value = f"write_{rows[0].label}(part, build) if {test} else {value}"
        pairs = paired(self.model, mode)
        written = [*self._land(slot, role, value), *pairs]
        if may_fail:
            landed = [*self._land(slot, role, "value"), *pairs]
            written = [f"value = {value}", ("if value is not None:", landed)]
        if shown is None:
            return written
        plain = f"part.plain and {test}" if test else "part.plain"
        return [(f"if {plain}:", [*self._land(slot, role, shown), *pairs]), ("else:", written)]

    def _source_test(self, rows: Sequence[Alternative]) -> str:
        """The test whether the first shape, the one of its source in the content, takes a part; empty for others."""
        first = rows[0]
        alone = sum(row.source_key == first.source_key for row in rows) == 1 and not first.asks
        if not (first.source_key and alone and first.slot == "content" and first.named is None):
            return ""
        guard = self.guard(first)
        test = f"part.source == {code(literal(first.source_key))}"
        return test if guard is None else f"{test} and {code(guard)}"

    def _plain_row(self, rows: Sequence[Alternative], test: str) -> str:
        """The label of the shape that a plain part of these has; empty where more than `test` decides."""
        if test:
            return rows[0].label
        written = [row for row in rows if row.written]
        return written[0].label if len(written) == 1 and written[0].kind.usual else ""

    def guard(self, row: Alternative) -> Expression | None:
        """The test of the values that a shape takes, where it does not take all."""
        return fits(row, self._place(row)) if is_guarded(row) else None

    def plain_text(self, role: str) -> str | None:
        """Plain text of this role as a display, where it is no more than an element of the content."""
        rows = self.kinds(role).get("text", ())
        return self._inline_text(role) if self._is_bare_text("text", role, rows) else None

    def _is_bare_text(self, mode: str, role: str, rows: Sequence[Alternative]) -> bool:
        """Whether these are the shapes of text of which one may collapse, all in the content."""
        bare = self.bare(role)
        plain = [row for row in rows if row.for_plain]
        return (
            mode == "text" and bare is not None and plain == [bare] and {r.slot for r in rows} == {"content"}
        )

    def _inline_text(self, role: str) -> str | None:
        """Plain text as a display, where no filter writes it."""
        bare = self.bare(role)
        if bare is None or any(hole.path == ("text",) and hole.filters for hole in bare.shape.holes):
            return None
        place = Place("part", bare.kind, self.outer.filters, self.outer.imports)
        return code(value_of(bare.shape, place))

    def _land(self, slot: str, role: str, value: str) -> list[Statement]:
        if slot == "messages":
            shape = self.model.messages.get(role)
            flush: list[Statement] = [*self._flush(shape)] if shape is not None else []
            mark: list[Statement] = ["alone = True"] if shape is not None else []
            return [*flush, f"out.append({value})", *mark]
        if self.model.slots[slot] == "one":
            report = call(
                "build.lost", name("part"), literal(""), literal("the message has room for one of its kind")
            )
            return [(f"if {slot} is not None:", [code(report)]), ("else:", [f"{slot} = {value}"])]
        return [f"{slot}.append({value})", *(self._after_calls(role) if slot == "content" else [])]

    def _flush(self, shape: MessageShape) -> list[Statement]:
        """Close the message item that is open before an item of its own."""
        lists = [slot for slot, _ in shape.slots if self.model.slots[slot] == "list"]
        ones = [slot for slot, _ in shape.slots if self.model.slots[slot] == "one"]
        test = " or ".join([*lists, *(f"{slot} is not None" for slot in ones)])
        if not test:
            return []
        reset: list[Statement] = [f"{slot} = []" for slot in lists]
        reset += [f"{slot} = None" for slot in ones]
        holes = [hole for hole in shape.shape.holes if not hole.read_only]
        shared = {hole.name for hole in holes if hole.path[0] in _SHARED or hole.path[0] == "vendor"}
        rest = code(call("build.rest_of", name("message"), *map(literal, sorted(shared))))
        pieces: list[Statement] = [
            f"out.append({self.item_call(shape)})",
            ("if not message.plain:", [f"message = {rest}"]),
            "spoken = True",
        ]
        if not self.model.merges:
            return [(f"if {test}:", [*pieces, *reset])]
        nothing: Statement = ("if len(content) == size:", ["build.left_out = message"])
        joined: Statement = ("if joined is not None:", [nothing, "joined, content = None, []"])
        return [joined, (f"elif {test}:", [*pieces, *reset])]

    def _place_opaque(self, role: str, *, nested: bool) -> list[Statement]:
        shape = self.model.messages.get(role)
        why = 'f"it came from {part.wire} and means nothing here"'
        out: list[Statement] = [("if part.wire != WIRE.name:", [f'build.lost(part, "value", {why})'])]
        if not nested:
            flush = [*self._flush(shape), "alone = True"] if shape is not None else []
            value = "build.apart(part)" if self.model.merges else "build.opaque(part)"
            out.append(('elif part.place == "messages":', [*flush, f"out.append({value})"]))
            for slot, _ in shape.slots if shape is not None else ():
                if slot != "content" and self.model.slots[slot] == "list":
                    out.append((f'elif part.place == "{slot}":', [f"{slot}.append(build.opaque(part))"]))
        has_content = nested or (shape is not None and any(slot == "content" for slot, _ in shape.slots))
        last: list[Statement] = (
            self._land("content", role, "build.opaque(part)")
            if has_content
            else ['build.lost(part, "value")']
        )
        return [*out, ("else:", last)]


def _stands_in(role: str, part: Alternative) -> bool:
    """Whether a message of this role may hold such a part: what is no result would become the user's words."""
    return role != "tool" or part.slot == "messages" or part.mode in _RESULTS


def _own_payloads(rows: Sequence[Alternative]) -> list[Statement]:
    """Take what another API signed or encrypted out of a part that says where it came from."""
    if not holds_payload(rows):
        return []
    return [("if part.provenance is not None and (part := build.own_part(part)) is None:", ["continue"])]


def holds_payload(alternatives: Iterable[Alternative]) -> bool:
    """Whether one of these shapes of parts holds what only the API that made it can read."""
    return any(
        hole.path[0] in _OPAQUE or (row.kind.name == "text" and hole.path[0] in _OPAQUE_OF_TEXT)
        for row in alternatives
        for hole in row.shape.holes
    )
