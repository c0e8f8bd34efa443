"""ONNX Runtime GenAI: the runtime itself takes what is built, renders the prompt and generates by it.

The model is made here, without weights: see `tiny_onnx_model`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime_genai as og  # type: ignore[import-untyped]  # it has no types
import pytest

from promptwire import (
    Message,
    Options,
    Reasoning,
    Request,
    ResponseFormat,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    onnx_genai,
    user,
)
from tests.conformance.tiny_onnx_model import write_model
from tests.examples import Example, of_wire

Body = Mapping[str, Any]

EXAMPLES: Final = of_wire("onnx_genai")
ARGUMENTS: Final = ("model", "messages", "tools", "template_str", "add_generation_prompt")
OPTIONS: Final = ("search_options", "turn_options", "guidance")
# search options that the runtime takes, and does not give back
UNSHOWN: Final = {"blank_penalty"}
# gives back what a template sees
SHOW: Final = "{{ messages | tojson }}"
SHOW_TOOLS: Final = "{{ tools | tojson }}"
NUMBERS: Final = Options(temperature=1.5, seed=3)


class Runtime:
    """The runtime with its model, used as a caller uses it: body in, prompt or text out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = og.Model(str(folder))
        self.tokenizer = og.Tokenizer(self.model)

    def prompt(self, body: Body, **more: Any) -> str:
        """Render the prompt of a body."""
        given = {key: body[key] for key in ("template_str", "add_generation_prompt") if key in body} | more
        if "tools" in body:
            given["tools"] = json.dumps(body["tools"])
        return str(self.tokenizer.apply_chat_template(json.dumps(body["messages"]), **given))

    def params(self, body: Body) -> Any:
        """Set all that a body says of the search, and its guidance."""
        params = og.GeneratorParams(self.model)
        params.set_search_options(**body.get("search_options", {}))
        if "guidance" in body:
            guidance = dict(body["guidance"])
            data = guidance.pop("data")
            params.set_guidance(data=data if isinstance(data, str) else json.dumps(data), **guidance)
        return params

    def answer(self, body: Body, most: int = 40) -> str:
        """Generate until the end, or until `most` tokens."""
        params = self.params(body)
        tokens = self.tokenizer.encode(self.prompt(body))
        most = body.get("turn_options", {}).get("max_generated_tokens", most)
        params.set_search_options(max_length=len(tokens) + most)
        generator = og.Generator(self.model, params)
        generator.append_tokens(tokens)
        found: list[int] = []
        while not generator.is_done():
            generator.generate_next_token()
            found.append(int(generator.get_next_tokens()[0]))
        return str(self.tokenizer.decode(np.array(found, dtype=np.int32)))

    def turn(self, body: Body) -> Any:
        """Set the turn options of a body on a request of the engine."""
        engine = og.Engine(self.model)
        options = og.TurnOptions(engine.create_request())
        for name, value in body.get("turn_options", {}).items():
            getattr(options, f"set_{name}")(value)
        return options


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Runtime:
    return Runtime(write_model(tmp_path_factory.mktemp("tiny")))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_runtime_takes_the_body(example: Example, runtime: Runtime) -> None:
    body = example.build().body
    # the name of a generator is the caller's own
    assert body.keys() <= {*ARGUMENTS, *OPTIONS, "generator"}
    # the prompt: messages and tools arrive as they are, and the folder's own template renders them
    assert json.loads(runtime.prompt({**body, "template_str": SHOW})) == body["messages"]
    if "tools" in body:
        assert json.loads(runtime.prompt({**body, "template_str": SHOW_TOOLS})) == body["tools"]
    assert all(message["content"] in runtime.prompt(body) for message in body["messages"])
    # the search: names and types, by the strict reader of the configuration and by the parameters themselves
    og.Config(str(runtime.folder)).overlay(json.dumps({"search": body.get("search_options", {})}))
    found = runtime.params(body).get_search_options()
    stated = body.get("search_options", {})
    shown = {name: value for name, value in stated.items() if name not in UNSHOWN}
    assert {name: found[name] for name in shown} == pytest.approx(shown, rel=1e-6)
    runtime.turn(body)


def test_a_conversation_is_rendered(runtime: Runtime) -> None:
    request = Request(
        messages=[
            user("How warm", "is Oslo?"),
            assistant(Reasoning(text="look"), "One moment.", ToolCall("c1", "warm", '{"city": "Oslo"}')),
            Message("tool", ToolResult("c1", "12 C")),
        ],
        instructions=["Be terse.", "Be kind."],
        tools=[Tool("warm", "How warm it is.", {"type": "object", "properties": {}})],
    )
    assert runtime.prompt(onnx_genai.build(request).body) == (
        '[TOOLS]{"type": "function", "function": {"name": "warm", "description": "How warm it is.", '
        '"parameters": {"type": "object", "properties": {}}}}[/TOOLS]'
        "<|system|>Be terse.\n\nBe kind.<|end|>"
        "<|user|>How warm\n\nis Oslo?<|end|>"
        '<|assistant|>(thinks look)One moment.[CALL]warm {"city": "Oslo"}[/CALL]<|end|>'
        "<|tool|>(for c1)12 C<|end|>"
        "<|assistant|>"
    )


