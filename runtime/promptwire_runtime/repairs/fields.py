"""Repairs of single fields: drop a field or node, set a value, take the nearest value that a rule accepts."""

from __future__ import annotations

import json
from functools import wraps

from ..model.options import NO_OPTIONS, OPTION_NAMES, Options, ReasoningOptions
from ..model.parts import HostedTool, Reasoning, Text
from ..model.request import Message, Request
from ..model.wire_memory import Provenance
from ..nodes.records import fields, replace
from ..reporting.node_paths import holds_nodes, lists_of
from ..reporting.spec_words import spec_word
from ..rules.paths import TEXT_PATHS
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping
from .changes import EditLog, because, history_repair
from .nearest_values import LEFT_OUT, nearest_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..errors import RequestError
    from ..predicates.conditions import FieldPath
    from .edits import Edit, Repair, RepairContext

    # a node, a field of it, its problem -> the new value, or None where there is none
    _Value = Callable[[Any, str, RequestError], Any]

_LISTS = ("instructions", "tools", "messages")
_SINGLE = ("tool_choice", "response_format", "reasoning", "continuation", "cache")
# settings of which a fix may set fields, whatever its rule rejects
_SETTINGS: dict[str, Callable[..., Any]] = {"reasoning": ReasoningOptions}
# without these a node is another one
_IDENTIFYING = frozenset({"messages", "options", "parts", "id", "call_id", "name"})
# longest text that a note shows
_LONGEST_SHOWN = 64
# these say the same without
_INCIDENTAL: dict[Any, tuple[str, ...]] = {Message: ("id", "name"), Reasoning: ("id",)}


def field_repair(change: Callable[[Changes], None]) -> Repair:
    """Make a repair of a function that changes nodes of a request."""

    @wraps(change)
    def repair(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
        changes = Changes(context, "", request)
        change(changes)
        return changes.applied()

    return repair


@field_repair
def drop(changes: Changes) -> None:
    """Drop the fields that the problems are about; a field that its node requires goes with the whole node."""
    for node, error in changes.asked:
        other = error.fix.removeprefix("drop: ") if error.fix.startswith("drop: ") else ""
        if other:
            changes.drop_field(other, because(error))
        else:
            changes.drop(node, error)


@field_repair
def omit(changes: Changes) -> None:
    """Leave out the parts, tools, layers or messages that the problems are about."""
    for node, error in changes.asked:
        if node is not changes.request and not isinstance(node, Options):
            changes.omit(node, because(error))


@field_repair
def nearest(changes: Changes) -> None:
    """Replace values by the nearest ones that the rules accept: a limit, the next level of effort, a mode.

    A negative limit of tokens is left out.
    """
    _replace(
        changes, lambda node, name, error: nearest_value(changes.request, node, name, error, changes.context)
    )


@history_repair()
def merge(request: Request, log: EditLog) -> Request:
    """Join each message that a problem is about with the message of its role before it."""
    why = {id(node): because(error) for node, error in log.asked}
    messages: list[Message] = []
    for message in request.messages:
        before = messages[-1] if messages else None
        if before is None or id(message) not in why or before.role != message.role:
            messages.append(message)
            continue
        messages[-1] = log.changed(before, parts=(*before.parts, *message.parts))
        log.add("merged", message, "message", why[id(message)])
    return replace(request, messages=tuple(messages))


@field_repair
def set_value(changes: Changes) -> None:
    """Set the fields that the problems are about to the documented value that their rule names.

    An object names other settings of the request, each with the fields to set, or has options of the API for the
    message or the call that a problem is about, where `$value` stands for the rejected value; under `request`, they are
    for the request. The value of a rule about the text of the conversation is a sentence for the end of the last
    message of the user.
    """
    for node, error in changes.asked:
        value = _argument(error)
        if is_mapping(value) and "request" in value:
            changes.set_options(changes.request, value["request"]["vendor"], because(error))
        elif is_mapping(value) and "vendor" in value:
            own = {
                name: error.value if given == "$value" else given for name, given in value["vendor"].items()
            }
            changes.set_options(node, own, because(error))
        elif is_mapping(value):
            _set_fields(changes, value, because(error))
        elif error.field in TEXT_PATHS:
            _add_sentence(changes, str(value), because(error))
        else:
            continue
        if node is changes.request:
            return
    _replace(changes, lambda _node, _name, error: None if is_mapping(_argument(error)) else _argument(error))


def _set_fields(changes: Changes, values: Mapping[str, Any], why: str) -> None:
    """Set fields of the request's settings: `{"reasoning": {"mode": "disabled", "effort": null}}`; null drops one."""
    for head, given in values.items():
        node = getattr(changes.request, head)
        if node is None:
            changes.set(changes.request, head, _SETTINGS[head](**given), why)
            continue
        for name, value in given.items():
            if getattr(node, name) != value:
                changes.set(node, name, value, why)


def _add_sentence(changes: Changes, sentence: str, why: str) -> None:
    """Add a sentence to the last message of the user."""
    last = next((each for each in reversed(changes.request.messages) if each.role == "user"), None)
    if last is not None:
        changes.set(last, "parts", (*last.parts, Text(sentence)), why, "text", "added")


@field_repair
def rename_value(changes: Changes) -> None:
    """Replace words by the spelling that the rule names."""
    _replace(changes, lambda node, name, error: _argument(error).get(getattr(node, name)))


def _replace(changes: Changes, value: _Value) -> None:
    for node, error in changes.asked:
        owner, name = changes.field_of(node, error)
        if owner is None:
            continue
        found = value(owner, name, error)
        if found is LEFT_OUT:
            changes.set(owner, name, None, f"{getattr(owner, name)} means no limit: {because(error)}")
        elif found is not None and found != getattr(owner, name):
            changes.set(owner, name, found, f"{because(error)}{_sent_as(found)}")


def _sent_as(value: Any) -> str:
    """Return the words of a note for the value that is sent; nothing for a long one."""
    is_short = isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LONGEST_SHOWN)
    return f"; sent as {value}" if is_short else ""


