"""State of the server behind that its API wants back, carried by clients of other APIs in the ids of calls.

Models that think want their signatures and encrypted thinking back with the results of the functions they called. Other
APIs have no field for them, and their clients return one text untouched: the id of a call. An id that carries state is
`<id>-pws1-<owner>-<state>`, in letters that every API allows in ids. Only the server that gave the state gets it back;
for any other, the id is what it was.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any
from uuid import uuid4

from promptwire_runtime import Answer, Event, Message, PromptwireError, Request, dump_request, load_request
from promptwire_runtime.model.parts import Part, Reasoning, ToolCall, ToolResult
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.passes.foreign import holds_payload

from .configuration import Upstream

_MARK = "-pws1-"
_CARRIED = re.compile(r"([0-9a-f]{8})-([\w-]+)", re.ASCII)
# beyond it, an id would be most of a request
_MOST_BYTES = 256 * 1024


def owner_of(upstream: Upstream) -> str:
    """Return the mark of a server: of its API and its address, since a key of one is worth nothing at another."""
    wire, address = upstream.back.WIRE, upstream.settings.get("base_url")
    return sha256(f"{wire.api}\n{upstream.name}\n{address}".encode()).hexdigest()[:8]


# ---- answers: state goes into ids


class StateKeeper:
    """Puts the state of one answer, whole or streamed, into the ids of its calls."""

    def __init__(self, upstream: Upstream) -> None:
        """Start without state."""
        self._owner = owner_of(upstream)
        # of each candidate: thinking since the last call
        self._thinking: dict[int, list[Part]] = {}
        self._ids: dict[tuple[int, ...], str] = {}

    def answer(self, answer: Answer) -> Answer:
        """Return an answer whose calls carry the state before them and their own."""
        candidates = [
            candidate
            if candidate.message is None
            else replace(candidate, message=self._message(candidate.message))
            for candidate in answer.candidates
        ]
        return replace(answer, candidates=tuple(candidates))

    def _message(self, message: Message) -> Message:
        parts: list[Part] = []
        start = 0
        for part in message.parts:
            if not isinstance(part, ToolCall):
                parts.append(part)
                continue
            thinking = [before for before in parts[start:] if isinstance(before, Reasoning)]
            carried = self._carrier(part, thinking, message)
            if carried is not None:
                # the id has it: what the client's API cannot take is not lost
                parts[start:] = [shown for before in parts[start:] for shown in _without_payload(before)]
            parts.append(part if carried is None else replace(part, id=carried, signature=None, item_id=None))
            start = len(parts)
        return replace(message, parts=tuple(parts))

    def _carrier(self, call: ToolCall, thinking: Sequence[Part], message: Message) -> str | None:
        """Return the id of a call with its state; None where there is none."""
        if not any(map(holds_payload, (*thinking, call))):
            return None
        # name and arguments come back as they are
        bare = replace(call, arguments={}, kept=None, extra=None)
        state = dump_request(Request(messages=[replace(message, parts=(*thinking, bare), kept=None)]))
        packed = zlib.compress(json.dumps(state["messages"][0], separators=(",", ":")).encode(), 9)
        if len(packed) > _MOST_BYTES:
            return None
        known = call.id or f"call_{uuid4().hex[:24]}"
        return f"{known}{_MARK}{self._owner}-{urlsafe_b64encode(packed).decode().rstrip('=')}"

    def events(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events of a stream, whose calls carry the state before them and their own."""
        for event in events:
            if event.kind == "call":
                yield self._called(event)
            elif event.kind == "part" and isinstance(event.data, Message):
                yield self._told(event, event.data)
            else:
                yield event

    def _called(self, event: Event) -> Event:
        message = event.data if isinstance(event.data, Message) else None
        call = next((part for part in message.parts if isinstance(part, ToolCall)), None) if message else None
        thinking = self._thinking.pop(event.candidate, [])
        owner = message or (Message("assistant", [], provenance=thinking[0].provenance) if thinking else None)
        if owner is None:
            return event
        call = call or ToolCall(event.id, event.name or "", {})
        carried = self._carrier(call, thinking, owner)
        if carried is None:
            return event
        self._ids[event.candidate, *event.place] = carried
        named = replace(event, id=carried)
        return named if message is None else replace(named, data=self._renamed(message, carried))

    def _told(self, event: Event, message: Message) -> Event:
        """Keep thinking for the next call, and give a call that is told whole the id of its first event."""
        for part in message.parts:
            if isinstance(part, Reasoning):
                whose = part if part.provenance else replace(part, provenance=message.provenance)
                self._thinking.setdefault(event.candidate, []).append(whose)
        carried = self._ids.get((event.candidate, *event.place))
        return event if carried is None else replace(event, data=self._renamed(message, carried))

    def _renamed(self, message: Message, carried: str) -> Message:
        parts = [
            replace(part, id=carried, signature=None, item_id=None) if isinstance(part, ToolCall) else part
            for part in message.parts
        ]
        return replace(message, parts=tuple(parts))


