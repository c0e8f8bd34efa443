"""Shared by all repairs: the edits of one repair, and messages with some parts replaced."""

from __future__ import annotations

from functools import wraps

from ..errors import InvalidRequest
from ..model.parts import Text
from ..nodes.records import replace
from ..reporting.node_paths import holds_nodes
from ..typed import TYPE_CHECKING, TypeAlias, cast
from .edits import Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from ..errors import RequestError
    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Repair, RepairContext

    NodeT = TypeVar("NodeT")
    # a part -> the part itself, or the parts in its place
    PartChange: TypeAlias = Callable[[Part], "Part | tuple[Part, ...]"]
    # a message -> the messages in its place
    MessageChange: TypeAlias = Callable[[Message], Iterable[Message]]
    # the request, the edits so far -> the changed request
    RequestChange: TypeAlias = "Callable[[Request, EditLog], Request]"


def history_repair(policy: str = "", off: tuple[str, ...] = ("error",)) -> Callable[[RequestChange], Repair]:
    """Make a repair of a function that changes a request; it is off where its policy, if any, is one of these words."""

    def made(change: RequestChange) -> Repair:
        @wraps(change)
        def repair(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
            log = EditLog(context, policy, request)
            return (request, ()) if log.choice in off else log.result(change(request, log))

        return repair

    return made


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
        self.choice: str = getattr(context.policies, policy) if policy else ""
        self.title = context.wire.title
        self.asked = context.nodes(request)
        self._asked = frozenset([id(node) for node, _ in self.asked])
        self._edits: list[Edit] = []

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
        path = self.context.path(node)
        self._edits.append(Edit(action, path, field, why, self.policy, given, sent))

    def changed(self, node: NodeT, **fields: Any) -> NodeT:
        """Return a node with some fields changed. Its path stays that of the caller's node."""
        if fields.get("role") not in (None, getattr(node, "role", None)):
            fields["kept"] = _without_speaker(node)
        copy: NodeT = replace(cast("Any", node), **fields)
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

    def result(self, changed: Request) -> tuple[Request, tuple[Edit, ...]]:
        """Return the changed request with the edits; the given one if there are none."""
        given = self.request
        if not self._edits:
            return given, ()
        self.context.copied(given, changed)
        if changed.options is not given.options:
            self.context.copied(given.options, changed.options)
        return changed, tuple(self._edits)


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
            log.add("omitted", message, "message", "none of its parts is left")
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
    if kept is None or kept.form is None or "role" not in kept.form.swapped:
        return kept
    swapped = {key: swap for key, swap in kept.form.swapped.items() if key != "role"}
    return replace(kept, form=replace(kept.form, swapped=swapped))
