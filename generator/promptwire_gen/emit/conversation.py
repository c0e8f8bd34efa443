"""Functions that read messages: the elements of each slot, items of their own, one message, the whole list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..model.neutral import CONTAINERS, ROLES
from ..model.wire import Alternative, MessageShape, WireModel
from ..spec.shapes import Object, Shape
from .dispatching import Dispatcher
from .function import Function
from .places import Place
from .python import Expression, Statement, attribute, call, code, frozen_words, literal, lookup, name
from .python.conditions import any_of
from .reading import Values
from .text_shapes import element_reader, with_article, words


class ConversationEmitter:
    """Emits the reading functions of one wire's messages."""

    def __init__(self, model: WireModel, place: Place, dispatcher: Dispatcher) -> None:
        """`dispatcher` knows the readers of the part shapes."""
        self.model = model
        self.outer = place
        self.dispatcher = dispatcher

    def functions(self) -> list[Function]:
        """All functions that read messages."""
        self.outer.imports.use("promptwire_runtime", "Message", "Opaque", "Part")
        out: list[Function] = []
        for role in self._content_roles():
            rows = [p for p in self.model.parts_of(role) if p.slot == "content"]
            fallback = 'Opaque(WIRE.name, found, "content")'
            doc = f"Read one element of the content of {with_article(words(role))}."
            out.append(self.dispatcher.element(element_reader(role), rows, "Part", fallback, doc))
        for role, shape in self._readable().items():
            out += [self._slot(role, slot) for slot, _ in shape.slots if slot != "content"]
            out.append(self._message(role, shape))
        if any(part.slot == "messages" for part in self.model.parts):
            out.append(self._item())
        out.append(self._messages())
        if self.model.instructions.placement == "first_message":
            out.append(self._conversation())
        return out

    def _readable(self) -> dict[str, MessageShape]:
        return {role: shape for role, shape in self.model.messages.items() if not shape.twin}

    def _content_roles(self) -> list[str]:
        """The roles whose content is read: those of messages, and those that nested content uses."""
        inside = self.model.content_roles
        shaped = {
            role for role, shape in self._readable().items() if any(s == "content" for s, _ in shape.slots)
        }
        return [role for role in (*ROLES, *CONTAINERS) if role in inside or role in shaped]

    def _slot(self, role: str, slot: str) -> Function:
        rows = [p for p in self.model.parts_of(role) if p.slot == slot]
        if self.model.slots[slot] == "list":
            fallback, returns = f"Opaque(WIRE.name, found, {code(literal(slot))})", "Part"
        else:
            fallback, returns = "None", "Part | None"
        doc = f"Read {'one element of' if returns == 'Part' else ''} {slot} of {with_article(role)} message."
        return self.dispatcher.element(f"read_{slot}_{role}", rows, returns, fallback, " ".join(doc.split()))

    def _message(self, role: str, shape: MessageShape) -> Function:
        header = f"def read_message_{role}(found: dict[str, Any], reader: Reader) -> Message:"
        pieces: list[str] = []
        for slot, entry in shape.slots:
            looked = lookup("found", (entry.key, *entry.synonyms))
            if slot == "content":
                read = call("reader.parts", looked, name(f"read_part_{role}"), *self.outer.mark_reader())
                pieces.append(f"*{code(read)}")
            elif self.model.slots[slot] == "list":
                pieces.append(f"*{code(call('reader.slot', looked, name(f'read_{slot}_{role}')))}")
            else:
                pieces.append(f"*{code(call('reader.one', looked, name(f'read_{slot}_{role}')))}")
        body: list[Statement] = [
            f"parts = ({', '.join(pieces)},)" if pieces else "parts: tuple[Part, ...] = ()"
        ]
        from ..model.neutral import MESSAGE

        own = Object(
            tuple([e for e in shape.shape.fields if not self._is_slot(e.shape)]), None, shape.span
        )  # fmt: skip
        values = Values(Place("message", MESSAGE, self.outer.filters, self.outer.imports))
        values.object(own, "found")
        fields = values.arguments()
        vendor = values.vendor()
        if vendor is not None:
            fields["vendor"] = vendor
        spoken = code(literal(role))
        if any(twin.twin and twin.wire_role == shape.wire_role for twin in self.model.messages.values()):
            body.append(f"role = reader.role_of(parts, {spoken})")
            spoken = "role"
        body += values.before
        fields["provenance"] = attribute(name("reader"), "origin")
        made = code(
            call("Message", name("role") if spoken == "role" else literal(role), name("parts"), **fields)
        )
        body += [
            f"message = {made}",
            "fresh: list[Any] = []",
            "write_messages((message,), reader.build, fresh)",
            "return reader.message(message, fresh, found)",
        ]
        return Function(header, f"Read {with_article(role)} message.", body)

    def _is_slot(self, shape: Shape) -> bool:
        from ..spec.shapes import Hole

        return isinstance(shape, Hole) and shape.path[0] in self.model.slots

    def _item(self) -> Function:
        rows: Sequence[Alternative] = [part for part in self.model.parts if part.slot == "messages"]
        header = "def read_item(found: Any, turns: Turns, reader: Reader) -> bool:"
        doc = "Read an item that is a part of its own into its turn; False where it is none."
        return Function(header, doc, self.dispatcher.choice(rows, self._alone, "bool", "False"))

    def _alone(self, rows: Sequence[Alternative]) -> Expression:
        """`turns.alone("tool", read_part_tool_result(found, reader))`, for each role in turn."""
        runs = [(role, list(run)) for role, run in groupby(rows, lambda row: row.roles[0])]
        tried = any_of(
            [call("turns.alone", literal(role), self.dispatcher.first_of(run)) for role, run in runs]
        )
        assert tried is not None  # nobody tries none
        return tried

    def _messages(self) -> Function:
        header = "def read_messages(items: list[Any], reader: Reader) -> tuple[Message, ...]:"
        self.outer.imports.use("promptwire_runtime.read.turns", "Turns")
        self.outer.imports.use("promptwire_runtime.wire_json.kinds", "is_object")
        loop: list[Statement] = []
        if any(part.slot == "messages" for part in self.model.parts):
            loop.append(("if read_item(found, turns, reader):", ["continue"]))
        roleless = any(None in shape.also for shape in self._readable().values())
        nothing = '""' if roleless else "None"
        loop.append(f'role = found.get("role") if is_object(found) else {nothing}')
        word = "if"
        for role, shape in self._readable().items():
            read = f"turns.message(read_message_{role}(found, reader))"
            loop.append((f"{word} {_role_is((shape.wire_role, *shape.also))}:", [read]))
            word = "elif"
        loop.append(("else:", ["turns.unknown(found)"]))
        body: list[Statement] = [
            f"turns = Turns(WIRE.name, reader.origin, group={self.model.group})",
            ("for found in items:", loop),
            "return turns.finish()",
        ]
        return Function(header, "Read all messages.", body)

    def _conversation(self) -> Function:
        header = "def read_conversation(items: list[Any], reader: Reader) -> tuple[Any, tuple[Message, ...]]:"
        role = code(literal(self.model.instructions.role))
        return Function(
            header,
            "Read all messages and lift the first system message into instructions.",
            [f"return reader.lift(read_messages(items, reader), {role})"],
        )


