"""The presets portable and lenient: what they change, what they raise, law 12, and the table of `explain`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire import (
    Built,
    Image,
    Message,
    Options,
    Policies,
    PromptwireError,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    anthropic_messages,
    assistant,
    gemini_generate,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import NoPlace, PolicyError, Refused
from tests.counting import lines_run
from tests.examples import examples
from tests.internals.commands import ConversionReport, convert_lines, source_lines
from tests.internals.runtime import PRESETS, policies_of
from tests.laws.traces import address, module
from tests.notes import changes, refused
from tests.recorded import requests_of
from tests.searching import TIMES, some_of

FOUR = {
    "openai_chat": "gpt-4.1",
    "openai_responses": "gpt-5-mini",
    "anthropic_messages": "claude-sonnet-4-5",
    "gemini_generate": "gemini-2.5-flash",
}
TALK = [user("How warm is Oslo?")]


def test_hints_and_tuning_are_dropped_and_noted_without_the_engine() -> None:
    request = Request("claude-haiku-4-5", TALK, options=Options(max_tokens=8, seed=7))
    built = anthropic_messages.build(request, policies="portable")
    assert changes(built.notes) == ["dropped options.seed"]
    assert built.edits == ()


def test_what_is_required_is_filled_in() -> None:
    for policies in ("portable", "lenient", "missing=fill"):
        built = anthropic_messages.build(Request("claude-haiku-4-5", TALK), policies=policies)
        assert built.body["max_tokens"] == 64000
        unknown = anthropic_messages.build(Request("some-model", TALK), policies=policies)
        assert unknown.body["max_tokens"] == 4096
        assert [(note.action, note.path, note.field) for note in built.notes] == [
            ("added", "options", "max_tokens")
        ]


def test_limits_take_the_nearest_value() -> None:
    warm = Request("gpt-4o", TALK, options=Options(temperature=9.0, stop=["a", "b", "c", "d", "e"]))
    built = openai_chat.build(warm, policies="portable")
    assert (built.body["temperature"], built.body["stop"]) == (2, ["a", "b", "c", "d"])
    assert warm.options.temperature == 9.0
    assert built.report.origins.caller_request is warm


def test_single_fields_are_waived() -> None:
    request = Request("gpt-4o", TALK, options=Options(top_k=3, temperature=9.0))
    with refused(Refused, "options.temperature"):
        openai_chat.build(request, policies=Policies(allow=["options.top_k"]))
    built = openai_chat.build(request, policies=Policies(allow=["options.top_k", "options.temperature"]))
    assert built.body == {
        "model": "gpt-4o",
        "temperature": 2,
        "messages": [{"role": "user", "content": "How warm is Oslo?"}],
    }
    assert policies_of("allow=options.top_k|options.seed").allow == ("options.top_k", "options.seed")
    with pytest.raises(PolicyError, match="allow must be a list"):
        Policies(allow="options.top_k")


def test_where_no_repair_keeps_the_meaning_the_error_names_what_is_left() -> None:
    request = Request("gpt-4.1", TALK, options=Options(top_k=3), modalities=["image"])
    with pytest.raises(NoPlace, match="modalities") as caught:
        openai_responses.build(request, policies="portable")
    assert "top_k" not in str(caught.value)
    assert "modalities" not in openai_responses.build(request, policies="lenient").body


def test_a_part_that_was_moved_in_vain_is_named_where_the_caller_put_it() -> None:
    call = ToolCall("c1", "shot", {})
    picture = Image(data="iVBORw0KGgo=", media_type="image/png")
    shown = Message("tool", [ToolResult("c1", [picture])])
    request = Request(
        "command-r", [user("Look."), assistant(call), shown], tools=[Tool("shot", "Takes one.", {})]
    )
    with pytest.raises(NoPlace) as raised:
        promptwire.cohere_v1.build(request, policies="portable")
    assert [(each.path, each.field) for each in raised.value.problems] == [
        ("messages[2].parts[0].parts[0]", "image")
    ]
    assert str(raised.value).startswith("cohere_v1: messages[2].parts[0].parts[0]: image: ")


def test_a_problem_that_goes_with_its_cause_stops_no_repair() -> None:
    """A prompt has no message while calls and results have no place in it; as text, they have one."""
    call = ToolCall("c1", "weather", {})
    messages = [Message("assistant", [ToolResult("c0", [Text("12 C")]), call])]
    built = promptwire.bedrock_meta.build(Request("some-model", messages), policies="portable")
    assert built.body == {
        "prompt": "User: [result of a tool, call c0]\n\n12 C\n\n"
        'Assistant: <tool_call name="weather" id="c1">\n{}\n</tool_call>'
    }


def test_results_without_calls_become_text_where_no_message_may_hold_them() -> None:
    result = Message("tool", [ToolResult("c1", [Text("12 C")], name="weather")])
    request = Request("some-model", [user("Oslo?"), result, user("Sure?")])
    built = promptwire.bedrock_meta.build(request, policies="portable")
    assert built.body == {"prompt": "Oslo?\n\n[result of weather, call c1]\n\n12 C\n\nSure?"}
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("replaced", "messages[1].parts[0]", "tool_result"),
        ("merged", "", "messages"),
    ]


def test_a_note_on_a_part_behind_one_that_a_repair_inserted_names_the_callers_place() -> None:
    thought = Reasoning(text="Hm.", summary=(), signature="c2ln", vendor={"openai_chat": {"a": 1}})
    request = Request("some-model", [Message("assistant", [thought], name="Ada")])
    notes = promptwire.bedrock_converse.build(request, policies="lenient").notes
    assert [(note.action, note.path, note.field) for note in notes] == [
        ("dropped", "messages[0].parts[0]", "summary"),
        ("replaced", "messages[0]", "name"),
        ("dropped", "messages[0].parts[0]", "signature"),
        ("dropped", "messages[0].parts[0]", "vendor.openai_chat.a"),
    ]


def test_a_dropped_picture_brings_no_tool() -> None:
    request = Request("o3-mini", [user("Look.", Image(url="https://example.com/a.png"))])
    built = openai_chat.build(request, policies="lenient")
    assert built.body == {"model": "o3-mini", "messages": [{"role": "user", "content": "Look."}]}
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[0].parts[1]", "image")
    ]


def test_a_conversation_without_a_problem_builds_as_it_does_strictly() -> None:
    request = Request("gpt-4o", TALK, options=Options(temperature=0.5))
    plain = Policies(repairs="off")
    # the first build remembers that no rule looks at such a request
    openai_chat.build(request, policies=plain)
    expected = lines_run(partial(openai_chat.build, request, policies=plain))
    for policies in (PRESETS["portable"], PRESETS["lenient"]):
        assert lines_run(partial(openai_chat.build, request, policies=policies)) == expected


def trouble(
    request: Request, to: str, policies: str, settings: dict[str, Any] | None = None
) -> Iterator[str]:
    """Build a request for a wire, and yield what its own linter finds in the body."""
    try:
        built: Built[Any] = module(to).build(request, policies=policies, settings=settings or address(to))
    except PromptwireError:
        return
    url = None if built.local else built.url
    for finding in module(to).check(json.loads(built.json()), url):
        yield f"{to} {policies}: {finding}"


def test_what_is_built_breaks_no_rule_of_its_own_wire() -> None:
    """Law 12: over the examples, each on a few wires in turn."""
    found: list[str] = []
    wires = promptwire.WIRES
    for place, example in enumerate(some_of(examples(), share=10)):
        request = module(example.wire).read(json.loads(json.dumps(example.body)), None).request
        for step in range(len(wires) if TIMES else 2):
            to = wires[(place + step * 11) % len(wires)]
            if to != example.wire:
                for policies in ("portable", "lenient"):
                    found += [f"{example}: {line}" for line in trouble(request, to, policies)]
    assert found == []


def test_recorded_requests_cross_under_the_presets(corpus: Path) -> None:
    """Count what the presets build of recorded requests, and see that nothing is lost or refused by the linter."""
    counts: dict[str, list[int]] = {policies: [0, 0] for policies in ("strict", "portable", "lenient")}
    found: list[str] = []
    for wire, model, request in _recorded(corpus, 150 if TIMES else 8):
        for to, name in FOUR.items():
            if to == wire:
                continue
            crossing = replace(request, model=name)
            for policies, count in counts.items():
                count[1] += 1
                try:
                    built = module(to).build(crossing, policies=policies)
                except PromptwireError:
                    continue
                count[0] += 1
                found += [f"{wire} {model} -> {to}: lost {path}" for path in _silent(crossing, built)]
                if policies != "strict":
                    found += [f"{wire} {model} -> {line}" for line in trouble(crossing, to, policies)]
    assert found == []
    built = {policies: done / asked for policies, (done, asked) in counts.items()}
    assert built["portable"] >= 0.85
    assert built["lenient"] >= 0.97


def _recorded(corpus: Path, most: int) -> Iterator[tuple[str, str, Request]]:
    seen: dict[str, dict[str, Any]] = {wire: {} for wire in FOUR}
    for row in requests_of(corpus):
        if row.wire in seen:
            seen[row.wire].setdefault(row.shape, row)
    for wire, shapes in seen.items():
        for shape in sorted(shapes)[:most]:
            row = shapes[shape]
            yield wire, row.name, module(wire).read(json.loads(row.line)["body"], row.url).request


def _silent(request: Request, built: Built[Any]) -> Iterator[str]:
    """Yield the places of texts that are neither in the body nor named by a note."""
    text = json.dumps(built.body, ensure_ascii=False)
    named = [note.path for note in built.notes if note.path]
    for row in module(built.wire.name).explain(request).rows:
        if row.path.endswith(".text") and isinstance(row.value, str) and row.value.strip():
            shown = json.dumps(row.value.strip(), ensure_ascii=False)[1:-1]
            if shown not in text and not any(row.path.startswith(path) for path in named):
                yield row.path


def test_explain_says_where_each_value_goes() -> None:
    call = ToolCall("c1", "weather", {"city": "Oslo"})
    request = Request(
        "claude-sonnet-4-5",
        [*TALK, assistant(call), tool_result(call, "12 C")],
        instructions="Be brief.",
        options=Options(seed=3, temperature=1.7),
    )
    found = anthropic_messages.explain(request)
    went = {row.path: (row.went, row.to) for row in found.rows if row.path}
    assert went["instructions"] == ("renamed", "system")
    assert went["messages[1].parts[0].arguments"] == ("renamed", "messages[1].content[0].input")
    assert went["messages[1].parts[0].id"] == ("sent", "messages[1].content[0].id")
    assert went["options.seed"] == ("dropped", "")
    assert went["options.temperature"][0] == "replaced"
    assert ("", "made", "max_tokens") in [(row.path, row.went, row.to) for row in found.rows]
    assert "options.seed" in str(found) and found.as_json()["wire"] == "anthropic_messages"
    assert gemini_generate.explain(request).rows[0].to == "the URL"
    strict = anthropic_messages.explain(request, policies="strict")
    assert strict.body is None and strict.problems
    assert [row.path for row in strict.rows if row.went == "rejected"] == [
        "options.temperature",
        "options.seed",
    ]


LINES = """\
{"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "gpt-4o", "seed": 1, "messages": [{"role": "user", "content": "Hi"}]}}
{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
{"id": "r1", "wire": "openai_responses", "body": {"model": "gpt-5", "input": "Hi", "modalities": ["audio"]}}
"""


def test_files_of_requests_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(LINES, "utf-8")
    names = {name: name for name in promptwire.WIRES}
    lines = list(
        convert_lines(source_lines([str(path)], None, names), "anthropic_messages", model="claude-haiku-4-5")
    )
    batch, taught, body = [json.loads(line.text or b"null") for line in lines]
    assert batch["custom_id"] == "a"
    assert batch["params"]["max_tokens"] == 64000
    assert taught == {
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}],
    }
    assert (body["id"], body["wire"]) == ("r1", "anthropic_messages")
    report = ConversionReport()
    for line in lines:
        report.add(line)
    assert report.whole + report.changed + report.refused == 3
    assert "dropped seed" in "\n".join(report.lines())
    assert report.as_json()["changes"]


def test_a_body_alone_is_not_taken_for_a_line_of_fine_tuning(tmp_path: Path) -> None:
    path = tmp_path / "bodies.jsonl"
    body = {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "Hi"}],
        "temperature": 1,
        "max_tokens": 5,
    }
    path.write_text(json.dumps(body), "utf-8")
    names = {name: name for name in promptwire.WIRES}
    (line,) = convert_lines(source_lines([str(path)], None, names), "anthropic_messages")
    assert (line.name, line.text) == (f"{path}:1", None)
    assert line.why == "the line does not name its API; say which with --from WIRE"
    (line,) = convert_lines(source_lines([str(path)], "openai_chat", names), "anthropic_messages")
    assert json.loads(line.text or b"")["body"] == body
    assert line.changes == ()
    # what a line of fine-tuning says besides is not kept, and named
    path.write_text(json.dumps({"messages": body["messages"], "temperature": 1}), "utf-8")
    (line,) = convert_lines(source_lines([str(path)], None, names), "openai_chat", model="gpt-4o")
    assert json.loads(line.text or b"") == {"messages": body["messages"]}
    assert line.changes == (("dropped", "temperature"),)


def test_an_error_says_which_preset_would_build_the_request() -> None:
    for request, wire, advice in (
        (
            Request("gpt-4o", TALK, options=Options(top_k=3)),
            openai_chat,
            'policies="portable" builds this request, with 1 note',
        ),
        (
            Request("gpt-5", TALK, modalities=["image"]),
            openai_responses,
            'policies="lenient" builds this request, with 1 note',
        ),
    ):
        with pytest.raises(NoPlace) as caught:
            wire.build(request)
        assert caught.value.advice == advice
    with pytest.raises(NoPlace) as caught:
        openai_responses.build(Request("gpt-5", TALK, modalities=["image"]), policies="portable")
    assert caught.value.advice == ""


@pytest.mark.parametrize(
    ("wire", "body", "url", "field"),
    [
        ("openai_responses", {"model": "m", "input": "Hi", "prompt": {"id": "p1"}}, None, "vendor.openai_responses.prompt"),
        ("gemini_generate", {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "cachedContent": "cachedContents/1"}, None, "vendor.gemini_generate.cached_content"),
    ],
)  # fmt: skip
def test_content_that_one_server_holds_is_not_left_out(wire: str, body: Any, url: Any, field: str) -> None:
    request = promptwire.wire(wire).read(body, url).request.replace(model="some-model")
    with pytest.raises(NoPlace, match=f"it brings content that only {wire} takes") as refused:
        promptwire.openai_chat.build(request, policies="portable")
    assert refused.value.field == field
    notes = promptwire.openai_chat.build(request, policies="lenient").notes
    assert field in [note.field for note in notes if note.action == "dropped"]


def test_options_of_another_api_are_named() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "prediction": {"type": "content", "content": "a"},
    }
    notes = promptwire.anthropic_messages.build(
        promptwire.openai_chat.read(body).request, policies="portable"
    ).notes
    assert "dropped vendor.openai_chat.prediction: it is for another API" in map(str, notes)


def test_a_compaction_that_nobody_else_can_read_is_not_left_out() -> None:
    body = {"model": "m", "input": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}, {"role": "user", "content": "Hi"}]}  # fmt: skip
    request = promptwire.openai_responses.read(body).request
    with refused(NoPlace, "messages[0].parts[0].compaction"):
        promptwire.openai_chat.build(request, policies="portable")
    notes = promptwire.openai_chat.build(request, policies="lenient").notes
    assert ("dropped", "compaction") in [(note.action, note.field) for note in notes]


def test_text_that_begins_like_deep_json_is_explained_as_text() -> None:
    deep = "[" * 100_000
    rows = promptwire.openai_chat.explain(Request("m", [promptwire.user(deep)])).rows
    assert [(row.path, row.went) for row in rows] == [
        ("model", "sent"),
        ("messages[0].role", "sent"),
        ("messages[0].parts[0].text", "renamed"),
    ]


@pytest.mark.parametrize("policies", ["portable", "lenient"])
def test_a_request_that_one_repair_solves_is_written_twice(
    policies: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Request] = []
    write = vars(openai_chat)["write_body"]

    def counting(request: Request, *arguments: Any) -> Any:
        written.append(request)
        return write(request, *arguments)

    monkeypatch.setattr(openai_chat, "write_body", counting)
    call = ToolCall("c1", "weather", {"city": "Oslo"})
    turns = [user("Oslo?"), assistant(call), tool_result(call, "no such city", is_error=True)]
    request = Request("gpt-5", turns, tools=[Tool("weather", "The weather.", {"type": "object"})])
    built = openai_chat.build(request, policies=policies)
    assert built.body["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "Error: no such city",
    }
    assert [each is request for each in written] == [True, False]


def test_a_free_text_call_that_becomes_a_function_loses_no_option_silently() -> None:
    call = {"type": "custom_tool_call", "call_id": "c1", "namespace": "notes", "name": "find", "input": "x"}
    result = {"type": "custom_tool_call_output", "call_id": "c1", "output": "y"}
    body = {"model": "m", "max_output_tokens": 9, "input": [{"role": "user", "content": "Hi"}, call, result]}
    built = anthropic_messages.build(openai_responses.read(body).request, policies="portable")
    assert "dropped messages[1].parts[0].vendor.openai_responses.namespace: it is for another API" in map(
        str, built.notes
    )
