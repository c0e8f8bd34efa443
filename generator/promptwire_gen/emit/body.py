"""Functions that write the whole body."""

from __future__ import annotations

from ..model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS, DOTTED, OPTIONS, REQUEST
from ..model.transport import names_model
from ..model.wire import WireModel
from ..spec.shapes import Choice, Field, Hole, Object, Shape
from .docs import body_doc
from .function import Function
from .limits import limited, limits_of
from .nodes import REMEMBERING, unwritten_options
from .places import Place
from .printing import code
from .python import Expression, Statement, call, frozen_words, item, literal, name
from .writing import complete, differ, filled, object_of, value_of, write_optional, written_holes

_EMPTY = {"tool_choice": "NO_TOOL_CHOICE", "reasoning": "NO_REASONING", "continuation": "NO_CONTINUATION"}


class BodyEmitter:
    """Emits the functions that write the body of one wire."""

    def __init__(self, model: WireModel, place: Place) -> None:
        """`place` is the place of the request's holes."""
        self.model = model
        self.place = place

    # ---- writing

    def write(self) -> Function:
        """The function that writes the body: static parts in the order of the spec, then the conversation."""
        header = "def write_body(request: Request, built: Built[Any], role: str | None, rare: bool) -> Any:"
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
            body += [*self._names([entry]), *self._field(entry)]
        body.append(("if rare:", ["write_rare(request, built, body)"]))
        body += self._common_losses()
        body += self._messages()
        if any(not is_top_level(*pair) for rule in self.model.rules for pair in rule.rename.items()):
            self.place.imports.use("promptwire_runtime.moves", "move")
            body.append("move(body, built)")
        unwritten = unwritten_options(self.model.body.shape, "request", "body", "lost")
        noted: list[Statement] = ["vendor = built.vendor(request)", *unwritten] if unwritten else []
        body.append(("if rare:", [f"body = {code(self._finish())}", *noted]))
        body.append("return body")
        return Function(header, body_doc("Write the whole body", self.model), body)

    def write_rare(self) -> Function:
        """The function that writes what most requests leave out, and reports what this wire cannot carry."""
        header = "def write_rare(request: Request, built: Built[Any], body: dict[str, Any]) -> None:"
        rare = [e for e in self.model.body.shape.fields if self._is_rare(e)]
        body: list[Statement] = ["options = request.options"]
        for head, empty in _EMPTY.items():
            self.place.imports.use("promptwire_runtime.options", empty)
            given = f"request.{head} or {empty}"
            if head == "tool_choice":
                given = f"{empty} if built.no_tools else {given}"
            body.append(f"{head} = {given}")
        if any(hole.path[0] == "vendor" for entry in rare for hole in entry.shape.holes):
            body.append("vendor = built.vendor(request)")
        for entry in rare:
            body += self._field(entry)
        return Function(header, "Write what most requests leave out.", [*body, *self._losses()])

    def _names(self, entries: list[Field]) -> list[Statement]:
        """The variables behind dotted holes of common keys."""
        heads = {hole.path[0] for entry in entries for hole in entry.shape.holes}
        out: list[Statement] = [
            f"{head} = request.{head} or {_EMPTY[head]}" for head in _EMPTY if head in heads
        ]
        return [*out, "vendor = built.vendor(request)"] if "vendor" in heads else out

    def _is_rare(self, entry: Field) -> bool:
        heads = {hole.path[0] for hole in entry.shape.holes}
        return (
            entry.optional
            and bool(heads)
            and not heads & (COMMON_REQUEST_FIELDS | COMMON_OPTIONS | {"settings"})
        )

    def _field(self, entry: Field) -> list[Statement]:
        shape = entry.shape
        if isinstance(shape, Hole) and not shape.read_only and shape.path == ("instructions",):
            return self._instructions(entry, shape)
        inner = inside(entry, "instructions")
        if inner is not None and isinstance(inner.shape, Hole):
            return self._instructions(entry, inner.shape, inner)
        if isinstance(shape, Choice) and any(_is_union(form) for form in shape.forms):
            return self._union_choice(entry, shape)
        if isinstance(shape, Object) and not entry.optional:
            return self._required_object(entry, shape)
        statements = limited(shape, write_optional(entry, name("body"), self.place), self.model)
        if entry.optional:
            return statements
        if isinstance(shape, Hole) and len(statements) == 1:
            return [
                *statements,
                ("else:", [code(call("built.missing", name("request"), self.place.field(shape)))]),
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
                report = code(call("built.missing", name("request"), self.place.field(hole)))
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
            self.place.imports.use("promptwire_runtime.instructions", "texts_of_layers")
            used = self.place.filters[hole.filters[0].name]
            joined = call(self.place.imports.function(used.writes), name("layers"))
            layers = "layers = texts_of_layers(request.instructions, built)"
            several: list[Statement] = [layers, ("if layers:", [f"{key} = {code(joined)}"])]
        else:
            several = [f"{key} = [write_layer(layer, built) for layer in request.instructions]"]
            if self.place.marks:
                mark: Statement = (
                    "if layer.cache is not None:",
                    ["blocks.append(write_cache(built.mark(layer), built))"],
                )
                loop: list[Statement] = ["blocks.append(write_layer(layer, built))", mark]
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
            self.place.imports.use("promptwire_runtime", "Instruction")
            plain = f"{key} = [write_layer(Instruction(request.instructions), built)]"
        role: Statement = ("if layer.role is not None:", ['built.unused(layer, "role")'])
        several = [("for layer in request.instructions:", [role]), *several]
        block: list[Statement] = [("if isinstance(request.instructions, str):", [plain]), ("else:", several)]
        if inner is not None and isinstance(entry.shape, Object):
            rows = [
                f"{code(literal(e.key))}: {key if e is inner else code(value_of(e.shape, self.place))}"
                for e in entry.shape.fields if not e.optional
            ]  # fmt: skip
            block.append(f"{whole} = {{{', '.join(rows)}}}")
        return [("if request.instructions:", block)]

    def _losses(self) -> list[Statement]:
        """Report rarely used fields that no key of this body can carry."""
        model = self.model.body
        out: list[Statement] = []
        if model.carried_options != frozenset(OPTIONS):
            out.append(("if not options.given <= _OPTIONS:", ["built.lost_options(_OPTIONS)"]))
        for field_name in REQUEST:
            if field_name in model.carried or field_name in COMMON_REQUEST_FIELDS or field_name in DOTTED:
                continue
            report = f'built.lost(request, "{field_name}")'
            out.append((f"if request.{field_name} is not None:", [report]))
        for head, kind in DOTTED.items():
            out += self._dotted_losses(head, frozenset(kind.fields))
        return out

    def _common_losses(self) -> list[Statement]:
        model = self.model.body
        out: list[Statement] = []
        if "model" not in model.carried:
            out.append(("if request.model is not None:", ['built.lost(request, "model")']))
        elif "model" in model.url_fields and not self._requires_model():
            out.append(("if request.model is None:", ['built.missing(request, "model")']))
        if "tools" not in model.carried_request:
            out.append(("if request.tools:", ['built.lost(request, "tools")']))
        placed = self.model.instructions.placement == "first_message"
        if "instructions" not in model.carried_request and not placed:
            out.append(("if request.instructions:", ['built.lost(request, "instructions")']))
        return out

    def _requires_model(self) -> bool:
        """Whether the body itself reports a missing model, or a form of the URL may do without one."""
        if any(hole.path == ("model",) for hole in self.model.body.shape.required_holes):
            return True
        return not all(names_model(form) for form in self.model.transport.url)

    def _dotted_losses(self, head: str, fields: frozenset[str]) -> list[Statement]:
        written = [*unconditional(self.model.body.shape), *_beside_union(self.model.body.shape)]
        always = {hole.path[1] for hole in written if hole.path[0] == head and len(hole.path) == 2}
        has_union = head in self.model.body.carried_request
        rows: list[Statement] = []
        for field_name in sorted(fields - always - {"wire", "kind"}):
            report = f'built.lost(request, "{head}.{field_name}")'
            if not has_union:
                rows.append((f"if {head}.{field_name} is not None:", [report]))
            elif head == "tool_choice" and field_name == "parallel" and not self._choice_writes_parallel():
                rows.append((f"if {head}.mode is None and {head}.parallel is not None:", [report]))
            elif head == "tool_choice" and field_name not in ("mode", "parallel"):
                rows.append((f"if {head}.mode is None and {head}.{field_name} is not None:", [report]))
            elif head == "reasoning" and field_name not in ("mode", "budget"):
                rows.append((f"if {head}.kind is None and {head}.{field_name} is not None:", [report]))
        if head in REMEMBERING:
            rows.append((f"if {head}.kept is not None:", [f"built.forget({head})"]))
        return [(f"if {head} is not {_EMPTY[head]}:", rows)] if rows else []

    def _choice_writes_parallel(self) -> bool:
        return any(hole.path == ("tool_choice", "parallel") for hole in self.model.body.shape.holes)

    def _messages(self) -> list[Statement]:
        entry = self.model.body.messages
        key = code(literal(entry.key))
        out: list[Statement] = ["messages: list[Any] = []"]
        if self.model.instructions.placement == "first_message":
            spoken = code(literal(self.model.instructions.role))
            short = f'messages.append({{"role": role or {spoken}, "content": request.instructions}})'
            layers = "write_instructions(request.instructions, built, messages, role)"
            out.append("instructions = request.instructions")
            short = short.replace("request.instructions", "instructions")
            layers = layers.replace("request.instructions", "instructions")
            text: list[Statement] = [
                ("if isinstance(instructions, str):", [short]),
                ("else:", [layers]),
            ]
            out.append(("if instructions:", text))
        if self.model.continuation.mode == "server":
            sliced = "built.unseen(request) if rare and request.continuation else request.messages"
            out.append(f"write_messages({sliced}, built, messages)")
        else:
            out.append("write_messages(request.messages, built, messages)")
        out += limits_of("messages", "request.messages", self.model)
        if entry.optional:
            out.append(("if messages:", [f"body[{key}] = messages"]))
        else:
            out.append(f"body[{key}] = messages")
        return out

    def _finish(self) -> Expression:
        arguments = [name("body"), name("request")]
        if self._known():
            arguments.append(name("_VENDOR"))
        return call("built.finish", *arguments)

    def _known(self) -> set[str]:
        """The vendor options of the body: those it writes, and those that only reading knows."""
        return {
            hole.path[1]
            for hole in self.model.body.shape.holes
            if hole.path[0] == "vendor" and len(hole.path) == 2
        }

    def common(self) -> str:
        """The options that `write_body` looks at in any request."""
        return code(frozen_words(sorted(COMMON_OPTIONS & self.model.body.carried_options)))

    def constants(self) -> list[str]:
        """Module constants that `write_body` uses."""
        out = [f"_OPTIONS = {code(frozen_words(sorted(self.model.body.carried_options)))}"]
        if self._known():
            out.append(f"_VENDOR = {code(frozen_words(sorted(self._known())))}")
        return out


def inside(entry: Field, head: str) -> Field | None:
    """The key of an object that holds a field of the request as a whole, such as `{parts: $instructions[]}`."""
    if not isinstance(entry.shape, Object):
        return None
    held = [e for e in entry.shape.fields if isinstance(e.shape, Hole) and e.shape.path == (head,)]
    return held[0] if held else None


def is_top_level(key: str, other: str) -> bool:
    """Whether a rule renames a key of the body itself; else it moves a value inside it."""
    return "." not in key and "." not in other


def _is_union(form: Shape) -> bool:
    return isinstance(form, Hole) and form.path in (("tool_choice",), ("reasoning",), ("response_format",))


def _beside_union(shape: Object) -> list[Hole]:
    """The holes of forms that are written where the union in their place has no kind."""
    choices = [entry.shape for entry in shape.fields if isinstance(entry.shape, Choice)]
    rows = [choice.forms[1:] for choice in choices if _is_union(choice.forms[0])]
    return [hole for forms in rows for form in forms for hole in form.holes]


def unconditional(shape: Shape) -> list[Hole]:
    """The holes that are written whenever they have a value: not those of one form among several."""
    match shape:
        case Hole():
            return [] if shape.read_only else [shape]
        case Object():
            found = [hole for entry in shape.fields for hole in unconditional(entry.shape)]
            return found + ([shape.rest] if shape.rest is not None else [])
        case Choice() if differ(shape) and not any(_is_union(form) for form in shape.forms):
            # a form that is written reports what only the others could hold
            return [hole for form in shape.forms for hole in unconditional(form)]
        case Choice():
            return [hole for hole in unconditional(shape.forms[0]) if len(hole.path) == 2] or _shared(shape)
        case _:
            return list(shape.holes)


def _shared(shape: Choice) -> list[Hole]:
    """The holes that every form writes."""
    rows = [[hole.path for hole in unconditional(form)] for form in shape.forms]
    shared = set(rows[0]).intersection(*rows[1:])
    return [hole for hole in unconditional(shape.forms[0]) if hole.path in shared]
