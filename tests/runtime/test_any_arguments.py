"""Any values for any public constructor or function: what they make, or an error of ours; and it can be used."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

import promptwire
from promptwire import (
    Answer,
    Event,
    Image,
    Message,
    Options,
    PromptwireError,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    assistant,
    user,
)
from promptwire.parts import HostedCall, Opaque
from promptwire.plugins import Provenance
from promptwire.results import Candidate, Usage, answer_coverage
from tests.internals.runtime import FINISHES, KINDS, Record, context, execution, prompts
from tests.laws.strategies import searching
from tests.laws.test_total import ODD, cyclic, deep, everything
from tests.laws.traces import module
from tests.searching import TESTED_WIRES
from tests.strategies import json_values, parts, requests, tools

# protocols, what `read` makes, and what holds nothing until a build fills it
_NOT_CALLED = {"ContextProvider", "PromptFilter", "Reading", "Report", "Built", "Api", "RunOptions"}
VALUES: tuple[Any, ...] = (
    *ODD, cyclic(), [cyclic()], {"error": {"message": deep(3000)}}, 1j, range(3), b"", frozenset(), len, type,
    Text("t"), Tool("f"), user("hi"), Options(), Answer(), Usage(), ToolCall("c", "f"), context.Section("a", "b"),
    execution.ConversationContext("m"), execution.AgentExecuteRequest(None, "Do it."),
)  # fmt: skip
HOLDERS: tuple[Any, ...] = (
    Text("t"), ToolCall("c", "f"), Tool("f"), Message("user", (Text("t"),)), Options(), Request("m", (user("hi"),)),
)  # fmt: skip
ANSWERING = tuple([wire for wire in TESTED_WIRES if hasattr(module(wire), "read_answer")])
STREAMING = tuple([wire for wire in ANSWERING if hasattr(module(wire), "write_stream")])


def called() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public constructor and function by its name."""
    for package, known in (
        (promptwire, promptwire.__all__),
        (context, context.__all__),
        (prompts, prompts.__all__),
        (execution, execution.__all__),
    ):
        for name in sorted(set(known) - _NOT_CALLED):
            value = getattr(package, name)
            if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException)):
                yield name, value


CALLED = dict(called())


def anything() -> st.SearchStrategy[Any]:
    """Draw odd values, usual ones, and nodes."""
    nodes = parts() | tools() | requests(depth=0)
    leaves = st.sampled_from(VALUES) | json_values() | nodes
    return leaves | st.lists(leaves, max_size=2) | st.lists(leaves, max_size=2).map(tuple)


