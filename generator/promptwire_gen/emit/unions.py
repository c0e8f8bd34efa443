"""Functions that write and read tools, tool choice, response format, reasoning, layers and cache marks."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.neutral import TOOLS
from ..model.wire import Alternative, WireModel
from .function import Function
from .nodes import choices, subject_of
from .places import Place
from .python import Statement, attribute, code, literal, name
from .python.conditions import equals
from .usual import usual_tool
from .watching import tools_watched

# union -> the field that tells its modes apart, the class, and what reading gives when no shape fits
_BY_MODE = {
    "tool_choice": ("mode", "ToolChoice"),
    "response_format": ("kind", "ResponseFormat"),
    "reasoning": ("kind", "ReasoningOptions"),
}
_ONE = {"instruction": ("write_layer", "Instruction"), "cache": ("write_cache", "Cache")}
# the tools of a group, or of a message, are not all that a request has
_OUT: list[Statement] = [
    ("if not out and tools is build.request.tools:", ["build.without_tools()"]),
    "return out",
]


class UnionEmitter:
    """Emits the choosing functions of one wire's unions."""

    def __init__(self, model: WireModel, place: Place) -> None:
        """`place` carries filters and imports."""
        self.model = model
        self.outer = place

    def place(self, alternative: Alternative) -> Place:
        """The place of a union's node."""
        return Place(subject_of(alternative.kind), alternative.kind, self.outer.filters, self.outer.imports)

    def functions(self) -> list[Function]:
        """All functions that choose a shape to write."""
        out: list[Function] = []
        for union, rows in self.model.unions.items():
            if not rows:
                continue
            if union in _BY_MODE:
                out.append(self._by_mode(union, rows))
            elif union in _ONE:
                out.append(self._one(union, rows))
            else:
                out += self._tools(rows)
        return out

    def _by_mode(self, union: str, rows: Sequence[Alternative]) -> Function:
        field, cls = _BY_MODE[union]
        place = self.place(rows[0])
        self.outer.imports.use("promptwire_runtime", cls)
        body: list[Statement] = []
        if union == "tool_choice":
            body.append(("if build.no_tools:", ["return None"]))
            if {row.mode for row in rows} & {"named", "custom", "several"}:
                body.append(
                    (
                        "if choice.name is not None or choice.names is not None:",
                        ["build.check_choice(choice)"],
                    )
                )
        modes: dict[str, list[Alternative]] = {}
        for row in rows:
            modes.setdefault(row.mode, []).append(row)
        subject = name(place.subject)
        for mode, alternatives in modes.items():
            test = equals(attribute(subject, field), literal(mode))
            body.append((f"if {code(test)}:", choices(alternatives, place)))
        value = f"{place.subject}.{field}"
        why = f'f"{{{value}}} has no shape on this wire"'
        body += [f'build.lost({place.subject}, "{field}", {why})', "return None"]
        header = f"def write_{union}({place.subject}: {cls}, build: BuildContext) -> Any:"
        return Function(header, f"Write the {union.replace('_', ' ')}.", body)

    def _one(self, union: str, rows: Sequence[Alternative]) -> Function:
        function, cls = _ONE[union]
        place = self.place(rows[0])
        self.outer.imports.use("promptwire_runtime", cls)
        header = f"def {function}({place.subject}: {cls}, build: BuildContext) -> Any:"
        return Function(header, f"Write one {union}.", choices(rows, place))

    def _tools(self, rows: Sequence[Alternative]) -> list[Function]:
        self.outer.imports.use("promptwire_runtime", "AnyTool", "Opaque")
        body: list[Statement] = []
        for mode, kind in TOOLS.items():
            alternatives = [row for row in rows if row.mode == mode]
            if alternatives:
                self.outer.imports.use("promptwire_runtime", kind.cls)
                body.append(
                    (f"if type(tool) is {kind.cls}:", choices(alternatives, self.place(alternatives[0])))
                )
        mine = "if type(tool) is Opaque and tool.wire == build.wire.name:"
        body.append((mine, ["return build.opaque(tool)"]))
        body += ['build.lost(tool, "", "this wire has no tool of this kind")', "return None"]
        one = Function("def write_tool(tool: AnyTool, build: BuildContext) -> Any:", "Write one tool.", body)
        header = "def write_tools(tools: tuple[AnyTool, ...], build: BuildContext) -> list[Any]:"
        many = Function(header, "Write all tools that have a place.", self._all_tools())
        return [one, many]

    def _names_checked(self) -> list[Statement]:
        return ["build.check_names(tools)"] if self.model.tool_names or self.model.unique_names else []

    def _one_tool(self) -> str:
        """The call that writes a tool: straight to its shape for a plain function."""
        rows = [row for row in self.model.unions["tool"] if row.mode == "function" and row.written]
        if len(rows) != 1:
            return "write_tool(tool, build)"
        usual = usual_tool(rows[0], self.place(rows[0]), self.model)
        if usual is not None:
            test, shown = (code(each) for each in usual)
            return f"{shown} if type(tool) is Tool and tool.plain and {test} else write_tool(tool, build)"
        short = f"write_{rows[0].label}(tool, build) if type(tool) is Tool and tool.plain"
        return f"{short} else write_tool(tool, build)"

    def _all_tools(self) -> list[Statement]:
        gather = self.model.gather
        if gather is None and not self.model.marks_cache:
            written = f"[value for tool in tools if (value := {self._one_tool()}) is not None]"
            return [*tools_watched(self.model), *self._names_checked(), f"out = {written}", *_OUT]
        loop: list[Statement] = ["value = write_tool(tool, build)", ("if value is None:", ["continue"])]
        body: list[Statement] = [*tools_watched(self.model), *self._names_checked(), "out: list[Any] = []"]
        if gather is not None:
            body.append("gathered: list[Any] = []")
            first = f"out.append({{{code(literal(gather))}: gathered}})"
            inside: list[Statement] = [("if not gathered:", [first]), "gathered.append(value)"]
            loop.append(("if type(tool) is Tool:", inside))
            loop.append(("else:", ["out.append(value)"]))
        else:
            loop.append("out.append(value)")
        if self.model.marks_cache:
            test = 'if type(tool) is not Opaque and getattr(tool, "cache", None) is not None:'
            loop.append((test, ["out.append(build.writers.cache(build.mark(tool), build))"]))
        return [*body, ("for tool in tools:", loop), *_OUT]
