"""An API without one key of OpenAI's chat API: its spec alone makes what builds and reads its requests."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, strategies as st

from promptwire import BodyError, Message, Request, RequestError, Text, ToolCall, ToolResult, load_request
from tests.checkout import ROOT, SOURCE_ROOTS
from tests.compiler.compiled import wire_of
from tests.internals.compiler import Layout, compile_project, find_layout, find_plugins
from tests.internals.runtime import count_leaves, same
from tests.laws.strategies import searching
from tests.strategies import json_objects, names, requests, texts

SPEC = Path(__file__).with_name("parley.yaml").read_text("utf-8")
parley = wire_of("parley", SPEC)


@pytest.mark.slow
def test_its_generated_tests_pass(tmp_path: Path) -> None:
    """Examples of the spec, built and read, and what it cannot carry: what `gen build` and `pytest generated/tests` do."""
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    (specs / "parley.yaml").write_text(SPEC, "utf-8")
    layout = Layout(tmp_path, specs, find_layout(Path(__file__)).templates, tmp_path / "generated")
    for path, text in compile_project(layout, plugins=find_plugins()).files.items():
        target = tmp_path / "generated" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    roots = [str(tmp_path / "generated"), *[str(ROOT / root) for root in SOURCE_ROOTS if root != "generated"]]
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-c", os.devnull]
    run = subprocess.run(
        [*command, str(tmp_path / "generated" / "tests")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
    # five examples built, read, and read with their URL; what each shape cannot carry
    assert int(run.stdout.rpartition(" passed")[0].split()[-1]) > 30


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Draw turns as agents have them: words, calls with ids of their own, all results behind their calls."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(("user", "assistant", "system", "calls", "results", "results")))
        words = [Text(text) for text in draw(st.lists(texts(), min_size=1, max_size=2))]
        if kind in ("user", "assistant", "system"):
            messages.append(Message(kind, tuple(words)))
            continue
        ids = [f"c{turn}{place}" for place in range(draw(st.integers(1, 3)))]
        calls = [ToolCall(call_id, draw(names()), draw(json_objects())) for call_id in ids]
        said = draw(st.sampled_from(((), tuple(words))))
        messages.append(Message("assistant", (*said, *calls)))
        if kind == "results":
            results = [ToolResult(call_id, draw(texts())) for call_id in draw(st.permutations(ids))]
            messages.append(Message("tool", tuple(results)))
    return tuple(messages)


@searching(200)
@given(messages=conversations())
@pytest.mark.search
def test_a_conversation_comes_back_as_it_was(parley: Any, messages: tuple[Message, ...]) -> None:
    built = parley.build(Request("m", messages))
    reading = parley.read(copy.deepcopy(built.body))
    assert [(turn.role, turn.parts) for turn in reading.request.messages] == [
        (turn.role, turn.parts) for turn in messages
    ]
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert same(parley.build(reading.request).body, built.body)


@searching(200)
@given(request=requests() | requests(memory=True))
@pytest.mark.search
def test_what_was_built_of_any_request_comes_back(parley: Any, request: Request) -> None:
    try:
        body = parley.build(request, policies="lenient,refusals=send,repairs=off").body
    except RequestError:
        reject()
    reading = parley.read(copy.deepcopy(body))
    assert reading.understood + reading.kept == reading.leaves == count_leaves(body)
    assert same(parley.build(reading.request, policies="verbatim").body, body)


def test_what_the_messages_of_an_example_say_otherwise_comes_back(parley: Any) -> None:
    """Each leaf and container of a body in turn is gone, another value, or twice there."""
    body = parley.build(load_request(WARM)).body
    spots = [*_spots(body)]
    assert len(spots) > 20
    for place in range(len(spots)):
        for change in (
            None,
            "odd",
            7,
            [],
            {},
            ["odd"],
            {"odd": 1},
            [{"who": "HUMAN"}],
            {"who": None},
            GONE,
            TWICE,
        ):
            other = copy.deepcopy(body)
            holder, key = [*_spots(other)][place]
            if change is GONE:
                del holder[key]
            elif change is TWICE and isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            elif change is not TWICE:
                holder[key] = copy.deepcopy(change)
            reading = parley.read(copy.deepcopy(other))
            assert reading.understood + reading.kept == reading.leaves
            assert same(parley.build(reading.request, policies="verbatim").body, other), (holder, key, change)


GONE, TWICE = object(), object()
CALL = {"tool_call": {"id": "c1", "name": "weather", "arguments": {"city": "Oslo"}}}
RESULT = {"tool_result": {"call_id": "c1", "content": "12 C"}}
WARM = {
    "model": "m",
    "messages": [
        {"user": "How warm is Oslo?"},
        {"assistant": ["I look.", CALL]},
        {"tool": [RESULT]},
        {"assistant": "12 degrees."},
        {"user": ["And here?", {"image": {"url": "https://example.com/a.png"}}]},
    ],
}


def _spots(node: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, (dict, list)):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from _spots(node[key])


# what a request says, and what is noted of it: action, path, field
NOTED = {
    "a result that comes late stands behind its call again when it is read": (
        [{"user": "hi"}, {"assistant": [CALL]}, {"user": "Well?"}, {"tool": [RESULT]}],
        [("moved", "messages[3].parts[0]", "call_id")],
    ),
    "results behind their calls, in any number of messages": (
        [
            {"assistant": [CALL, {"tool_call": {"id": "c2", "name": "f", "arguments": {}}}]},
            {"tool": [{"tool_result": {"call_id": "c2", "content": "x"}}]},
            {"tool": [RESULT]},
        ],
        [],
    ),
    "a result without a call": (
        [{"user": "hi"}, {"tool": [RESULT]}],
        [("moved", "messages[1].parts[0]", "call_id")],
    ),
    "the name of who speaks last": (
        [{"user": "hi", "name": "ann"}, {"assistant": "Hello."}, {"user": "Bye.", "name": "ann"}],
        [("dropped", "messages[2]", "name")],
    ),
    "a kind of part that the API does not have": (
        [{"user": ["hi", {"document": {"url": "https://example.com/a.pdf"}}]}],
        [("dropped", "messages[0].parts[1]", "document")],
    ),
}


@pytest.mark.parametrize("case", NOTED)
def test_what_a_body_cannot_say_is_noted(parley: Any, case: str) -> None:
    messages, noted = NOTED[case]
    built = parley.build(
        load_request({"model": "m", "messages": messages}), policies="lenient,refusals=send,repairs=off"
    )
    assert [(note.action, note.path, note.field) for note in built.notes] == noted


def test_a_late_result_is_read_behind_its_call(parley: Any) -> None:
    messages = [{"user": "hi"}, {"assistant": [CALL]}, {"user": "Well?"}, {"tool": [RESULT]}]
    built = parley.build(load_request({"model": "m", "messages": messages}))
    assert (built.body["heard"], built.body["outcomes"]) == ("Well?", [{"ticket": "c1", "gave": "12 C"}])
    read = parley.read(built.body).request.messages
    assert [message.role for message in read] == ["user", "assistant", "tool", "user"]


def test_elements_that_no_shape_knows_are_kept_in_their_list(parley: Any) -> None:
    body = {
        "mind": "m",
        "so_far": [{"who": "GHOST", "words": "boo"}, 7],
        "heard": "hi",
        "outcomes": [{"stub": "c9"}, {"ticket": "c1", "gave": "12 C"}],
    }
    reading = parley.read(copy.deepcopy(body))
    assert parley.build(reading.request, policies="verbatim").body == body
    assert [message.role for message in reading.request.messages] == ["user", "user", "user", "tool", "user"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ([], "parley: the body is a list, not an object"),
    ],
)
def test_what_is_no_body_is_refused(parley: Any, body: Any, problem: str) -> None:
    with pytest.raises(BodyError) as caught:
        parley.read(body)
    assert str(caught.value) == problem