def arguments(data: st.DataObject, make: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
    """Draw arguments that a signature takes: the needed ones, and some others."""
    listed: list[Any] = []
    named: dict[str, Any] = {}
    gap = False
    for each in inspect.signature(make).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            continue
        needed = each.default is each.empty and each.kind is not each.VAR_POSITIONAL
        if not needed and data.draw(st.integers(0, 3)):
            gap = True
            continue
        value = data.draw(anything(), each.name)
        if each.kind is each.KEYWORD_ONLY or (gap and each.kind is not each.VAR_POSITIONAL):
            named[each.name] = value
        elif not gap:
            listed.append(value)
    return listed, named


def around(node: Any) -> Iterator[Request]:
    """Put a node wherever its class may stand in a request."""
    names = [cls.__name__ for cls in type(node).__mro__]
    words = {*names, *(["AnyTool"] if "Tool" in names or hasattr(node, "type") else [])}
    if isinstance(node, Request):
        yield node
    for holder in HOLDERS:
        for field in fields(holder):
            if field.init and any(word in str(field.type) for word in words):
                for value in (node, (node,)):
                    with contextlib.suppress(PromptwireError):
                        yield _whole(replace(holder, **{field.name: value}))


def _whole(node: Any) -> Request:
    """Make a request of a node that stands in one."""
    if isinstance(node, Request):
        return node
    if isinstance(node, Tool):
        return Request("m", (user("hi"),), tools=(node,))
    if isinstance(node, Options):
        return Request("m", (user("hi"),), options=node)
    return Request("m", (node,) if isinstance(node, Message) else (user("hi", node), assistant(node)))


def use(node: Any, wire: str) -> None:
    """Show, copy, compare and build what was made; any error is ours."""
    for way in (repr, copy.copy, copy.deepcopy, lambda value: value == copy.copy(value)):
        with contextlib.suppress(PromptwireError):
            way(node)
    for request in around(node):
        everything(wire, request, None, "lenient")


def waited_for(made: Any) -> Any:
    """Return the result of what must be awaited; anything else as it is."""
    return asyncio.run(made) if inspect.iscoroutine(made) else made


@pytest.mark.search
@searching(400)
@given(data=st.data())
def test_what_is_called_with_anything_gives_a_result_or_our_error(data: st.DataObject) -> None:
    make = CALLED[data.draw(st.sampled_from(sorted(CALLED)))]
    listed, named = arguments(data, make)
    try:
        made = waited_for(make(*listed, **named))
    except PromptwireError:
        return
    if isinstance(made, Record):
        use(made, data.draw(st.sampled_from(promptwire.WIRES)))


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLED)
def test_every_argument_may_be_anything(name: str) -> None:
    make = CALLED[name]
    taken = [
        each for each in inspect.signature(make).parameters.values() if each.kind is not each.VAR_KEYWORD
    ]
    for wrong in taken:
        for value in VALUES:
            for usual in ("m", (), value):
                rest = [each for each in taken if each is not wrong and each.default is each.empty]
                given_ = {each.name: usual for each in rest if each.kind is not each.VAR_POSITIONAL}
                with contextlib.suppress(PromptwireError):
                    if wrong.kind is wrong.VAR_POSITIONAL:
                        make(*given_.values(), value)
                    else:
                        made = waited_for(make(**given_, **{wrong.name: value}))
                        # a bare tuple is shown by Python itself
                        _ = repr(made) if isinstance(made, Record) else ""


def _all(wire: Any, *events: Event) -> bytes:
    """Write events, and the end."""
    writer = wire.write_stream(policies="lenient")
    return b"".join([*map(writer.feed, events), writer.close()])


USES: dict[str, Callable[[Any, Any], Any]] = {
    "an answer": lambda wire, value: wire.read_answer(value),
    "an answer to write": lambda wire, value: wire.write_answer(value),
    "policies": lambda wire, value: wire.write_answer(Answer(), policies=value),
    "notes": lambda wire, value: wire.write_answer(Answer(), notes=value),
    "an answer to measure": answer_coverage,
    "a body to measure": lambda wire, value: answer_coverage(wire, Answer(raw=value)),
    "a status": lambda wire, value: wire.read_error(value, {}),
    "an error": lambda wire, value: wire.read_error(400, value),
    "what an error says": lambda wire, value: wire.read_error(400, {"error": value, "message": value}),
    "headers": lambda wire, value: wire.read_error(400, None, value),
    "a header": lambda wire, value: wire.read_error(400, None, {"retry-after": value}),
    "a framing": lambda wire, value: wire.stream(value),
    "bytes": lambda wire, value: wire.stream().feed(value),
    "what a request goes on after": lambda wire, value: Request("m").after(value),
    "what goes on": lambda wire, value: Request("m").after(Answer(), value),
}
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "a stream to write": lambda wire, value: wire.write_stream(framing=value),
    "the id of a stream": lambda wire, value: wire.write_stream(id=value).close(),
    "the model of a stream": lambda wire, value: wire.write_stream(model=value).close(),
    "the time of a stream": lambda wire, value: wire.write_stream(created=value).close(),
    "policies of a stream": lambda wire, value: wire.write_stream(policies=value).close(),
    "notes of a stream": lambda wire, value: wire.write_stream(notes=value).close(),
    "an event": lambda wire, value: wire.write_stream().feed(value),
    "an error to write": lambda wire, value: _all(wire, Event(kind="error", data=value)),
    "arguments to write": lambda wire, value: wire.write_stream().answer(
        Answer(candidates=(Candidate(message=assistant(ToolCall("c", "f", value))),))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*USES, *WRITES])
