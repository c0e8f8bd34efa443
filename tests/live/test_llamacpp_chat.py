"""Every example of the llama.cpp wire, answered by llama.cpp's own server, and what the server made of it."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import pytest

from tests.examples import Example, examples

from .server import LocalServer, generated_text, local_server, rendered_turns
from .tiny_model import write_tiny_model

PATH: Final = "/v1/chat/completions"
EXAMPLES: Final = {each.name: each for each in examples() if each.wire == "llamacpp_chat"}

# the model has no projector: the server reads these forms and says so, in this order
WITHOUT_PROJECTOR: Final = ("pictures, sound and film", "pictures by address, and a film as data")
STREAMED: Final = "a stream with usage"
ANSWERED: Final = [each for each in EXAMPLES if each not in (*WITHOUT_PROJECTOR, STREAMED)]

QUESTION: Final = [{"role": "user", "content": "hi"}]
TOOL: Final = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
HINT: Final = "input is not supported - hint: if this is unexpected, you may need to provide the mmproj"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with local_server(write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")) as running:
        yield running


def _body(server: LocalServer, name: str) -> dict[str, Any]:
    """Build an example for this server; an answer needs no more than a few tokens."""
    example: Example = EXAMPLES[name]
    built = example.build(base_url=f"{server.url}/v1", api_key="local")
    assert built.url == server.url + PATH
    return {"max_tokens": 8, **built.body}


def _answer(server: LocalServer, name: str) -> Any:
    status, answer = server.post(PATH, _body(server, name))
    assert status == 200, answer
    return answer


@pytest.mark.parametrize("name", ANSWERED)
def test_the_server_answers(server: LocalServer, name: str) -> None:
    message = _answer(server, name)["choices"][0]["message"]
    assert message["role"] == "assistant"


@pytest.mark.parametrize("name", ANSWERED)
def test_sampling_arrives(server: LocalServer, name: str) -> None:
    body = _body(server, name)
    server.render(PATH, body)
    taken = server.last_parameters()
    # what the server changes on the way: a grammar of its own, token ids, and the names of two keys
    shown = {"max_tokens" if key == "max_completion_tokens" else key: body[key] for key in body}
    shown.pop("logit_bias", None)
    shown.pop("lora", None)
    common = {key: value for key, value in shown.items() if key in taken}
    assert common.keys() >= {"max_tokens"}
    assert {key: taken[key] for key in common} == common


def test_token_biases_arrive(server: LocalServer) -> None:
    server.render(PATH, _body(server, "a question"))
    assert server.last_parameters()["logit_bias"] == [{"token": 5, "bias": -1.0}]


def test_instructions_and_thinking_render(server: LocalServer) -> None:
    prompt = server.render(PATH, _body(server, "a server of one model"))
    assert rendered_turns(prompt) == [("system", "Be terse."), ("user", "hi"), ("assistant", "")]
    prompt = server.render(PATH, _body(server, "an answer that is begun already"))
    assert prompt.endswith("<|im_start|>assistant\nSure")


def test_calls_and_results_render(server: LocalServer) -> None:
    turns = rendered_turns(server.render(PATH, _body(server, "calls and their results")))
    call = '<tool_call>\n{"id": "call_1", "name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    assert turns[1:] == [
        ("user", "Weather in Paris?"),
        ("assistant", f"Let me look.\n{call}"),
        ("tool", '<tool_response id="call_1">\nsunny\n</tool_response>'),
        ("user", "And tomorrow?"),
        ("assistant", ""),
    ]


@pytest.mark.parametrize("name", ["an answer by grammar", "a grammar beside tools that may not be called"])
def test_a_grammar_binds(server: LocalServer, name: str) -> None:
    assert generated_text("chat", _answer(server, name)) in ("yes", "no")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("an answer by schema", r'\{ ?"a" ?: ?-?\d'),
        ("an answer by a schema with a name", r"\{"),
        ("an answer by a schema outside response_format", r"-?\d+$"),
        ("an answer in json", r"\{"),
    ],
)
def test_a_schema_binds(server: LocalServer, name: str, beginning: str) -> None:
    assert re.match(beginning, generated_text("chat", _answer(server, name)))


def test_a_stream_ends_with_usage(server: LocalServer) -> None:
    data = json.dumps(_body(server, STREAMED)).encode()
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=300)
    with closing(connection):
        connection.request("POST", PATH, data, {"content-type": "application/json"})
        text = connection.getresponse().read().decode()
    events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    assert json.loads(events[-2])["usage"]["completion_tokens"] == 8


@pytest.mark.parametrize("name", WITHOUT_PROJECTOR)
def test_media_are_understood(server: LocalServer, name: str) -> None:
    """Alone in a message, each part is read for what it is; the model then lacks the projector for it."""
    said: list[str] = []
    for message in _body(server, name)["messages"]:
        parts = message["content"] if isinstance(message.get("content"), list) else []
        for part in (part for part in parts if part["type"] != "text"):
            status, answer = server.post(PATH, {"messages": [{**message, "content": [part]}]})
            assert status == 500
            said.append(answer["error"]["message"].removesuffix(f" {HINT}"))
    assert (
        said
        == {
            "pictures, sound and film": ["image", "audio", "video", "image"],
            "pictures by address, and a film as data": ["image", "video", "image"],
        }[name]
    )


REFUSED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "a grammar beside tools": (
        {"grammar": 'root ::= "yes"', "tools": [TOOL]},
        "Cannot use custom grammar constraints with tools.",
    ),
    "top_logprobs without logprobs": (
        {"top_logprobs": 2},
        "top_logprobs requires logprobs to be set to true",
    ),
    "an answer begun and continued": (
        {"continue_final_message": True, "add_generation_prompt": True},
        "Cannot set both add_generation_prompt and continue_final_message to true.",
    ),
    "a file": (
        {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
        "unsupported content[].type",
    ),
    "a refusal": (
        {"messages": [*QUESTION, {"role": "assistant", "refusal": "No."}, *QUESTION]},
        "Assistant message must contain either 'content' or 'tool_calls'!",
    ),
    "a free-text tool": (
        {"tools": [{"type": "custom", "custom": {"name": "note"}}]},
        "Failed to parse tools: Unsupported tool type",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_spec_leaves_out_is_refused(server: LocalServer, case: str) -> None:
    edit, reason = REFUSED[case]
    status, answer = server.post(PATH, {"max_tokens": 8, "messages": QUESTION, **edit})
    assert status >= 400
    assert answer["error"]["message"].startswith(reason)


def test_a_named_tool_would_be_taken_for_auto(server: LocalServer) -> None:
    """Why the spec has no form for it: the server does not refuse an object, it forces nothing."""

    def lazy(choice: Any) -> bool:
        server.render(PATH, {"max_tokens": 8, "messages": QUESTION, "tools": [TOOL], "tool_choice": choice})
        return bool(server.last_parameters()["grammar_lazy"])

    named = {"type": "function", "function": {"name": "f"}}
    assert (lazy("required"), lazy("auto"), lazy(named)) == (False, True, True)
