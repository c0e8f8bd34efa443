"""The function that writes all messages: those of usual forms at once, any other by the function of its role."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..model.neutral import MESSAGE
from ..model.wire import WireModel
from .forms import FormEmitter
from .function import Function
from .pairing import all_ended, listed, opened, turn_ended
from .part_placing import holds_payload
from .places import Place
from .python import Statement, call, code, literal, name
from .python.conditions import equals
from .text_shapes import bare_text_shape, text_type
from .watching import neighbours_watched

# the frequent ones first
_ROLES = ("user", "assistant", "tool", "system", "developer")
_BEFORE = ("earlier = before", "former = previous")
_SPOKEN = ("before = now", "previous = message")
_OPENED: list[Statement] = [
    'before = ""',
    "previous: Message | None = None",
    "joined: list[Any] | None = None",
    "merged = False",
]
# what is not written is no neighbour of what comes next
_AS_BEFORE = "before, previous = earlier, former"


class LoopEmitter:
    """Emits `write_messages`; `roles` are those that have a function."""

    def __init__(
        self,
        model: WireModel,
        outer: Place,
        roles: Sequence[str],
        forms: FormEmitter,
        calling: Collection[str],
    ) -> None:
        """`outer` carries filters and imports; the functions of the roles in `calling` take the open calls."""
        self.forms = forms
        self.calling = calling
        self.model = model
        self.outer = outer
        self.roles = [role for role in _ROLES if role in roles]
        self.merges = model.merges

    def function(self) -> Function:
        """The loop over all messages; where the wire asks for turns, neighbours of one role share a list."""
        header = (
            "def write_messages(messages: tuple[Message, ...], build: BuildContext, out: list[Any]) -> None:"
        )
        watched = neighbours_watched(self.model)
        short = self._forms(_SPOKEN if self.merges else ())
        ways = [self._turn(), *self._repeated(short)] if self.merges else [*turn_ended(self.model), *short]
        loop: list[Statement] = ["role = message.role", *watched]
        loop += ["form = message.form", "parts: tuple[Any, ...] = message.parts"] if short else []
        loop += [*ways, *self._own_payloads(), *listed(self.model), *self._by_role()]
        source = "messages"
        if self._merges("merge_speakers"):
            self.outer.imports.use("promptwire_runtime.passes", "results_apart")
            source = "results_apart(messages, build)"
        body: list[Statement] = ['beside = ""'] if watched else []
        body += [*opened(self.model), *(_OPENED if self.merges else [])]
        body += [(f"for message in {source}:", loop), *all_ended(self.model)]
        if self.merges:
            why = code(literal("consecutive messages of one role are one message on this wire"))
            body.append(("if merged:", [f'build.note("merged", build.request, "messages", {why})']))
        return Function(header, "Write all messages into `out`.", body)

    def _by_role(self) -> list[Statement]:
        """Write a message part by part, by the function of its role."""
        loop: list[Statement] = []
        word = "if"
        joined = ", joined" if self.merges else ""
        for role in self.roles:
            given = f"{joined}{', open_calls' if role in self.calling else ''}"
            test = code(equals(name("role"), literal(role)))
            loop.append((f"{word} {test}:", [f"write_message_{role}(message, build, out{given})"]))
            word = "elif"
        report = call(
            "build.lost", name("message"), literal("role"), literal("this wire has no message of this role")
        )
        loop.append(("else:", [code(report), *([_AS_BEFORE] if self.merges else [])]))
        if self.merges:
            loop.append(("if build.left_out is message:", [_AS_BEFORE]))
            loop.append(("elif joined is not None:", ["merged = True"]))
            # nothing joins an element that stands as it came
            loop.append(("if build.last_apart is not None:", ["joined = None"]))
        return loop

    def _merges(self, name: str) -> bool:
        return any(each.name == name for each in self.model.passes)

    def _own_payloads(self) -> list[Statement]:
        """Take what another API signed or encrypted out of its messages, where this one has a place for such."""
        files = any(hole.path == ("file_id",) for row in self.model.parts for hole in row.shape.holes)
        if not (files or holds_payload(self.model.parts)):
            return []
        test = "if message.provenance is not None and message.provenance.api != WIRE.api:"
        skip: list[Statement] = [_AS_BEFORE, "continue"] if self.merges else ["continue"]
        return [(test, ["message = build.without_foreign(message)", ("if build.left_out is message:", skip)])]

    def _turn(self) -> str:
        """`now`: who speaks: the wire's own role, or the neutral one where results stay apart from words."""
        now = "role"
        if not self._merges("merge_neighbours"):
            return "now = role"
        for role, shape in self.model.messages.items():
            if shape.wire_role != role:
                now = f"{code(literal(shape.wire_role))} if role == {code(literal(role))} else {now}"
        return f"now = {now}"

    def _repeated(self, short: Sequence[Statement]) -> list[Statement]:
        """Find out whether this message goes into the one before it; else `short` are its short ways."""
        self.outer.imports.use("promptwire_runtime.passes", "may_join", "may_merge", "open_last")
        bare = bare_text_shape(self.model, "user")
        text = code(literal(text_type(bare) if bare is not None else "text"))
        test = (
            f"if now == before and (message.plain or {self._may_join()}) "
            "and (message.provenance is None or may_merge(previous, message, build)) "
            'and build.policies.neighbours == "merge":'
        )
        key = f", {code(literal(self._content_key()))}" if self._content_key() != "content" else ""
        opened: Statement = ("if joined is None:", [f"joined = open_last(out, build, {text}{key})"])
        return [
            (test, ["earlier, former = before, previous", opened, *self.forms.joined_result()]),
            ("else:", ["joined = None", *turn_ended(self.model), *short, *_BEFORE, *_SPOKEN]),
        ]

    def _forms(self, turn: Sequence[str]) -> list[Statement]:
        """The short ways of messages of the usual forms; `turn` are the lines that remember who spoke."""
        forms = self.forms
        return [*forms.text(turn), *forms.result(turn), *forms.calls(turn), *forms.shown(turn)]

    def _may_join(self) -> str:
        """What must hold for a message that is more than role and parts: nothing of it has a place here."""
        shapes = [shape.shape for shape in self.model.messages.values()]
        written = {hole.path[0] for shape in shapes for hole in shape.holes if not hole.read_only}
        carried = sorted(written & MESSAGE.fields.keys())
        return " and ".join(["may_join(message, build)", *(f"message.{field} is None" for field in carried)])

    def _content_key(self) -> str:
        """The key of a message under which its parts stand."""
        keys = [
            entry.key
            for shape in self.model.messages.values()
            for slot, entry in shape.slots
            if slot == "content"
        ]
        return keys[0] if keys else "content"
