"""Shared by all repairs: the edits of one repair, and messages with some parts replaced."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..model.options import NO_OPTIONS, OPTION_NAMES, Options
from ..model.parts import HostedTool, Reasoning, Text
from ..model.request import Message
from ..model.wire_memory import Provenance
from ..nodes.records import construct, fields, replace
from ..reporting.node_paths import holds_nodes, lists_of
from ..reporting.notes import Note
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    from ..errors import RequestError
    from ..model.parts import Part
    from ..model.request import Request
    from ..predicates.conditions import FieldPath
    from .edits import RepairContext

    NodeT = TypeVar("NodeT")
    # a part -> the part itself, or the parts in its place
    PartChange: TypeAlias = Callable[[Part], "Part | tuple[Part, ...]"]
    # a message -> the messages in its place
    MessageChange: TypeAlias = Callable[[Message], Iterable[Message]]


_LISTS = ("instructions", "tools", "messages")
_SINGLE = ("tool_choice", "response_format", "reasoning", "continuation", "cache")
# without these a node is another one
_IDENTIFYING = frozenset({"model", "messages", "options", "parts", "id", "call_id", "name", "media_type"})
# these say the same without
_INCIDENTAL: dict[Any, tuple[str, ...]] = {Message: ("id", "name"), Reasoning: ("id",)}


class EditLog:
    """The edits of one repair, which it collects while it makes a new request.

    Attributes:
        request: The request that it is given.
        asked: The nodes that the problems are about, each with its problem.
        choice: The word of the policy that decides about the repair.
        title: The title of the API.
    """

    def __init__(self, context: RepairContext, policy: str, request: Request) -> None:
        self.context = context
        self.request = request
        self.policy = policy
        self.choice: str = context.policies.choice(policy) if policy else ""
        self.title = context.wire.title
        self.asked = context.nodes(request)
        self._asked = frozenset([id(node) for node, _ in self.asked])
        self._edits: list[Note] = []

    def asks_for(self, node: object) -> bool:
        """Return whether a problem is about a node."""
        return id(node) in self._asked

    def add(
        self,
        action: str,
        node: object,
        field: str,
        why: str,
        *,
        given: str | None = None,
        sent: str | None = None,
    ) -> None:
        """Add an edit of a node of the request."""
        made = {"action": action, "path": self.context.path(node), "field": field, "why": why}
        self._edits.append(construct(Note, **made, policy=self.policy, given=given, sent=sent))

    def changed(self, node: NodeT, **given: Any) -> NodeT:
        """Return a node with some fields changed. Its path stays that of the caller's node."""
        if given.get("role") not in (None, getattr(node, "role", None)):
            given["kept"] = _without_speaker(node)
        copy: NodeT = replace(cast("Any", node), **given)
        self.context.copied(node, copy)
        return copy

    def made(self, origin: object, node: NodeT) -> NodeT:
        """Return a new node, whose path is that of the node that it was made for."""
        self.context.copied(origin, node)
        return node

    def texts(self, origin: object, made: list[str | Part]) -> tuple[Part, ...]:
        """Return parts that stand instead of a part: texts as `Text`."""
        parts = tuple([Text(each) if isinstance(each, str) else each for each in made])
        for part, each in zip(parts, made, strict=True):
            if part is not each:
                self.context.copied(origin, part)
        return parts

    def result(self, changed: Request) -> tuple[Request, tuple[Note, ...]]:
        """Return the changed request with the edits; the given one if there are none."""
        given = self.request
        if not self._edits:
            return given, ()
        self.context.copied(given, changed)
        if changed.options is not given.options:
            self.context.copied(given.options, changed.options)
        return changed, tuple(self._edits)


