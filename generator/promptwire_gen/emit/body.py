"""Functions that write the whole body."""

from __future__ import annotations

from ..model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS
from ..model.rules import looks_at_tools, looks_inside
from ..model.wire import WireModel
from ..spec.shapes import Choice, Field, Hole, Object, Shape
from .body_losses import EMPTY, common_losses, is_union, losses
from .docs import body_doc
from .function import Function
from .limits import counts_one, limited, limits_of
from .nodes import unwritten_options
from .places import Place
from .python import Expression, Statement, attribute, call, code, frozen_words, item, literal, name
from .write.plain_messages import PlainForms
from .writing import complete, filled, object_of, value_of, write_optional, written_holes


class BodyEmitter:
    """Emits the functions that write the body of one wire."""

    def __init__(self, model: WireModel, place: Place) -> None:
        """`place` is the place of the request's holes."""
        self.model = model
        self.place = place

    # ---- writing

    def write(self, forms: PlainForms) -> Function:
        """The function that writes the body: static parts in the order of the spec, then the conversation.

        `forms` knows how a conversation of one text is written.
        """
        header = "def write_body(request: Request, build: BuildContext, role: str | None, rare: bool) -> Any:"
        body: list[Statement] = ["options = request.options"]
        required = [
            entry for entry in self.model.body.shape.fields
            if not entry.optional and entry is not self.model.body.messages and not written_holes(entry.shape)
        ]  # fmt: skip
        constants = ", ".join(
            f"{code(literal(e.key))}: {code(value_of(e.shape, self.place))}" for e in required
        )
        body.append(f"body: dict[str, Any] = {{{constants}}}")
        for entry in self.model.body.shape.fields:
            if entry in required or entry is self.model.body.messages or self._is_rare(entry):
                continue
            if self._is_late(entry):
                continue
            body += [*self._names([entry]), *self._field(entry)]
        body.append(("if rare:", ["write_rare(request, build, body)"]))
        body += common_losses(self.model)
        body += self._messages(forms)
        if any(not is_top_level(*pair) for rule in self.model.rules for pair in rule.rename.items()):
            self.place.imports.use("promptwire_runtime.build.moves", "move")
            body.append("move(body, build)")
        unwritten = unwritten_options(self.model.body.shape, "request", "body", "lost")
        noted: list[Statement] = ["vendor = build.vendor(request)", *unwritten] if unwritten else []
        body.append(("if rare:", [f"body = {code(self._finish())}", *noted]))
        body.append("return body")
        return Function(header, body_doc("Write the whole body", self.model), body)

    def write_rare(self) -> Function:
        """The function that writes what most requests leave out, and reports what this wire cannot carry."""
        header = "def write_rare(request: Request, build: BuildContext, body: dict[str, Any]) -> None:"
        rare = [e for e in self.model.body.shape.fields if self._is_rare(e)]
        body: list[Statement] = ["options = request.options"]
        for head, empty in EMPTY.items():
            self.place.imports.use("promptwire_runtime.model.options", empty)
            given = f"request.{head} or {empty}"
            if head == "tool_choice":
                given = f"{empty} if build.no_tools else {given}"
            body.append(f"{head} = {given}")
        if any(hole.path[0] == "vendor" for entry in rare for hole in entry.shape.holes):
            body.append("vendor = build.vendor(request)")
        for entry in rare:
            body += self._field(entry)
        return Function(header, "Write what most requests leave out.", [*body, *losses(self.model)])

    def _names(self, entries: list[Field]) -> list[Statement]:
        """The variables behind dotted holes of common keys."""
        heads = {hole.path[0] for entry in entries for hole in entry.shape.holes}
        out: list[Statement] = [
            f"{head} = request.{head} or {EMPTY[head]}" for head in EMPTY if head in heads
        ]
        return [*out, "vendor = build.vendor(request)"] if "vendor" in heads else out

    def _is_rare(self, entry: Field) -> bool:
        heads = {hole.path[0] for hole in entry.shape.holes}
        return (
            entry.optional
            and bool(heads)
            and not heads & (COMMON_REQUEST_FIELDS | COMMON_OPTIONS | {"settings"})
        )

    def _is_late(self, entry: Field) -> bool:
        """Whether a key holds a setting that may get what it lacks while messages are written."""
        added = {
            name
            for rule in self.model.rules
            if looks_inside(rule) or looks_at_tools(rule)
            for name in rule.add
        }
        return any(hole.path[0] == "settings" and hole.path[1] in added for hole in entry.shape.holes)

    def _field(self, entry: Field) -> list[Statement]:
        shape = entry.shape
        if isinstance(shape, Hole) and not shape.read_only and shape.path == ("instructions",):
            return self._instructions(entry, shape)
        inner = inside(entry, "instructions")
        if inner is not None and isinstance(inner.shape, Hole):
            return self._instructions(entry, inner.shape, inner)
        if isinstance(shape, Choice) and any(is_union(form) for form in shape.forms):
            return self._union_choice(entry, shape)
        if isinstance(shape, Object) and not entry.optional:
            return self._required_object(entry, shape)
        statements = limited(shape, write_optional(entry, name("body"), self.place), self.model)
        if entry.optional:
            return statements
        if isinstance(shape, Hole) and len(statements) == 1:
            return [
                *statements,
                ("else:", [code(call("build.missing", name("request"), self.place.field(shape)))]),
            ]
        return [*statements, *self._missing(shape)]

    def _required_object(self, entry: Field, shape: Object) -> list[Statement]:
        """Write an object that stands in every body: what is required in it, then what is given."""
        key = item(name("body"), entry.key)
        whole = [f"{code(key)} = {code(object_of(shape, self.place))}", *complete(shape, key, self.place)]
        needs = filled(shape, self.place)
        if needs is None:
            return limited(shape, whole, self.model)
        return [(f"if {code(needs)}:", limited(shape, whole, self.model)), ("else:", self._missing(shape))]

    def _missing(self, shape: Shape) -> list[Statement]:
        out: list[Statement] = []
        for hole in shape.required_holes:
            given = self.place.given(hole)
            if given is not None:
                report = code(call("build.missing", name("request"), self.place.field(hole)))
                out.append((f"if not ({code(given)}):", [report]))
        return out

    def _union_choice(self, entry: Field, shape: Choice) -> list[Statement]:
        key = code(literal(entry.key))
        union, *others = shape.forms
        assert isinstance(union, Hole)
        variable = f"{union.path[0]}_json"
        test = self.place.given(union)
        assert test is not None
        out: list[Statement] = [f"{variable}: Any = None"]
        out.append((f"if {code(test)}:", [f"{variable} = {code(self.place.written(union))}"]))
        for form in others:
            needs = filled(form, self.place)
            also = f" and {code(needs)}" if needs is not None else ""
            out.append(
                (f"if {variable} is None{also}:", [f"{variable} = {code(value_of(form, self.place))}"])
            )
        return [*out, (f"if {variable} is not None:", [f"body[{key}] = {variable}"])]

    def _instructions(self, entry: Field, hole: Hole, inner: Field | None = None) -> list[Statement]:
        """Write instructions under a key of the body, or under the key `inner` of the object that stands there."""
        whole = f"body[{code(literal(entry.key))}]"
        key = whole if inner is None else "layers_json"
        if hole.filters:
            self.place.imports.use("promptwire_runtime.build.instructions", "texts_of_layers")
            used = self.place.filters[hole.filters[0].name]
            joined = call(self.place.imports.function(used.writes), name("layers"))
            layers = "layers = texts_of_layers(request.instructions, build)"
            several: list[Statement] = [layers, ("if layers:", [f"{key} = {code(joined)}"])]
        else:
            several = [f"{key} = [build.writers.layer(layer, build) for layer in request.instructions]"]
            if self.place.marks:
                mark: Statement = (
                    "if layer.cache is not None:",
                    ["blocks.append(build.writers.cache(build.mark(layer), build))"],
                )
                loop: list[Statement] = ["blocks.append(build.writers.layer(layer, build))", mark]
                several = [
                    "blocks: list[Any] = []",
                    ("for layer in request.instructions:", loop),
                    f"{key} = blocks",
                ]
            if not hole.listed:
                short = "if len(request.instructions) == 1 and request.instructions[0].plain:"
                one: list[Statement] = [f"{key} = request.instructions[0].text"]
                several = [(short, one), ("else:", several)]
        plain = f"{key} = request.instructions"
        if hole.listed:
            plain = f"{key} = [{self._layer_of_text()}]"
        role: Statement = ("if layer.role is not None:", ['build.unused(layer, "role")'])
        several = [("for layer in request.instructions:", [role]), *several]
        block: list[Statement] = [("if isinstance(request.instructions, str):", [plain]), ("else:", several)]
        if inner is not None and isinstance(entry.shape, Object):
            rows = [
                f"{code(literal(e.key))}: {key if e is inner else code(value_of(e.shape, self.place))}"
                for e in entry.shape.fields if not e.optional
            ]  # fmt: skip
            block.append(f"{whole} = {{{', '.join(rows)}}}")
        return [("if request.instructions:", block)]

    def _layer_of_text(self) -> str:
        """Instructions that are one text as a layer."""
        plain = [row for row in self.model.unions["instruction"] if row.for_plain]
        holes = [hole for row in plain[:1] for hole in row.shape.required_holes]
        if [(hole.path, hole.filters) for hole in holes] == [(("text",), ())]:
            said = _Said("request", plain[0].kind, self.place.filters, self.place.imports)
            return code(value_of(plain[0].shape, said))
        self.place.imports.use("promptwire_runtime", "Instruction")
        return "build.writers.layer(Instruction(request.instructions), build)"

    def _messages(self, forms: PlainForms) -> list[Statement]:
        entry = self.model.body.messages
        key = code(literal(entry.key))
        out: list[Statement] = ["messages: list[Any] = []"]
        if self.model.instructions.placement == "first_message":
            spoken = code(literal(self.model.instructions.role))
            text = f'messages.append({{"role": role or {spoken}, "content": instructions}})'
            layers = "write_instructions(instructions, build, messages, role)"
            said: list[Statement] = [("if isinstance(instructions, str):", [text]), ("else:", [layers])]
            out += ["instructions = request.instructions", ("if instructions:", said)]
        out.append("turns = request.messages")
        sliced = "build.unseen(request) if rare and request.continuation else turns"
        sliced = sliced if self.model.continuation.mode == "server" else "turns"
        limits = limits_of("messages", "turns", self.model)
        every: list[Statement] = [f"build.writers.messages({sliced}, build, messages)", *limits]
        alone = [] if counts_one("messages", self.model) else forms.alone()
        out += [*alone, ("else:", every)] if alone else every
        for late in self.model.body.shape.fields:
            out += self._field(late) if self._is_late(late) else []
        if entry.optional:
            out.append(("if messages:", [f"body[{key}] = messages"]))
        else:
            out.append(f"body[{key}] = messages")
        return out

    def _finish(self) -> Expression:
        arguments = [name("body"), name("request")]
        if self._known():
            arguments.append(name("VENDOR"))
        return call("build.finish", *arguments)

    def _known(self) -> set[str]:
        """The vendor options of the body: those it writes, and those that only reading knows."""
        return {
            hole.path[1]
            for hole in self.model.body.shape.holes
            if hole.path[0] == "vendor" and len(hole.path) == 2
        }

    def constants(self) -> list[str]:
        """Module constants that `write_body` uses."""
        out = [f"OPTIONS = {code(frozen_words(sorted(self.model.body.carried_options)))}"]
        if self._known():
            out.append(f"VENDOR = {code(frozen_words(sorted(self._known())))}")
        return out


class _Said(Place):
    """The place of a layer whose text is all that the instructions say."""

    def value(self, hole: Hole) -> Expression:
        """The instructions themselves, as the text of the layer."""
        if hole.path == ("text",):
            return attribute(name(self.subject), "instructions")
        return super().value(hole)


def inside(entry: Field, head: str) -> Field | None:
    """The key of an object that holds a field of the request as a whole, such as `{parts: $instructions[]}`."""
    if not isinstance(entry.shape, Object):
        return None
    held = [e for e in entry.shape.fields if isinstance(e.shape, Hole) and e.shape.path == (head,)]
    return held[0] if held else None


def is_top_level(key: str, other: str) -> bool:
    """Whether a rule renames a key of the body itself; else it moves a value inside it."""
    return "." not in key and "." not in other