def test_whatever_comes_as_an_answer_gives_a_result_or_our_error(name: str) -> None:
    use_ = USES.get(name) or WRITES[name]
    for wire in map(module, ANSWERING if name in USES else STREAMING):
        for value in VALUES:
            with contextlib.suppress(PromptwireError):
                repr(use_(wire, value))


@pytest.mark.parametrize("cls", [Answer, Candidate, Usage])
def test_an_answer_of_anything_is_refused_or_can_be_used(cls: Any) -> None:
    for field in fields(cls):
        for value in VALUES:
            with contextlib.suppress(PromptwireError):
                made = cls(**{field.name: value})
                answer = (
                    made
                    if cls is Answer
                    else Answer(candidates=(made,))
                    if cls is Candidate
                    else Answer(usage=made)
                )
                json.dumps((answer.text, answer.reasoning, answer.refusal, answer.finish))
                _ = (answer.messages, answer.parts, answer.calls, repr(answer), answer == copy.copy(answer))
                for wire in map(module, ANSWERING):
                    with contextlib.suppress(PromptwireError):
                        wire.write_answer(answer, policies="lenient")
                    with contextlib.suppress(PromptwireError):
                        answer_coverage(wire, answer)
                user_turn = Request("m", (user("hi"),))
                user_turn.after(answer)


OF_KINDS = {"usage": Usage(input=1), "vendor": {"openai_chat": {"service_tier": "flex", "logprobs": {1}}}}


@pytest.mark.slow
@pytest.mark.parametrize("field", [field.name for field in fields(Event)])
def test_an_event_of_anything_is_refused_or_written(field: str) -> None:
    for value in VALUES:
        for kind in KINDS:
            with contextlib.suppress(PromptwireError):
                usual = {"kind": kind, "data": OF_KINDS.get(kind)}
                event = Event(**{**usual, field: value})
                for wire in map(module, STREAMING):
                    with contextlib.suppress(PromptwireError):
                        _all(wire, event, Event(kind="finish", name="stop"))


OPTIONS = (
    "service_tier",
    "created",
    "logprobs",
    "prompt_feedback",
    "grounding_metadata",
    "stop_sequence",
    "metrics",
)
OF_PARTS = ("text", "reasoning", "refusal", "call", "arguments", "part")
WHOLE = (
    Text("hi", signature="s", citations=[{"url": "u"}]),
    Text(""),
    Reasoning(text="Hm", signature="s"),
    Reasoning(redacted="r"),
    Reasoning(summary=("a", "b"), encrypted="e", id="rs_1"),
    ToolCall("c1", "f", {"a": 1}, signature="s"),
    ToolCall(None, "f", '{"a": '),
    HostedCall("server_tool_use", id="s1", name="web_search", arguments={"query": "x"}),
    Image(data="aGk=", media_type="image/png"),
    Opaque("openai_responses", {"type": "new", "x": 1}, "messages"),
)


