"""Reading a whole body by the readers of its wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ..build.wire import Wire
from ..errors import BodyError
from ..model.parts import CALLS, Part, ToolResult
from ..model.request import Message
from ..nodes.node import changed
from ..reporting.call_pairs import calls_by_result
from ..wire_json.codec import decode_body
from ..wire_json.copies import copy_body, own_json, text_beyond_bounds
from ..wire_json.kinds import is_list, is_object, json_kind, same
from ..wire_json.places import unwritable
from ..wire_json.values import unwrapped
from .reader import Reader
from .readers import Readers
from .result import Reading


def conversation(body: dict[str, Any], reader: Reader) -> tuple[Message, ...]:
    """Read the messages under all keys as one list; results with a list of their own are inserted after their calls."""
    places = reader.readers.writing.places
    assert places is not None  # noqa: S101  # only such a wire reads so
    messages = reader.messages(places.items(body))
    reader.raw = places.is_raw(body, reader.origin.model)
    if reader.origin.model is None:
        reader.template = places.template_in(body)
    results = body.get(places.results) if places.results else None
    return _insert_results(messages, results, reader) if is_list(results) else messages


def _insert_results(messages: tuple[Message, ...], results: list[Any], reader: Reader) -> tuple[Message, ...]:
    """Insert each result after the first message with an open call of its id; append the others."""
    places: dict[str | None, list[int]] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, CALLS):
                places.setdefault(part.id, []).append(index)
    behind: dict[int, list[Part]] = {}
    last: list[Message] = []
    read = reader.readers.elements["results"]
    for element in results:
        part = read(element, reader)
        if part is None:
            opaque = reader.opaque(element, "messages")
            last.append(Message("user", (opaque,), provenance=reader.origin))
            continue
        open_calls = places.get(part.call_id)
        behind.setdefault(open_calls.pop(0) if open_calls else len(messages), []).append(part)
    found: list[Message] = []
    for index in range(len(messages) + 1):
        found += messages[index : index + 1]
        if index in behind:
            found.append(Message("tool", tuple(behind[index]), provenance=reader.origin))
    return (*found, *last)


def without_repeated(messages: tuple[Message, ...], reader: Reader, option: str) -> tuple[Message, ...]:
    """Remove the arguments of each result whose call has them; a result without its call keeps them as an option."""
    wire = reader.wire.name
    calls = calls_by_result(messages)
    repeated = {
        id(part)
        for message in messages
        for part in message.parts
        if isinstance(part, ToolResult)
        and id(part) in calls
        and same(_own_options(part, wire).get(option), calls[id(part)].arguments)
    }
    return tuple([_without_repeated(message, wire, option, repeated) for message in messages])


def _without_repeated(message: Message, wire: str, option: str, repeated: set[int]) -> Message:
    if repeated.isdisjoint(map(id, message.parts)):
        return message
    parts = tuple([_without_option(part, wire, option, repeated) for part in message.parts])
    return cast("Message", changed(message, parts=parts))


def _own_options(result: ToolResult, wire: str) -> dict[str, Any]:
    return dict((result.vendor or {}).get(wire, {}))


def _without_option(part: Part, wire: str, option: str, repeated: set[int]) -> Part:
    if id(part) not in repeated or not isinstance(part, ToolResult):
        return part
    own = _own_options(part, wire)
    del own[option]
    return cast("Part", changed(part, vendor={wire: own} if own else None))


def read_body(
    readers: Readers, wire: Wire, build: Callable[..., Any], body: Any, url: str | None = None
) -> Reading:
    """Read a body that was sent to `url`: JSON, decoded or not; `build` is that of the wire.

    Raises BodyError when the body is no JSON object that holds its conversation.
    """
    text = body if isinstance(body, (str, bytes, bytearray)) else None
    if text is not None:
        body = decode_body(text, wire.name, "body")
    if not is_object(body):
        raise BodyError(f"{wire.name}: the body is {json_kind(body)}, not an object")
    # later changes of the body change nothing that was read
    copy, trouble = copy_body(body) if text is None else (body, text_beyond_bounds(text, body))
    if trouble is not None:
        raise BodyError(f"{wire.name}: the body cannot be read: {trouble}")
    _check(body, wire, readers.needs)
    model = None
    for key in readers.model:
        if key in body:
            model = body[key]
            break
    reader = Reader(wire, readers, model, url)
    try:
        if copy is None:
            _raise_unwritable(body, wire)
            copy = own_json(body)
        return reader.read(copy, build)
    except BodyError:
        raise
    except Exception:  # values that no JSON text can hold fail anywhere
        _raise_unwritable(body, wire)
        raise


def _check(body: dict[str, Any], wire: Wire, needs: tuple[str, ...]) -> None:
    """Check that a body holds its conversation."""
    flat = body
    if wire.wrapping:
        outer, inner, *_ = wire.wrapping
        if inner in body:
            raise BodyError(
                f'{wire.name}: "{inner}" stands beside "{outer}"; {wire.title} takes it inside: '
                f"is this a request of another API?"
            )
        flat = unwrapped(body, *wire.wrapping)
    for key in needs:
        if type(flat.get(key)) in (list, str):
            return
    if not needs:
        return
    named = " or ".join(f'"{key}"' for key in needs)
    wrong = [f'"{key}" is {json_kind(body[key])}, not a list' for key in needs if key in body]
    problem = wrong[0] if wrong else f"the body has no {named}"
    raise BodyError(f"{wire.name}: {problem}: is this a request of {wire.title}?")


def _raise_unwritable(body: Any, wire: Wire) -> None:
    """Raise BodyError with the first place of a value that is not JSON."""
    found = unwritable(body)
    if found is not None:
        place = ": ".join([piece for piece in found if piece])
        raise BodyError(f"{wire.name}: the body cannot be read: {place}")
