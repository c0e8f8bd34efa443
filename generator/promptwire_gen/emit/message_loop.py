"""The function that writes all messages: a short path for plain text, then one function a role."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..model.neutral import MESSAGE
from ..model.wire import Alternative, MessageShape, WireModel
from ..spec.shapes import Constant, Hole
from .conditions import equals
from .function import Function
from .pairing import all_ended, listed, opened, paired, turn_ended
from .places import Place
from .printing import code
from .python import Expression, Statement, call, display, listing, literal, name
from .text_shapes import bare_text_shape, text_type
from .watching import neighbours_watched, watched_roles
from .writing import value_of

_OPAQUE = frozenset({"signature", "encrypted", "redacted"})
_OPAQUE_OF_TEXT = frozenset({"citations", "logprobs"})
# the frequent ones first
_ROLES = ("user", "assistant", "tool", "system", "developer")
# what is not written is no neighbour of what comes next
_AS_BEFORE = "before, previous = earlier, former"


def holds_payload(alternatives: Iterable[Alternative]) -> bool:
    """Whether one of these shapes of parts holds what only the API that made it can read."""
    return any(
        hole.path[0] in _OPAQUE or (row.kind.name == "text" and hole.path[0] in _OPAQUE_OF_TEXT)
        for row in alternatives
        for hole in row.shape.holes
    )


class LoopEmitter:
    """Emits `write_messages`; `roles` are those that have a function."""

    def __init__(
        self,
        model: WireModel,
        outer: Place,
        roles: Sequence[str],
        write_result: str | None,
        calling: Collection[str],
    ) -> None:
        """`outer` carries filters and imports; `write_result` names the function that writes a tool result.

        The functions of the roles in `calling` take the open calls.
        """
        self.write_result = write_result
        self.calling = calling
        self.model = model
        self.outer = outer
        self.roles = [role for role in _ROLES if role in roles]
        self.merges = model.merges

    def function(self) -> Function:
        """The loop over all messages; where the wire asks for turns, neighbours of one role share a list."""
        header = (
            "def write_messages(messages: tuple[Message, ...], built: Built[Any], out: list[Any]) -> None:"
        )
        watched = neighbours_watched(self.model)
        loop: list[Statement] = ["role = message.role", *watched]
        body: list[Statement] = [*(['beside = ""'] if watched else []), *opened(self.model)]
        if self.merges:
            body += [
                'before = ""',
                "previous: Message | None = None",
                'earlier = ""',
                "former: Message | None = None",
                "joined: list[Any] | None = None",
                "merged = False",
            ]
            loop += [self._turn(), *self._repeated()]
        else:
            loop += [*turn_ended(self.model), *self._short()]
        loop += [*self._own_payloads(), *listed(self.model)]
        word = "if"
        joined = ", joined" if self.merges else ""
        for role in self.roles:
            given = f"{joined}{', open_calls' if role in self.calling else ''}"
            test = code(equals(name("role"), literal(role)))
            loop.append((f"{word} {test}:", [f"write_message_{role}(message, built, out{given})"]))
            word = "elif"
        report = call(
            "built.lost", name("message"), literal("role"), literal("this wire has no message of this role")
        )
        loop.append(("else:", [code(report), *([_AS_BEFORE] if self.merges else [])]))
        if self.merges:
            loop.append(("if built.left_out is message:", [_AS_BEFORE]))
            loop.append(("elif joined is not None:", ["merged = True"]))
        source = "messages"
        if self._merges("merge_speakers"):
            self.outer.imports.use("promptwire_runtime.passes", "results_apart")
            source = "results_apart(messages, built)"
        body += [(f"for message in {source}:", loop), *all_ended(self.model)]
        if self.merges:
            why = code(literal("consecutive messages of one role are one message on this wire"))
            body.append(("if merged:", [f'built.note("merged", built.request, "messages", {why})']))
        return Function(header, "Write all messages into `out`.", body)

    def _merges(self, name: str) -> bool:
        return any(each.name == name for each in self.model.passes)

    def _own_payloads(self) -> list[Statement]:
        """Take what another API signed or encrypted out of its messages, where this one has a place for such."""
        files = any(hole.path == ("file_id",) for row in self.model.parts for hole in row.shape.holes)
        if not (files or holds_payload(self.model.parts)):
            return []
        test = "if message.provenance is not None and message.provenance.api != WIRE.api:"
        skip: list[Statement] = [_AS_BEFORE, "continue"] if self.merges else ["continue"]
        return [(test, ["message = built.without_foreign(message)", ("if built.left_out is message:", skip)])]

    def _turn(self) -> str:
        """`now`: who speaks: the wire's own role, or the neutral one where results stay apart from words."""
        now = "role"
        if not self._merges("merge_neighbours"):
            return "now = role"
        for role, shape in self.model.messages.items():
            if shape.wire_role != role:
                now = f"{code(literal(shape.wire_role))} if role == {code(literal(role))} else {now}"
        return f"now = {now}"

    def _repeated(self) -> list[Statement]:
        """Find out whether this message goes into the one before it."""
        self.outer.imports.use("promptwire_runtime.passes", "may_join", "may_merge", "open_last")
        bare = bare_text_shape(self.model, "user")
        text = code(literal(text_type(bare) if bare is not None else "text"))
        test = (
            f"if now == before and (message.plain or {self._may_join()}) "
            "and (message.provenance is None or may_merge(previous, message, built)) "
            'and built.policies.neighbours == "merge":'
        )
        result = self._short_joined()
        key = f", {code(literal(self._content_key()))}" if self._content_key() != "content" else ""
        opened: Statement = (
            "if joined is None or built.last_apart is not None:",
            [f"joined = open_last(out, built, {text}{key})"],
        )
        remember: list[Statement] = [
            "earlier = before",
            "former = previous",
            "before = now",
            "previous = message",
        ]
        return [
            (
                test,
                [
                    "earlier, former = before, previous",
                    opened,
                    *result,
                ],
            ),
            ("else:", ["joined = None", *turn_ended(self.model), *remember, *self._short()]),
        ]

    def _may_join(self) -> str:
        """What must hold for a message that is more than role and parts: nothing of it has a place here."""
        shapes = [shape.shape for shape in self.model.messages.values()]
        written = {hole.path[0] for shape in shapes for hole in shape.holes if not hole.read_only}
        carried = sorted(written & MESSAGE.fields.keys())
        return " and ".join(["may_join(message, built)", *(f"message.{field} is None" for field in carried)])

    def _content_key(self) -> str:
        """The key of a message under which its parts stand."""
        keys = [
            entry.key
            for shape in self.model.messages.values()
            for slot, entry in shape.slots
            if slot == "content"
        ]
        return keys[0] if keys else "content"

    def _short(self) -> list[Statement]:
        """The short path: a message that is one plain text, or a tool message that is one result."""
        rows: dict[str, list[str]] = {}
        for role in self.roles:
            shape = self.model.messages.get(role)
            if role != "tool" and shape is not None and self._is_text_alone(shape):
                rows.setdefault(self._short_item(shape), []).append(role)
        texts: list[Statement] = []
        word = "if"
        for item, roles in rows.items():
            test = f"role == {code(literal(roles[0]))}" if len(roles) == 1 else f"role in {tuple(roles)!r}"
            texts.append((f"{word} {test}:", [f"out.append({item})", "continue"]))
            word = "elif"
        alone: list[Statement] = []
        if texts:
            self.outer.imports.use("promptwire_runtime", "Text")
            alone.append(("if type(part) is Text and part.plain:", texts))
        # the list that further results of the turn go into
        turn = ["joined = [value]"] if self.merges else []
        result = self._short_result("out.append(value)", self._result_item, first=turn)
        if result:
            if self.merges:
                result.append(("else:", [_AS_BEFORE]))
            test = f'if role == "tool" and type(part) is ToolResult{self._alone()}:'
            alone.append((test, [*result, "continue"]))
        if not alone:
            return []
        return [("if message.plain and len(parts := message.parts) == 1:", ["part = parts[0]", *alone])]

    def _short_joined(self) -> list[Statement]:
        """The short path of a tool message that is one result, into the message before it."""
        result = self._short_result("out.append(value)", lambda _: "joined.append(value)", "merged = True")
        if not result:
            return []
        test = 'if role == "tool" and message.plain and len(parts := message.parts) == 1'
        test += f" and type(part := parts[0]) is ToolResult{self._alone()} and joined is not None:"
        return [(test, [*result, "continue"])]

    def _short_result(
        self, alone: str, inside: Callable[[MessageShape], str], *more: str, first: Sequence[str] = ()
    ) -> list[Statement]:
        """Write the result `part`: as an item of its own, or as content, with `first` before it; `more` follows."""
        shape = self.model.messages.get("tool")
        row = next(
            (part for part in self.model.parts_of("tool") if part.mode == "tool_result" and part.written),
            None,
        )
        if self.write_result is None or row is None or "tool" in watched_roles(self.model):
            return []
        item = row.slot == "messages"
        if not item and (shape is None or not self._is_text_alone(shape)):
            return []
        self.outer.imports.use("promptwire_runtime", "ToolResult")
        land = [alone] if item or shape is None else [*first, inside(shape)]
        landed: list[Statement] = [*land, *more, *paired(self.model, "tool_result")]
        return [f"value = {self.write_result}(part, built)", ("if value is not None:", landed)]

    def _alone(self) -> str:
        """What else must hold for a result that takes the short path: on some wires it may be signed or marked."""
        rows = [row for row in self.model.parts_of("tool") if row.mode == "tool_result"]
        return " and part.plain" if holds_payload(rows) or self.model.marks_cache else ""

    def _result_item(self, shape: MessageShape) -> str:
        rows: list[str] = []
        for entry in shape.shape.fields:
            if isinstance(entry.shape, Constant) and not entry.optional:
                rows.append(f"{code(literal(entry.key))}: {code(literal(entry.shape.value))}")
            elif isinstance(entry.shape, Hole) and entry.shape.path == ("content",):
                rows.append(f"{code(literal(entry.key))}: {'joined' if self.merges else '[value]'}")
        return f"out.append({{{', '.join(rows)}}})"

    def _is_text_alone(self, shape: MessageShape) -> bool:
        """Whether a message of one plain text is its constants and its content."""
        extra = [
            e for e in shape.shape.fields if not e.optional and not isinstance(e.shape, (Constant, Hole))
        ]
        has_content = any(slot == "content" for slot, _ in shape.slots)
        bare = bare_text_shape(self.model, shape.role)
        return has_content and not extra and bare is not None and shape.role not in watched_roles(self.model)

    def _short_item(self, shape: MessageShape) -> str:
        bare = bare_text_shape(self.model, shape.role)
        assert bare is not None
        place = Place("part", bare.kind, self.outer.filters, self.outer.imports)
        text = place.value(Hole(("text",), bare.span))
        rows: list[tuple[str, Expression]] = []
        for entry in shape.shape.fields:
            if entry.key == "role" and shape.wire_role == shape.role:
                rows.append((entry.key, name("role")))
            elif isinstance(entry.shape, Constant) and not entry.optional:
                rows.append((entry.key, literal(entry.shape.value)))
            elif isinstance(entry.shape, Hole) and entry.shape.path == ("content",):
                rows.append(
                    (entry.key, listing([value_of(bare.shape, place)]) if entry.shape.listed else text)
                )
        return code(display(rows))
