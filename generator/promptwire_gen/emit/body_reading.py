"""The function that reads a whole body into a Request."""

from __future__ import annotations

from ..model.neutral import DOTTED, OPTIONS, REQUEST
from ..model.wire import WireModel
from ..spec.shapes import Field, Hole, Object
from .body import inside
from .docs import body_doc
from .function import Function
from .places import Place
from .python import Expression, Statement, call, code, literal, lookup, name
from .reading import Values


class BodyReader:
    """Emits `read_body` of one wire."""

    def __init__(self, model: WireModel, place: Place) -> None:
        """`place` is the place of the request's holes."""
        self.model = model
        self.place = place

    def read(self) -> Function:
        """The function that reads a whole body into a Request, its form memory aside."""
        header = "def read_body(found: dict[str, Any], reader: Reader) -> Request:"
        values = Values(self.place)
        shape = Object(
            tuple([e for e in self.model.body.shape.fields if not _special(e)]),
            None,
            self.model.body.shape.span,
        )
        values.object(shape, "found")
        before = list(values.before)
        found = {path: values.first(row) for path, row in values.found.items()}
        arguments: dict[str, Expression] = {}
        options = {path[0]: value for path, value in found.items() if path[0] in OPTIONS}
        if options:
            self.place.imports.use("promptwire_runtime", "Options")
            arguments["options"] = call("Options", **options)
        for path, value in found.items():
            if len(path) == 1 and path[0] in REQUEST and path[0] not in DOTTED:
                arguments[path[0]] = value
        for head, kind in DOTTED.items():
            node = self._dotted(head, kind.cls, found)
            if node is not None:
                arguments[head] = node
        vendor = values.vendor()
        if vendor is not None:
            arguments["vendor"] = vendor
        before += self._read_special(arguments)
        return Function(
            header,
            body_doc("Read a body", self.model),
            [*before, f"return {code(call('Request', **arguments))}"],
        )

    def _dotted(self, head: str, cls: str, found: dict[tuple[str, ...], Expression]) -> Expression | None:
        rows = {path[1]: value for path, value in found.items() if path[0] == head and len(path) == 2}
        whole = found.get((head,))
        if not rows:
            return whole
        self.place.imports.use("promptwire_runtime.wire_json.values", "with_fields")
        self.place.imports.use("promptwire_runtime", cls)
        return call("with_fields", whole or literal(None), name(cls), **rows)

    def _read_tools(self, looked: Expression) -> Expression:
        reader = name("read_tool")
        if self.model.gather is not None:
            return call("reader.gathered", looked, literal(self.model.gather), reader)
        return call("reader.elements", looked, reader, *self.place.mark_reader())

    def _read_special(self, arguments: dict[str, Expression]) -> list[Statement]:
        out: list[Statement] = []
        for key in self.model.body.shape.fields:
            looked = lookup("found", (key.key, *key.synonyms))
            entry = inside(key, "instructions") or key
            if entry is not key:
                self.place.imports.use("promptwire_runtime.wire_json.values", "as_object")
                out.append(f"outer = {code(call('as_object', looked))}")
                looked = lookup("outer", (entry.key, *entry.synonyms))
            if _holds(entry, "tools"):
                arguments["tools"] = self._read_tools(looked)
            elif _holds(entry, "instructions") and isinstance(entry.shape, Hole):
                if entry.shape.filters:
                    self.place.imports.use("promptwire_runtime.wire_json.values", "as_str")
                    arguments["instructions"] = call("as_str", looked)
                else:
                    arguments["instructions"] = call(
                        "reader.layers", looked, name("read_layer"), *self.place.mark_reader()
                    )
            elif entry is self.model.body.messages:
                out.append(f"items = reader.items({code(looked)})")
        first = self.model.instructions.placement == "first_message"
        if first:
            out.append("instructions, messages = read_conversation(items, reader)")
            arguments["instructions"] = name("instructions")
        else:
            out.append("messages = read_messages(items, reader)")
        arguments["messages"] = name("messages")
        return out


def _holds(entry: Field, head: str) -> bool:
    return isinstance(entry.shape, Hole) and entry.shape.path == (head,)


def _special(entry: Field) -> bool:
    whole = any(_holds(entry, head) for head in ("messages", "tools", "instructions"))
    return whole or inside(entry, "instructions") is not None