def _role_is(words: Sequence[str | None]) -> str:
    """The test on `role`, which may be any JSON value."""
    if len(words) == 1:
        return f"role == {code(literal(words[0]))}"
    spoken = tuple(word for word in words if word is not None)
    test = f"role == {code(literal(spoken[0]))}" if len(spoken) == 1 else f"role in {spoken!r}"
    return test if None not in words else f"role is None or {test}"


def write_instructions(model: WireModel, place: Place) -> Function:
    """The function that writes instructions as the first messages."""
    place.imports.use("promptwire_runtime.build.instructions", "runs_of_role")
    place.imports.use("promptwire_runtime", "Instruction")
    header = (
        "def write_instructions(given: tuple[Instruction, ...], build: BuildContext, out: list[Any], "
        "role: str | None) -> None:"
    )
    spoken = code(literal(model.instructions.role))
    known = code(frozen_words(sorted(set(model.messages) & {"system", "developer"})))
    layers = "[write_layer(layer, build) for layer in layers]"
    block: list[Statement] = [
        "short = len(layers) == 1 and layers[0].plain",
        f'out.append({{"role": own, "content": layers[0].text if short else {layers}}})',
    ]
    if model.instructions.several == "join":
        place.imports.use("promptwire_runtime.build.instructions", "texts_of_layers")
        place.imports.use("promptwire_runtime.build.shape_filters", "write_join")
        texts = "write_join(texts_of_layers(tuple(layers), build))"
        block = [f'out.append({{"role": own, "content": {texts}}})']
    body: list[Statement] = [
        (f"for own, layers in runs_of_role(given, role or {spoken}, {known}, build):", block)
    ]
    return Function(
        header, "Write layers of instructions as the first messages, one for each run of a role.", body
    )
