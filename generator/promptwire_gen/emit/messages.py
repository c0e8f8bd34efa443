"""Functions that write messages: one a role, the nested content of parts, and the loop over all of them."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.neutral import ROLES
from ..model.wire import MessageShape, WireModel
from ..spec.shapes import Constant, Hole
from .docs import message_doc
from .forms import FormEmitter
from .function import Function
from .message_items import ItemEmitter
from .message_loop import LoopEmitter
from .pairing import takes_calls
from .part_placing import PartPlacer
from .places import Place
from .python import Statement, code, literal
from .text_shapes import is_joined, text_type, with_article, words
from .watching import message_watched


class MessageEmitter:
    """Emits the message functions of one wire."""

    def __init__(self, model: WireModel, place: Place, displays: Mapping[str, str]) -> None:
        """`place` is a template for the places of parts and messages, `displays` the JSON of plain shapes as code."""
        self.model = model
        self.outer = place
        self.parts = PartPlacer(model, place, displays)
        self.forms = FormEmitter(model, place, self.parts)

    def functions(self) -> list[Function]:
        """All functions that write messages."""
        inside = self.model.content_roles
        every = (*ROLES, *(role for role in inside if role not in ROLES))
        out = [function for role in every for function in self.parts.choosers(role)]
        out += [self._nested(role) for role in inside]
        for role in ROLES:
            if role in self.model.messages or self.parts.kinds(role):
                out.append(self._role(role))
                if role in self.model.messages:
                    out.append(ItemEmitter(self.model, self.outer).function(self.model.messages[role]))
        roles = [role for role in ROLES if role in self.model.messages or self.parts.kinds(role)]
        calling = {role for role in roles if takes_calls(self.model, self.parts.kinds(role))}
        out += self.forms.functions()
        out.append(LoopEmitter(self.model, self.outer, roles, self.forms, calling).function())
        return out

    # ---- nested content

    def _nested(self, role: str) -> Function:
        header = (
            f"def write_content_{role}(parts: tuple[Any, ...], build: BuildContext, collapse: bool) -> Any:"
        )
        self.outer.imports.use("promptwire_runtime", "Part", "Opaque", "Text")
        body: list[Statement] = []
        body.append("content: list[Any] = []")
        body.append("kind: type[Any]")
        body.append(("for part in parts:", self.parts.branches(role, nested=True)))
        body.append(self._nested_content(role))
        return Function(header, f"Write parts inside a part, as a {words(role)} may hold them.", body)

    def _nested_content(self, role: str) -> str:
        bare = self.parts.bare(role)
        if bare is None or not text_type(bare):
            return 'return content or ("" if collapse else [])'
        self.outer.imports.use("promptwire_runtime.wire_json.values", "bare_text")
        return f"return bare_text(content, {code(literal(text_type(bare)))}) if collapse else content"

    # ---- one message

    def _role(self, role: str) -> Function:
        joined = ", joined: list[Any] | None" if self.model.merges else ""
        calls = ", open_calls: list[Any]" if takes_calls(self.model, self.parts.kinds(role)) else ""
        header = (
            f"def write_message_{role}"
            f"(message: Message, build: BuildContext, out: list[Any]{joined}{calls}) -> None:"
        )
        self.outer.imports.use("promptwire_runtime", "Message", "Opaque")
        shape = self.model.messages.get(role)
        body: list[Statement] = []
        if shape is None:
            return self._items_only(role, header)
        lists = [slot for slot, _ in shape.slots if self.model.slots[slot] == "list"]
        ones = [slot for slot, _ in shape.slots if self.model.slots[slot] == "one"]
        body += self._open_slots(shape)
        body += message_watched(role, self.model)
        body += ["alone = False", "spoken = False"]
        body += ["size = len(joined) if joined else 0"] if self.model.merges else []
        body += _loop_over("message.parts", self.parts.branches(role))
        holds = " or ".join([*lists, *(f"{slot} is not None" for slot in ones)])
        if role == "tool":
            body.append(("if not parts:", [_nothing(role), "build.left_out = message", "return"]))
        # not alone and without parts: an empty message, as it was given
        empty = [] if role == "tool" else [self._sent_empty()]
        last: list[Statement] = [
            (
                f"if {' or '.join([*([holds] if holds else []), *empty])}:",
                [f"out.append({self._finished_item(shape)})"],
            ),
            ("elif alone:", [("if not (spoken or message.plain):", ["build.without_item(message)"])]),
            ("else:", ["build.emptied(message)"]),
        ]
        # what stands on the message itself is lost, and says so
        lost: list[Statement] = [
            ("if not message.plain:", [self.parts.item_call(shape)]),
            ("if len(content) == size:", ["build.emptied(message)"]),
        ]
        body += [("if joined is None:", last), ("else:", lost)] if self.model.merges else last
        joined = (
            "Its parts go into `joined`, the content of the one before, where given."
            if self.model.merges
            else ""
        )
        doc = message_doc(f"Write {with_article(role)} message", shape, joined)
        return Function(header, doc, body)

    def _sent_empty(self) -> str:
        """The test whether a message without parts is sent as it is."""
        if not self.model.drops_blank:
            return "not (alone or parts)"
        self.outer.imports.use("promptwire_runtime.passes", "drops_empty")
        return "not (alone or parts or drops_empty(message, build))"

    def _open_slots(self, shape: MessageShape) -> list[Statement]:
        """The variables that collect the parts of a message."""
        opened = "[] if joined is None else joined" if self.model.merges else "[]"
        out: list[Statement] = []
        for slot, _ in shape.slots:
            if self.model.slots[slot] == "one":
                out.append(f"{slot}: Any = None")
            else:
                out.append(f"{slot}: list[Any] = {opened if slot == 'content' else '[]'}")
        return [*out, "kind: type[Any]"]

    def _items_only(self, role: str, header: str) -> Function:
        """A role without a message of its own: its parts are items of their own, or have no place."""
        body = [*message_watched(role, self.model), "kind: type[Any]"]
        body += _loop_over("message.parts", self.parts.branches(role))
        body.append(("if not message.parts:", [_nothing(role)]))
        body.append(("if not message.plain:", ["build.without_item(message)"]))
        return Function(header, f"Write {with_article(role)} message, item by item.", body)

    def _finished_item(self, shape: MessageShape) -> str:
        """The item after the last part: short where a plain message is nothing but role and content."""
        whole = self.parts.item_call(shape)
        if [slot for slot, _ in shape.slots] != ["content"] or shape.slots[0][1].optional:
            return whole
        rows: list[str] = []
        for entry in shape.shape.fields:
            if isinstance(entry.shape, Constant) and not entry.optional:
                rows.append(f"{code(literal(entry.key))}: {code(literal(entry.shape.value))}")
            elif entry is shape.slots[0][1]:
                rows.append(f"{code(literal(entry.key))}: {self._content(shape)}")
            elif not entry.optional:
                return whole
        return f"{{{', '.join(rows)}}} if message.plain else {whole}"

    def _content(self, shape: MessageShape) -> str:
        bare = self.parts.bare(shape.role) if shape.role != "tool" else None
        hole = shape.slots[0][1].shape
        if is_joined(hole):
            self.outer.imports.use("promptwire_runtime.wire_json.values", "joined_text")
            return "joined_text(content)"
        if bare is None or (isinstance(hole, Hole) and hole.listed):
            return "content"
        self.outer.imports.use("promptwire_runtime.wire_json.values", "bare_text")
        return f"content if len(content) > 1 else bare_text(content, {code(literal(text_type(bare)))})"


def _nothing(role: str) -> str:
    why = "without a result says nothing" if role == "tool" else "holds nothing here"
    return f'build.lost(message, "role", "{with_article(role)} message {why}")'


def _loop_over(source: str, block: list[Statement]) -> list[Statement]:
    """A loop over parts of any kind; each branch knows the kind that it handles."""
    return [f"parts: tuple[Any, ...] = {source}", ("for part in parts:", block)]