class Changes:
    """Changes of nodes of one request, collected and applied at once, with an edit for each."""

    def __init__(self, log: EditLog) -> None:
        self.log = log
        self.request = log.request
        # identity of a node -> its changed fields, or None if it is left out
        self._nodes: dict[int, dict[str, Any] | None] = {}

    def field_of(self, node: Any, error: RequestError) -> tuple[Any, str]:
        """Return the node and the name of the field that an error is about; None where it is no single field."""
        path: FieldPath | None = error.problem.condition.path if error.problem.condition is not None else None
        names = error.field.split(".") if path is None else [path.head, *path.keys, *path.either[:1]]
        head, last = names[0], names[-1]
        request = self.request
        if head in OPTION_NAMES:
            return request.options, head
        if node is request or isinstance(node, Options):
            if head in _SINGLE and len(names) > 1 and getattr(request, head) is not None:
                node = getattr(request, head)
                return (node, names[1]) if _has(node, names[1]) else (request, head)
            return (node, head) if _has(node, head) else (None, "")
        if head == "cache" or names[1:2] == ["cache"]:
            return (node, "cache") if _has(node, "cache") else (None, "")
        return (node, last) if _has(node, last) else (None, "")

    def drop(self, node: Any, error: RequestError) -> None:
        """Drop the field that an error is about, or else its node."""
        names, why = error.field.split("."), because(error)
        if names[0] in ("vendor", "extra") or "vendor" in names:
            self._drop_own(node, names, why)
            return
        keys: tuple[str, ...] = () if error.problem.condition is None else error.problem.condition.path.keys
        if keys[:1] == ("config",) and isinstance(node, HostedTool):
            key = error.value if keys[1:2] == ("keys",) else "".join(keys[1:2])
            # a tool without a setting that it needs goes as a whole
            if key in (node.config or {}):
                self._drop_setting(node, key, why)
                return
        owner, name = self.field_of(node, error)
        if owner is not None and _is_optional(owner, name):
            value = getattr(owner, name)
            if holds_nodes(value) and error.value in value:
                rest = tuple([each for each in value if each != error.value])
                self.set(owner, name, rest or None, why, action="dropped")
            elif value is not None:
                self.set(owner, name, None, why)
        else:
            whole = node if owner is None else owner
            if whole is not self.request and not isinstance(whole, Options):
                self.omit(whole, why)

    def drop_field(self, path: str, why: str) -> None:
        """Drop a field of the request: `reasoning`, `reasoning.budget`, `top_p`."""
        head, _, inner = path.partition(".")
        owner = self.request.options if head in OPTION_NAMES else self.request
        if inner:
            owner, head = getattr(owner, head), inner
        if owner is not None and getattr(owner, head) is not None:
            self.set(owner, head, None, why)

    def _drop_setting(self, tool: HostedTool, key: str, why: str) -> None:
        """Drop one setting of a hosted tool."""
        changed = self._nodes.setdefault(id(tool), {})
        if changed is None:
            return
        changed.setdefault("config", dict(tool.config or {})).pop(key, None)
        self.log.add("dropped", tool, f"config.{key}", why)

    def _drop_own(self, node: Any, names: list[str], why: str) -> None:
        """Drop an option or extra JSON of the wire."""
        kind = "extra" if names[0] == "extra" else "vendor"
        wire = self.log.context.wire.name
        own: dict[str, dict[str, Any]] = getattr(node, kind, None) or {}
        rest = [name for name in names[names.index(kind) + 1 :] if name != wire]
        key = rest[0] if rest else ""
        if wire not in own:
            return
        left: dict[str, Any] = {}
        if kind == "vendor":
            left = {name: value for name, value in own[wire].items() if name != key}
        if left != own[wire]:
            field = ".".join(piece for piece in (kind, wire, key) if piece)
            # what is for other wires stays, and has a note of its own
            others = {name: options for name, options in own.items() if name != wire}
            remaining = {**others, wire: left} if left else others
            self.set(node, kind, remaining or None, why, field, "dropped")

    def set_options(self, node: Any, options: Mapping[str, Any], why: str) -> None:
        """Set options of the wire on a node."""
        wire = self.log.context.wire.name
        others: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        own = others.get(wire, {})
        action = "added" if own.keys().isdisjoint(options) else "replaced"
        field = ".".join(("vendor", wire, *options))
        self.set(node, "vendor", {**others, wire: {**own, **options}}, why, field, action)

    def omit(self, node: Any, why: str) -> None:
        """Leave a node out."""
        if id(node) not in self._nodes:
            self._nodes[id(node)] = None
            self.log.add("dropped", node, spec_word(node), why)

    def set(self, node: Any, name: str, value: Any, why: str, field: str = "", action: str = "") -> None:
        """Set a field of a node; None drops it."""
        changed = self._nodes.setdefault(id(node), {})
        if changed is None or name in changed:
            return
        changed[name] = value
        if name == "signature" and value is not None:
            # a documented value is the API's own, whatever wrote the part
            wire = self.log.context.wire
            changed["provenance"] = Provenance(wire=wire.name, api=wire.api)
        action = action or (
            "dropped" if value is None else "added" if getattr(node, name) is None else "replaced"
        )
        self.log.add(action, node, field or name, why)

    def applied(self) -> Request:
        """Return the changed request."""
        request = self.request
        updates: dict[str, Any] = dict(self._nodes.get(id(request)) or {})
        single = {id(request), *[id(getattr(request, name)) for name in (*_SINGLE, "options")]}
        for name in _LISTS if self._nodes.keys() - single else ():
            nodes = getattr(request, name)
            if name not in updates and holds_nodes(nodes):
                kept = self._listed(nodes)
                if kept is not nodes:
                    updates[name] = kept if kept or name == "messages" else None
        if id(request.options) in self._nodes:
            updates["options"] = self._changed(request.options) or NO_OPTIONS
        for name in _SINGLE:
            node = getattr(request, name)
            if name not in updates and id(node) in self._nodes:
                updates[name] = self._changed(node)
        return replace(request, **updates)

    def _listed(self, nodes: tuple[Any, ...]) -> tuple[Any, ...]:
        changed = [self._changed(node) for node in nodes]
        if all(new is old for new, old in zip(changed, nodes, strict=True)):
            return nodes
        return tuple([node for node in changed if node is not None])

    def _changed(self, node: Any) -> Any:
        """Return a node with its changes; None if it, or all that it contained, is left out."""
        changes: dict[str, Any] | None = self._nodes.get(id(node), {})
        if changes is None:
            return None
        changes = dict(changes)
        for name in lists_of(node.__class__):
            inner = getattr(node, name)
            if holds_nodes(inner) and inner:
                kept = self._listed(inner)
                if not kept and spec_word(node) == "message":
                    self.log.add("dropped", node, "message", "none of its parts is left")
                    return None
                if kept is not inner:
                    changes[name] = kept
        if not changes:
            return node
        copy = replace(node, **changes)
        return None if not isinstance(node, Options) and _is_bare(copy) else self.log.made(node, copy)