def _without_payload(part: Part) -> Iterator[Part]:
    if isinstance(part, Reasoning) and holds_payload(part):
        part = replace(part, signature=None, encrypted=None, redacted=None, id=None, kept=None)
        if not (part.text or part.summary or part.texts):
            return
    yield part


# ---- requests: ids become what they were


def open_state(request: Request, upstream: Upstream) -> Request:
    """Return a request with the ids that the server behind gave, and with its state where it is the owner."""
    owner = owner_of(upstream)
    messages = [_opened(message, owner) for message in request.messages]
    return request if messages == list(request.messages) else replace(request, messages=tuple(messages))


def _split(carrier: str | None) -> tuple[str, str, str] | None:
    """Return the id, the owner and the state in an id; None for one without state."""
    # one look at the last mark: a pattern over all of them takes hours for one of marks alone
    known, mark, rest = (carrier or "").rpartition(_MARK)
    found = _CARRIED.fullmatch(rest) if mark else None
    return None if found is None else (known, found[1], found[2])


def _opened(message: Message, owner: str) -> Message:
    parts: list[Part] = []
    start = 0
    for part in message.parts:
        if isinstance(part, ToolResult) and (found := _split(part.call_id)):
            parts.append(replace(part, call_id=found[0], kept=None))
        elif isinstance(part, ToolCall):
            found = _split(part.id)
            if found is None:
                parts.append(part)
            else:
                known, whose, text = found
                call = replace(part, id=known, kept=None)
                state = _state_in(text) if whose == owner else None
                parts[start:] = (
                    [*parts[start:], call] if state is None else _restored(parts[start:], state, call)
                )
            start = len(parts)
        else:
            parts.append(part)
    return message if parts == list(message.parts) else replace(message, parts=tuple(parts))


def _restored(before: Sequence[Part], state: Message, call: ToolCall) -> Iterator[Part]:
    """Yield the thinking of a state, the other parts before a call, and the call with its own state."""
    *thinking, bare = state.parts
    for part in thinking:
        yield part if part.provenance else replace(part, provenance=state.provenance)
    # the client may have returned the thinking without what makes it worth something
    yield from [part for part in before if not isinstance(part, Reasoning)]
    if isinstance(bare, ToolCall):
        whose = bare.provenance or state.provenance
        call = replace(call, signature=bare.signature, item_id=bare.item_id, provenance=whose)
    yield call


def _state_in(text: str) -> Message | None:
    """Return the state in an id; None for what this gateway has not written."""
    try:
        packed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        reader = zlib.decompressobj()
        raw = reader.decompress(packed, 16 * _MOST_BYTES)
        if reader.unconsumed_tail:
            return None
        value: Any = json.loads(raw)
        (message,) = load_request({"messages": [value]}).messages
    except (ValueError, zlib.error, RecursionError, PromptwireError):
        return None
    *thinking, call = message.parts or (None,)
    is_state = isinstance(call, ToolCall) and all(isinstance(part, Reasoning) for part in thinking)
    return message if is_state and message.role == "assistant" else None
