"""Make the next request of a conversation from the model's answer and the caller's additions."""

from __future__ import annotations

from operator import is_

from ..errors import AnswerError
from ..typed import TYPE_CHECKING
from .records import fields, is_node, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol, Self

    class Answered(Protocol):
        """The part of an answer that the next request needs."""

        @property
        def continuation(self) -> Any:
            """The continuation; None where the server keeps nothing."""
            ...

        @property
        def message(self) -> Any:
            """The message of the model."""
            ...

        @property
        def calls(self) -> Sequence[Any]:
            """The tool calls that wait for a result."""
            ...

    class BuiltRequest(Protocol):
        """The part of a build that the next request needs."""

        @property
        def account(self) -> dict[str, Any]:
            """The settings that identify the conversation on the server."""
            ...


HELD = ("instructions", "tools")
"""The fields of the previous request that a continuation remembers, besides its messages."""


def digest_of(value: Any) -> str | None:
    """Return the SHA-256 of nodes and their JSON, independent of key order; None if they are not JSON."""
    import hashlib
    import json

    try:
        text = json.dumps(value, sort_keys=True, default=_fields, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return None


def _fields(node: object) -> dict[str, Any]:
    """Return a node's class and its set fields, without form memory."""
    if not is_node(node):
        raise TypeError(type(node).__name__)
    rows = {
        field.name: getattr(node, field.name)
        for field in fields(node)
        if field.compare and field.name != "kept"
    }
    return {"": type(node).__name__} | {name: value for name, value in rows.items() if value is not None}


class NextRequestMixin:
    """The methods that make the next request of a conversation from this one."""

    __slots__ = ()

    def after(self, answer: Answered, *more: Any, built: BuiltRequest | None = None) -> Self:
        """Return the next request: this one, the answer's message, then further messages.

        The message stays as it is, but arguments of a call that were cut off become `{}`, because APIs parse them, and
        what reading assumed (a role, a type or an id that the host left out) is written. Blank text is left to the
        build, since some APIs answer with it and reject it; a message that holds nothing at all is left out.

        A request with a continuation, if only `Continuation()`, goes on by what the server holds, wherever one holds
        anything: nothing is sent twice. All messages stay in the request; where the server of a later build does not
        know them, they are sent again.

        Args:
            answer: what `read_answer` or a stream gave for this request.
            *more: messages: results of the tools (`tool_result(call, ...)`), or what the user says next.
            built: what was built of this request: with it the continuation holds for the same host and account only.

        Raises:
            AnswerError: a tool call of the answer has no result among them.
        """
        _check_types(answer, more)
        request: Any = self
        _check_calls(answer.calls, more)
        said = tuple(
            [message for message in map(_resendable, _messages_of(answer)) if _says_anything(message)]
        )
        changes: dict[str, Any] = {"messages": (*request.messages, *said, *more)}
        if request.continuation is not None:
            start = len(request.messages) + len(said)
            changes["continuation"] = _going_on(request, answer.continuation, start, built)
        following: Self = replace(request, **changes)
        return following

    def with_media(self, fetch: Callable[[str], bytes | tuple[bytes, str]]) -> Self:
        """Return this request with the files of http and https URLs as data, for APIs that fetch none.

        Args:
            fetch: returns the bytes of a URL, or the bytes and their media type. It is called once for each URL.
        """
        from .fetched_media import with_fetched_media

        changed: Self = with_fetched_media(self, fetch)
        return changed


def _messages_of(answer: Any) -> tuple[Any, ...]:
    """Return the messages of an answer; several where its API gave several that are unchanged."""
    message = answer.message
    turns: tuple[Any, ...] = next((candidate.turns for candidate in getattr(answer, "candidates", ())), ())
    if turns and message is not None:
        parts = [part for turn in turns for part in turn.parts]
        if len(parts) == len(message.parts) and all(map(is_, parts, message.parts)):
            return turns
    return () if message is None else (message,)


def _resendable(message: Any) -> Any:
    """Return a message that can be sent back.

    Arguments of calls that were cut off become an object with their text, since APIs parse them. Audio that the API
    holds under an id is sent by the id alone. Known values that the host left out or spelled otherwise are written as
    the API takes them.
    """
    from ..wire_json.kinds import class_of, is_object

    def is_held(part: Any) -> bool:
        return getattr(part, "KIND", None) == "audio" and part.id is not None and part.kept is not None

    def is_cut(part: Any) -> bool:
        arguments = getattr(part, "arguments", None)
        # the property itself raises for arguments that are cut
        if not isinstance(arguments, str) or not hasattr(class_of(part), "parsed_arguments"):
            return False
        from json import loads

        try:
            return not is_object(loads(arguments))
        except (ValueError, RecursionError):
            return True

    def changed(part: Any) -> Any:
        if is_held(part):
            return replace(part, vendor=None, kept=None)
        if not is_cut(part):
            return part
        from json import dumps

        # as the repair of arguments writes them, so that the model sees what it said
        text = dumps({"arguments": part.arguments}) if part.arguments.strip() else "{}"
        return replace(part, arguments=text, kept=None)

    parts = tuple(map(changed, message.parts))
    if not all(map(is_, parts, message.parts)):
        return _without_blank_origin(replace(message, parts=parts, kept=None))
    return _without_blank_origin(_without_form(message) if parts else message)


def _says_anything(message: Any) -> bool:
    """Return whether a message holds a part, or a value of its API that is not empty."""
    if message.parts:
        return True
    form = None if message.kept is None else message.kept.form
    own: list[Any] = [*(message.vendor or {}).values(), *(message.extra or {}).values()]
    if form is not None:
        own.append(form.added)
    return any(any(values.values()) for values in own)


def _without_blank_origin(message: Any) -> Any:
    """Return a message whose blank text has no provenance.

    A build keeps the blank text of its own API, since a request that was accepted may have it. An answer has it too,
    but the same API may reject it in the next request.
    """
    origin = message.provenance
    if origin is None:
        return message
    from .plain import is_blank

    def says_nothing(part: Any) -> bool:
        if getattr(part, "KIND", None) != "text" or not is_blank(part.text):
            return False
        return part.signature is None and part.citations is None

    silent = [says_nothing(part) for part in message.parts]
    if not any(silent):
        return message
    unknown = type(origin)()
    parts = [
        replace(part, provenance=unknown) if blank else part
        for part, blank in zip(message.parts, silent, strict=True)
    ]
    return replace(message, parts=parts, provenance=unknown if all(silent) else origin)


def _without_form(node: Any) -> Any:
    """Return a message or part without the memory of what its JSON lacked or had otherwise.

    Unknown keys stay, and so do other names of known ones.
    """
    changes: dict[str, Any] = {}
    parts = getattr(node, "parts", ())
    spelled = tuple(map(_without_form, parts))
    if not all(map(is_, parts, spelled)):
        changes["parts"] = spelled
    kept = node.kept
    if kept is not None and kept.form is not None:
        form = _spelled_form(kept.form)
        if form is not kept.form:
            changes["kept"] = replace(kept, form=form)
    return replace(node, **changes) if changes else node


def _spelled_form(form: Any) -> Any:
    inside = {
        key: _spelled_form(below)
        if hasattr(below, "swapped")
        else {index: _spelled_form(element) for index, element in below.items()}
        for key, below in form.inside.items()
    }
    swapped = tuple([swap for swap in form.swapped if not _only_stood_for(swap)])
    if inside == form.inside and len(swapped) == len(form.swapped):
        return form
    return replace(form, swapped=swapped, inside=inside)


def _only_stood_for(swap: Any) -> bool:
    """Return whether keys of a fresh build were not there, or only stood for the same values."""
    if not swap.read:
        return True
    fresh = swap.fresh
    return all(key in fresh and _is_same(fresh[key], value) for key, value in swap.read.items())


def _is_same(fresh: Any, read: Any) -> bool:
    """Return whether a value only stood for another: nothing, a word, JSON instead of its text, one part for a list."""
    from ..wire_json.kinds import is_object

    part: Any = read if is_object(read) else {}
    if part and (isinstance(fresh, list) or part.get("text") == fresh):
        return True
    if not read or isinstance(fresh, str) == isinstance(read, str):
        return not read or isinstance(fresh, str)
    from json import loads

    text: Any = fresh if isinstance(fresh, str) else read
    value = read if isinstance(fresh, str) else fresh
    try:
        same: bool = loads(text) == value
    except (ValueError, RecursionError):
        return False
    return same


def _going_on(request: Any, token: Any, start: int, built: BuiltRequest | None) -> Any:
    """Return the continuation of the next request; an empty one, which starts storing, if the server may have nothing.

    What was sent to another API than before was not meant to be held there.
    """
    known = request.continuation
    if known.conversation is not None and (token is None or token.conversation is None):
        # a conversation goes on by its own id
        changes = {"conversation": known.conversation, "id": None}
        token = replace(known if token is None else token, **changes)
    moved = token is not None and known.wire not in (None, token.wire)
    if token is None or moved or request.options.store is False:
        return type(known)()
    held = {name: digest_of(value) for name in HELD if (value := getattr(request, name))}
    account = known.account if built is None else built.account
    known_digests = None if None in held.values() else held
    return replace(token, start=start, model=request.model, account=account, held=known_digests)


def _check_types(answer: Answered, more: Sequence[Any]) -> None:
    if not hasattr(answer, "calls"):
        raise AnswerError(f"a request goes on after an answer, not after {type(answer).__name__}")
    for message in more:
        if not hasattr(message, "parts"):
            kind = type(message).__name__
            raise AnswerError(f"after an answer come messages, such as tool_result(call, ...), not {kind}")


def _check_calls(calls: Sequence[Any], more: Sequence[Any]) -> None:
    """Refuse to go on while calls are open. Calls without ids are answered in their order."""
    results = [part for message in more for part in message.parts if hasattr(part, "call_id")]
    answered = {result.call_id for result in results}
    unnamed = [result for result in results if result.call_id is None]
    for call in calls:
        if call.id in answered and call.id is not None:
            continue
        if call.id is None and unnamed:
            unnamed.pop()
            continue
        shown = call.name if call.id is None else f"{call.name} ({call.id})"
        raise AnswerError(f"the answer calls {shown}, and no result is given: add tool_result(call, ...)")