def test_an_answer_that_goes_on_has_no_generation_prompt(runtime: Runtime) -> None:
    vendor = {"onnx_genai": {"add_generation_prompt": False}}
    body = onnx_genai.build(Request(messages=[user("hi"), assistant("Once")], vendor=vendor)).body
    assert runtime.prompt(body) == "<|user|>hi<|end|><|assistant|>Once<|end|>"


def test_a_template_of_the_callers_is_used_and_may_refuse(runtime: Runtime) -> None:
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}ok"
    vendor = {"onnx_genai": {"template_str": template}}
    assert runtime.prompt(onnx_genai.build(Request(messages=[user("hi")], vendor=vendor)).body) == "ok"
    refused = onnx_genai.build(Request(messages=[user("hi")], instructions="Be terse.", vendor=vendor)).body
    with pytest.raises(RuntimeError, match="no system role"):
        runtime.prompt(refused)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (ResponseFormat("json_schema", {"type": "object", "properties": {"a": {"enum": [1, 2]}},
                                        "required": ["a"], "additionalProperties": False}), [{"a": 1}, {"a": 2}]),
        (ResponseFormat("grammar", grammar='start: "[1]" | "[2]"'), [[1], [2]]),
    ],
    ids=["schema", "grammar"],
)  # fmt: skip
def test_answers_have_their_form(form: ResponseFormat, expected: list[Any], runtime: Runtime) -> None:
    body = onnx_genai.build(Request(messages=[user("hi")], response_format=form)).body
    assert json.loads(runtime.answer(body, 200)) in expected


def test_a_pattern_is_followed(runtime: Runtime) -> None:
    vendor = {"onnx_genai": {"guidance": {"type": "regex", "data": "[a-c]{3}"}}}
    answer = runtime.answer(onnx_genai.build(Request(messages=[user("hi")], vendor=vendor)).body)
    assert len(answer) == 3
    assert set(answer) <= set("abc")


def test_only_sampling_looks_at_the_temperature(runtime: Runtime) -> None:
    """Check the rule of the spec: without do_sample, temperature changes nothing."""
    plain = onnx_genai.build(Request(messages=[user("hi")])).body
    asked = Request(messages=[user("hi")], options=NUMBERS)
    ignored = onnx_genai.build(asked, policies="refusals=send").body
    assert ignored["search_options"] == {"temperature": 1.5, "random_seed": 3}
    assert runtime.answer(ignored) == runtime.answer(plain)
    sampling = Request(messages=[user("hi")], options=NUMBERS, vendor={"onnx_genai": {"do_sample": True}})
    sampled = onnx_genai.build(sampling).body
    assert runtime.answer(sampled) == runtime.answer(sampled)
    assert runtime.answer(sampled) != runtime.answer(plain)


def test_most_tokens_count_the_answer(runtime: Runtime) -> None:
    body = onnx_genai.build(Request(messages=[user("hi")], options=Options(max_tokens=5))).body
    assert len(runtime.answer(body)) == 5


@pytest.mark.parametrize(
    ("body", "error", "match"),
    [
        ({"search_options": {"max_new_tokens": 5}}, RuntimeError, "max_new_tokens"),
        ({"search_options": {"stop_strings": ["a"]}}, RuntimeError, "stop_strings"),
        ({"search_options": {"do_sample": 1}}, RuntimeError, "Expected a bool"),
        ({"guidance": {"type": "json", "data": {}}}, RuntimeError, "Unsupported guidance type"),
        ({"guidance": {"type": "lark_grammar", "data": "start: ["}}, RuntimeError, "creating grammar"),
        ({"guidance": {"type": "json_schema", "data": {"type": "number?"}}}, RuntimeError, "Invalid type"),
        ({"turn_options": {"stop": ["a"]}}, AttributeError, "set_stop"),
        ({"turn_options": {"stop_strings": "END"}}, TypeError, "incompatible"),
        ({"turn_options": {"max_generated_tokens": "9"}}, TypeError, "incompatible"),
    ],
)
def test_the_runtime_refuses_what_it_does_not_know(
    body: Body, error: type[Exception], match: str, runtime: Runtime
) -> None:
    whole = {"messages": [{"role": "user", "content": "hi"}], **body}
    with pytest.raises(error, match=match):
        _ = (runtime.turn(whole), runtime.answer(whole))
