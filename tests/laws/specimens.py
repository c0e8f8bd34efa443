"""Every neutral node once, inside the smallest request that can hold it, so that single fields can be set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, TypeVar

import promptwire
from promptwire import (
    Audio,
    Cache,
    Continuation,
    CustomTool,
    Document,
    HostedTool,
    Image,
    Instruction,
    Json,
    Message,
    Options,
    Part,
    Reasoning,
    ReasoningOptions,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from promptwire.parts import (
    Compaction,
    CustomToolCall,
    CustomToolResult,
    HostedCall,
    HostedResult,
    ItemReference,
    Opaque,
    Refusal,
    SearchResult,
    ToolAddition,
    ToolGroup,
    ToolReference,
    Upload,
    Video,
)
from promptwire.plugins import Provenance
from tests.internals.runtime import ROLES
from tests.laws.traces import module
from tests.searching import TIMES
from tests.spec_texts import above, spec_text

T = TypeVar("T")
OK = (Text("ok"),)

# fields that no wire carries, and why
UNWRITTEN: dict[str, str] = {
    "provenance": "says where a node came from",
    "kept": "is the memory of the wire that it names, not a value",
    "Continuation.start": "picks the messages that are sent: has a test of its own",
    "Continuation.model": "says where the id is known: has a test of its own",
    "Continuation.account": "says where the id is known: has a test of its own",
    "Continuation.held": "says what the server has: has a test of its own",
    "Continuation.expired": "says that the id is known no more: has a test of its own",
    "Continuation.kind": "describes the id to the caller's own code",
    "Continuation.unanswered": "says which results must be sent: has a test of its own",
    "Instruction.source": "describes the layer to the caller's own code",
    "Instruction.stability": "describes the layer to the caller's own code",
    "Instruction.trust": "describes the layer to the caller's own code",
}


def is_unwritten(cls: type, name: str) -> bool:
    """Return whether no wire carries a field, by design."""
    return name in UNWRITTEN or f"{cls.__name__}.{name}" in UNWRITTEN


@dataclass(frozen=True)
class Specimen:
    """A node, its path, and how a request is made around it (or around a changed copy of it)."""

    name: str
    path: str
    node: Any
    around: Callable[[Any], Request]


@cache
def vendor_names(wire: str) -> tuple[str, ...]:
    """List the options of one wire that its spec names anywhere, or a spec that it extends."""
    texts = map(_spec, (wire, *above(wire)))
    return tuple(sorted({name for text in texts for name in re.findall(r"\$\{?vendor\.(\w+)", text)}))


@cache
def parent(wire: str) -> str | None:
    """Name the wire that the spec of a wire extends."""
    return next((name for name in above(wire) if name in promptwire.WIRES), None)


def divided(wire: str, things: Iterable[T]) -> list[T]:
    """Return all things for a wire that extends no other, and a part of them for each of its dialects.

    Dialects share most functions with the wire that they extend, so they divide what is tried: in four parts at most
    in `make search`, and in four times as many in a usual run.
    """
    every = list(things)
    extended = parent(wire)
    if extended is None:
        return every
    siblings = [each for each in promptwire.WIRES if parent(each) == extended]
    parts = max(2, min(4, len(siblings))) * (1 if TIMES else 4)
    return every[siblings.index(wire) % parts :: parts]


def _spec(wire: str) -> str:
    return spec_text(wire)


def has_limit(wire: str) -> bool:
    """Return whether a wire has a place for `max_tokens`, which some require."""
    return "max_tokens" in module(wire).WIRE.capabilities["options"]


def holds(wire: str, kind: str) -> bool:
    """Return whether a wire has a place for parts of a kind, such as `tool_result`."""
    return kind in module(wire).WIRE.capabilities["parts"]


def least_options(wire: str) -> Options:
    """Return the fewest options that a wire takes."""
    return Options(max_tokens=8) if has_limit(wire) else Options()


def base(wire: str, **given: Any) -> Request:
    """Make the smallest request that a wire takes, with some fields more."""
    return replace(Request("m", (Message("user", (Text("hi"),)),), options=least_options(wire)), **given)


def specimens(wire: str) -> Iterator[Specimen]:
    """Yield every node of the neutral model, in every variant and place that it has."""
    yield Specimen("request", "", base(wire), lambda node: node)
    yield from _request_nodes(wire)
    for tool in _tools(wire):
        name = f"tool.{type(tool).__name__}"
        yield Specimen(name, "tools[0]", tool, lambda node: base(wire, tools=(node,)))
    for role in ROLES:
        yield from _messages(wire, role)


def _request_nodes(wire: str) -> Iterator[Specimen]:
    def inside(field: str, **more: Any) -> Callable[[Any], Request]:
        return lambda node: base(wire, **{field: node}, **more)

    yield Specimen("options", "options", Options(max_tokens=8), inside("options"))
    yield Specimen("cache", "cache", Cache(), inside("cache"))
    for choice in _CHOICES:
        around = inside("tool_choice", tools=(Tool("f", parameters={"type": "object"}),))
        yield Specimen(f"tool_choice.{choice.mode}", "tool_choice", choice, around)
    for form in _FORMATS:
        yield Specimen(f"response_format.{form.kind}", "response_format", form, inside("response_format"))
    for reasoning in _REASONING:
        yield Specimen(f"reasoning.{reasoning.kind}", "reasoning", reasoning, inside("reasoning"))
    for continuation in (Continuation(id="r1", wire=wire), Continuation(conversation="c1", wire=wire)):
        name = f"continuation.{'id' if continuation.id else 'conversation'}"
        yield Specimen(name, "continuation", continuation, inside("continuation"))
    for layer in (Instruction("Be terse."), Instruction("Be terse.", role="developer")):
        name = f"instruction.{layer.role}"
        yield Specimen(name, "instructions[0]", layer, lambda node: base(wire, instructions=(node,)))
        yield Specimen(
            f"{name}.first",
            "instructions[0]",
            layer,
            lambda node: base(wire, instructions=(node, Instruction("Be kind."))),
        )


_CHOICES = (
    ToolChoice(parallel=True), ToolChoice("auto"), ToolChoice("none"), ToolChoice("required"),
    ToolChoice("named", name="f"), ToolChoice("custom", name="f"), ToolChoice("several", names=("f",), must=True),
    ToolChoice("hosted", type="web_search"), ToolChoice("unheard_of"),
)  # fmt: skip
_FORMATS = (
    ResponseFormat("text"), ResponseFormat("json"), ResponseFormat("grammar", grammar="g"),
    ResponseFormat("json_schema", {"type": "object"}, "answer"), ResponseFormat("unheard_of"),
)  # fmt: skip
_REASONING = (
    ReasoningOptions(), ReasoningOptions(effort="low"), ReasoningOptions(budget=2000),
    ReasoningOptions(mode="adaptive"), ReasoningOptions(mode="disabled"), ReasoningOptions(mode="unheard_of"),
)  # fmt: skip


def _tools(wire: str) -> tuple[Any, ...]:
    inner = Tool("f", parameters={"type": "object"})
    return (
        inner, CustomTool("f"), ToolGroup("g", "a group", (inner,)), HostedTool("web_search"), HostedTool("mcp"),
        HostedTool("web_search_20250305", "web_search"), Opaque(wire, {"type": "new"}, "tools"),
        Opaque("elsewhere", {"type": "new"}, "tools"),
    )  # fmt: skip


def _messages(wire: str, role: str) -> Iterator[Specimen]:
    def message(node: Message) -> Request:
        return base(wire, messages=(Message("user", (Text("hi"),)), node))

    body = (ToolResult("c1", OK),) if role == "tool" else (Text("hello"),)
    yield Specimen(f"message.{role}", "messages[1]", Message(role, body), message)
    if role == "assistant":
        yield Specimen("message.calls", "messages[1]", Message(role, (ToolCall("c1", "f"),)), message)
    if role == "user":
        yield Specimen("message.results", "messages[1]", Message(role, (ToolResult("c1", OK),)), message)
        several = Message(role, (ToolResult("c1", OK), Text("and now?")))
        yield Specimen("message.results_and_text", "messages[1]", several, message)
    for part in _parts(wire):
        kind = f"{type(part).__name__}.{getattr(part, 'source', '')}"
        yield Specimen(
            f"{role}.{kind}",
            "messages[1].parts[0]",
            part,
            lambda node: message(Message(role, (node,))),
        )
    for holder in _HOLDERS:
        if isinstance(holder, (ToolResult, CustomToolResult)) is not (role == "tool"):
            continue
        around = _inside(holder, lambda part: message(Message(role, (part,))))
        for part in _parts(wire) if role in ("user", "tool") else ():
            kind = f"{type(part).__name__}.{getattr(part, 'source', '')}"
            yield Specimen(
                f"{role}.{type(holder).__name__}.{kind}", "messages[1].parts[0].parts[0]", part, around
            )


def _inside(holder: Any, around: Callable[[Part], Request]) -> Callable[[Any], Request]:
    return lambda node: around(replace(holder, parts=(node,)))


_HOLDERS: tuple[Any, ...] = (
    ToolResult("c1"), CustomToolResult("c1"), Document(parts=(Text("x"),)), SearchResult("https://e.org", "t"),
)  # fmt: skip


def _parts(wire: str) -> tuple[Part, ...]:
    data: dict[str, Any] = {"data": "aGk=", "filename": "a.bin"}
    parts: tuple[Part, ...] = (
        Text("hello"), Json({"city": "Oslo"}), Refusal("no"), Upload("file_1"), ItemReference("msg_1"),
        Image(url="https://e.org/a.png"), Image(**data, media_type="image/png"), Image(file_id="f1"), Image(uri="gs://a"),
        Document(url="https://e.org/a.pdf"), Document(**data, media_type="application/pdf"), Document(file_id="f1"),
        Document(uri="gs://a"), Document(text="a text"), Document(parts=(Text("x"),)),
        Audio(url="https://e.org/a.wav"), Audio(**data, media_type="audio/wav"), Audio(file_id="f1"), Audio(uri="gs://a"),
        Audio(id="audio_1"),
        Video(url="https://e.org/a.mp4"), Video(**data, media_type="video/mp4"), Video(file_id="f1"), Video(uri="gs://a"),
        ToolCall("c1", "f", {"a": 1}), ToolCall("c1", "f", '{"a": 1}'), ToolResult("c1", OK),
        CustomToolCall("c1", "f", "text"), CustomToolResult("c1", OK),
        HostedCall("server_tool_use", id="h1", name="web_search", arguments={"q": "x"}),
        HostedCall("web_search_call", id="h1", payload={"action": {"type": "search"}}),
        HostedCall("mcp_tool_use", id="h1", name="n", server="s", arguments={"q": "x"}), HostedCall("unheard_of"),
        HostedResult("web_search_tool_result", call_id="h1", result=[{"type": "r"}]), HostedResult("unheard_of"),
        ToolReference("f"), ToolReference("f", change="addition"),
        Reasoning(text="so", signature="sig"), Reasoning(redacted="xx"), Reasoning(encrypted="xx", id="rs_1"),
        Reasoning(summary=("so",), id="rs_1"), Reasoning(texts=("so",), id="rs_1"),
        Compaction(text="so far"), Compaction(encrypted="xx", id="cmp_1"),
        SearchResult("https://e.org", "t", (Text("x"),)), ToolAddition(tools=(Tool("f", parameters={"type": "object"}),)),
        Opaque(wire, {"type": "new"}), Opaque("elsewhere", {"type": "new"}), Opaque(wire, {"type": "new"}, "messages"),
        Opaque(wire, {"type": "new"}, "tool_calls"), Opaque(wire, {"type": "new"}, "nowhere"),
    )  # fmt: skip
    # what is signed is sent where it is this wire's own
    return tuple([replace(part, provenance=Provenance(wire)) for part in parts])


def field_names(cls: type) -> list[str]:
    """List the fields of a neutral class that say something to a wire."""
    known: type[Any] = cls
    return [each.name for each in fields(known) if each.init and not is_unwritten(cls, each.name)]