def _is_bare(node: Any) -> bool:
    """Return whether reasoning options or a tool choice have no field left."""
    return spec_word(node) in ("reasoning_options", "tool_choice") and all(
        getattr(node, field.name) is None for field in fields(node)
    )


def _has(node: Any, name: str) -> bool:
    return any(field.name == name for field in fields(node))


def _is_optional(node: Any, name: str) -> bool:
    """Return whether a field may be None."""
    try:
        replace(node, **{name: None})
    except Exception:  # noqa: BLE001  # constructors refuse None in several ways
        return False
    return name not in _IDENTIFYING or name in _INCIDENTAL.get(type(node), ())


def first_sent(request: Request, context: RepairContext) -> int:
    """Return the index of the first message that is sent; earlier ones are on the server."""
    known = request.continuation
    return min(known.start, len(request.messages)) if known is not None and continues(request, context) else 0


def continues(request: Request, context: RepairContext) -> bool:
    """Return whether the server of a wire has the earlier messages of a request."""
    known = request.continuation
    if known is None or known.expired or context.wire.state is None:
        return False
    names_something = known.id is not None or known.conversation is not None
    return names_something and known.wire in (None, context.wire.name)


def with_changed_parts(request: Request, log: EditLog, change: PartChange) -> Request:
    """Return the request with the parts of its messages changed, also the parts inside parts.

    A message that is left without parts is omitted, with an edit.
    """
    start = first_sent(request, log.context)
    messages: list[Message] = [*request.messages[:start]]
    for place, message in enumerate(request.messages[start:], start):
        try:
            parts = _changed_parts(message.parts, log, change)
        except InvalidRequest as error:
            # a value that is no JSON and would become text
            wire = log.context.wire.name
            raise InvalidRequest(
                str(error), wire=wire, path=f"messages[{place}]", value=error.value
            ) from None
        if parts is message.parts:
            messages.append(message)
        elif parts:
            messages.append(log.changed(message, parts=parts))
        else:
            log.add("dropped", message, "message", "none of its parts is left")
    if len(messages) == len(request.messages) and all(map(_is, messages, request.messages)):
        return request
    return replace(request, messages=tuple(messages))


def _changed_parts(parts: tuple[Part, ...], log: EditLog, change: PartChange) -> tuple[Part, ...]:
    taken: list[Part] = []
    for part in parts:
        inside: Any = getattr(part, "parts", None)
        whole = part
        if holds_nodes(inside):
            below = _changed_parts(inside, log, change)
            if below is not inside:
                whole = log.changed(part, parts=below)
        result = change(whole)
        taken += result if isinstance(result, tuple) else (result,)
    return parts if len(taken) == len(parts) and all(map(_is, taken, parts)) else tuple(taken)


def _is(one: object, other: object) -> bool:
    return one is other


def with_changed_messages(request: Request, change: MessageChange) -> Request:
    """Return the request with messages in the place of each."""
    return replace(
        request, messages=tuple([made for message in request.messages for made in change(message)])
    )


def because(error: RequestError) -> str:
    """Return the reason of a problem for a note, which names the field itself."""
    return error.reason.removeprefix(f"{error.field}: ") + (f" ({error.source})" if error.source else "")


def end_of_turn(messages: list[Message], index: int, results: tuple[type, ...]) -> int:
    """Return the index after the messages that hold nothing but results, from the one at `index` on."""
    while index < len(messages) and _holds_only(messages[index], results):
        index += 1
    return index


def _holds_only(message: Message, kinds: tuple[type, ...]) -> bool:
    return bool(message.parts) and all(isinstance(part, kinds) for part in message.parts)


def _without_speaker(message: Any) -> Any:
    """Return the memory of a message for another role: the word for its speaker (Gemini's `function`) is not kept."""
    kept = message.kept
    if kept is None or kept.form is None:
        return kept
    swapped = tuple(
        [swap for swap in kept.form.swapped if not ("role" in swap.fresh and "role" in swap.read)]
    )
    return replace(kept, form=replace(kept.form, swapped=swapped))