def _argument(error: RequestError) -> Any:
    """Return the argument of a fix: `1` of `set: 1`."""
    _, _, text = error.fix.partition(": ")
    return json.loads(text) if text else None


class Changes(EditLog):
    """Changes of nodes of one request, collected and applied at once, with an edit for each."""

    def __init__(self, context: RepairContext, policy: str, request: Request) -> None:
        super().__init__(context, policy, request)
        # identity of a node -> its changed fields, or None if it is left out
        self._nodes: dict[int, dict[str, Any] | None] = {}

    def field_of(self, node: Any, error: RequestError) -> tuple[Any, str]:
        """Return the node and the name of the field that an error is about; None where it is no single field."""
        path: FieldPath | None = error.condition.path if error.condition is not None else None
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
        keys: tuple[str, ...] = () if error.condition is None else error.condition.path.keys
        if keys[:1] == ("config",) and len(keys) > 1 and isinstance(node, HostedTool):
            self._drop_setting(node, keys[1], why)
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
        self.add("dropped", tool, f"config.{key}", why)

    def _drop_own(self, node: Any, names: list[str], why: str) -> None:
        """Drop an option or extra JSON of the wire."""
        kind = "extra" if names[0] == "extra" else "vendor"
        wire = self.context.wire.name
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
        wire = self.context.wire.name
        others: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        own = others.get(wire, {})
        action = "added" if own.keys().isdisjoint(options) else "replaced"
        field = ".".join(("vendor", wire, *options))
        self.set(node, "vendor", {**others, wire: {**own, **options}}, why, field, action)

    def omit(self, node: Any, why: str) -> None:
        """Leave a node out."""
        if id(node) not in self._nodes:
            self._nodes[id(node)] = None
            self.add("dropped", node, spec_word(node), why)

    def set(self, node: Any, name: str, value: Any, why: str, field: str = "", action: str = "") -> None:
        """Set a field of a node; None drops it."""
        changed = self._nodes.setdefault(id(node), {})
        if changed is None or name in changed:
            return
        changed[name] = value
        if name == "signature" and value is not None:
            # a documented value is the API's own, whatever wrote the part
            wire = self.context.wire
            changed["provenance"] = Provenance(wire=wire.name, api=wire.api)
        action = action or (
            "dropped" if value is None else "added" if getattr(node, name) is None else "replaced"
        )
        self.add(action, node, field or name, why)

    def applied(self) -> tuple[Request, tuple[Edit, ...]]:
        """Return the changed request, and the edits."""
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
        return self.result(replace(request, **updates))

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
                    self.add("omitted", node, "message", "none of its parts is left")
                    return None
                if kept is not inner:
                    changes[name] = kept
        if not changes:
            return node
        copy = replace(node, **changes)
        return None if not isinstance(node, Options) and _is_bare(copy) else self.made(node, copy)


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