@pytest.mark.search
@searching(150)
@given(data=st.data())
def test_events_in_any_order_give_bytes_that_can_be_read(data: st.DataObject) -> None:
    texts = st.sampled_from(("", " ", "hi", "{", "}", "{}", '{"a": "}', "\ud800", "\r\n\r\ndata: x"))
    places = st.lists(st.integers(-1, 3), max_size=2).map(tuple)
    numbers = st.none() | st.integers(0, 2)

    def event(kind: str, text: str, name: str | None, place: tuple[int, ...], candidate: int) -> Event:
        known = {name: dict.fromkeys(OPTIONS, text) for name in STREAMING}
        holds: Any = {"usage": Usage(input=1), "vendor": known}.get(kind, text)
        if kind in OF_PARTS:
            origins = [None, *[Provenance(wire=wire, api=wire) for wire in STREAMING]]
            parts = data.draw(st.lists(st.sampled_from(WHOLE), min_size=kind == "part", max_size=2))
            origin = data.draw(st.sampled_from(origins))
            holds = Message("assistant", tuple(parts), provenance=origin) if parts else None
        part = data.draw(numbers)
        return Event(kind=kind, text=text, name=name, place=place, candidate=candidate, data=holds, part=part)

    any_name = st.none() | texts | st.sampled_from(FINISHES)
    event_made = st.builds(event, st.sampled_from(KINDS), texts, any_name, places, st.integers(0, 2))
    events = data.draw(st.lists(event_made, max_size=8))
    wire = module(data.draw(st.sampled_from(STREAMING)))
    try:
        raw = _all(wire, *events)
    except PromptwireError:
        return
    stream = wire.stream()
    told = stream.feed(raw)
    assert not [each for each in told if each.kind == "unknown"]


SAID: dict[str, tuple[Callable[[], Any], str]] = {
    "candidates": (
        lambda: Answer(candidates=[Candidate()]),  # type: ignore[arg-type]
        "Answer: candidates is a list, not a tuple of Candidate",
    ),
    "a message": (lambda: Candidate(message="hi"), "Candidate: message is a str, not Message or None"),  # type: ignore[arg-type]
    "counts": (lambda: Usage(input="5"), "Usage: input is a str, not int or None"),  # type: ignore[arg-type]
    "an answer": (lambda: promptwire.openai_chat.write_answer({}), "answer is a dict, not Answer"),  # type: ignore[arg-type]
    "bytes": (
        lambda: promptwire.openai_chat.stream().feed("data: {}"),
        "OpenAI Chat Completions: a stream is fed bytes or the events of a vendor's client, not str",
    ),
    "a kind of event": (lambda: Event(kind="txt"), '"txt" is not a kind of event: did you mean "text"?'),
    "a place": (lambda: Event(kind="text", place=("a",)), "Event: place[0] is a str, not int"),  # type: ignore[arg-type]
    "a candidate": (lambda: Event(kind="text", candidate=-1), "candidate is the number of one, not -1"),
    "counts of an event": (
        lambda: Event(kind="usage", data={}),
        "data of an event of usage is a dict, not Usage",
    ),
    "a time": (
        lambda: promptwire.openai_chat.write_stream(created=10**5000),
        "created is seconds since 1970, not <int: a number of too many digits>",
    ),
    "what follows": (
        lambda: Request("m").after(Answer(), Text("12 C")),
        "after an answer come messages, such as tool_result(call, ...), not Text",
    ),
    "a measured body": (
        lambda: answer_coverage(promptwire.openai_chat, Answer(raw=cyclic())),
        "openai_chat: the answer cannot be read: ",
    ),
    "defaults": (lambda: context.Pipeline(defaults="x"), "defaults is a str, not Request"),  # type: ignore[arg-type]
    "titles": (lambda: context.Pipeline(static_memory={"a": 1}), "document 'a' is an int, not str"),  # type: ignore[dict-item]
    "layers": (lambda: context.merge("Be terse."), "layers are a list, not one text"),  # type: ignore[arg-type]
    "files": (lambda: prompts.Files(5), "root is the path of a folder, not int"),  # type: ignore[arg-type]
    "patterns": (lambda: prompts.matches("a", "a"), "patterns are a list, not one text"),
    "a phase": (lambda: context.next_phase(["active"], active=True), "is not a phase: use one of "),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", SAID)
def test_what_does_not_fit_is_named(case: str) -> None:
    make, said = SAID[case]
    with pytest.raises(PromptwireError) as refused:
        make()
    assert said in str(refused.value)
