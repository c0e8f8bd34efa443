"""Text Generation Inference: prompts of a server of one model, answers that are a list of one object, tokens that are marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import BodyError, Request, assistant, openai_chat, user
from tests.checkout import ROOT
from tests.compiler.compiled import load_dialects
from tests.spec_texts import lower_alone

SPEC = (ROOT / "tests" / "compiler" / "text_generation_inference.yaml").read_text("utf-8")
BARE = """
wire: tgi_bare
extends: tgi_generate
title: Text Generation Inference, /generate
answer: {in_list: false}
"""
SILENT = """
wire: tgi_silent
extends: tgi_generate
title: Text Generation Inference, errors by status
answer: {error_kinds: null}
"""
SETTINGS = {"base_url": "https://tgi.example", "api_key": "key-1"}
QWEN = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
ENDED = {"finish_reason": "eos_token", "generated_tokens": 3, "input_length": 7, "seed": None}


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    specs = {"tgi_generate": SPEC, "tgi_bare": BARE, "tgi_silent": SILENT}
    return load_dialects(tmp_path_factory.mktemp("lists"), "package_of_lists", specs)


@pytest.fixture
def tgi(wires: dict[str, Any]) -> Any:
    return wires["tgi_generate"]


@pytest.mark.parametrize("more", [{}, {"odd": 1}], ids=["known keys", "an unknown key"])
@pytest.mark.parametrize("listed", [True, False], ids=["in a list", "bare"])
def test_an_answer_is_written_as_it_was_read(tgi: Any, more: dict[str, Any], *, listed: bool) -> None:
    item = {"generated_text": "Four.", **more}
    body = [item] if listed else item
    answer = tgi.read_answer(body)
    assert answer.text == "Four."
    assert tgi.write_answer(answer) == body
    assert openai_chat.write_answer(answer, policies="lenient")["choices"][0]["message"]["content"] == "Four."


def test_an_answer_of_another_api_becomes_a_list(wires: dict[str, Any]) -> None:
    said = {"choices": [{"message": {"role": "assistant", "content": "Four."}, "finish_reason": "stop"}]}
    answer = openai_chat.read_answer(said)
    item = {"details": {"finish_reason": "eos_token"}, "generated_text": "Four."}
    assert wires["tgi_generate"].write_answer(answer) == [item]
    assert wires["tgi_bare"].write_answer(answer) == item
    # how it came says nothing of the lists of another API
    bare = wires["tgi_generate"].read_answer(item)
    assert wires["tgi_silent"].write_answer(bare) == [item]
    assert wires["tgi_bare"].write_answer(wires["tgi_generate"].read_answer([item])) == item


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([], "a list of 0 values, not a list of one object"),
        ([{"generated_text": "a"}, {"generated_text": "b"}], "a list of 2 values, not a list of one object"),
        (["a"], "text, not a list of one object"),
        ([{"error": "Model is overloaded", "error_type": "overloaded"}], "rate_limit: Model is overloaded"),
        ({"error": "Model is overloaded", "error_type": "overloaded"}, "rate_limit: Model is overloaded"),
    ],
)
def test_another_list_is_no_answer(tgi: Any, body: Any, says: str) -> None:
    with pytest.raises(BodyError, match=says):
        tgi.read_answer(body)


def test_a_list_is_no_answer_where_the_spec_has_none(wires: dict[str, Any]) -> None:
    with pytest.raises(BodyError, match="the answer is a list, not an object"):
        wires["tgi_bare"].read_answer([{"generated_text": "Four."}])


def test_a_dialect_removes_what_its_parent_says_of_answers(wires: dict[str, Any]) -> None:
    error = {"error": "Request failed during generation", "error_type": "generation"}
    kinds = [wires[name].read_error(422, error).kind for name in ("tgi_generate", "tgi_silent")]
    assert kinds == ["server", "invalid_request"]


def test_a_list_as_a_shape_is_told_its_word() -> None:
    start, end = SPEC.index("  body:\n    ...: $message"), SPEC.index("  key_aliases:")
    text = f"{SPEC[:start]}  body: [{{...: $message}}]\n{SPEC[end:]}"
    problems = lower_alone({"tgi_generate.yaml": text}).problems
    assert any("with in_list: true" in problem.message for problem in problems)


@pytest.mark.parametrize("condition", ["unless: token.special", "unless: special", "when: token"])
def test_a_condition_that_never_holds_is_refused(condition: str) -> None:
    text = SPEC.replace(
        "{grow: token.text, to: generated_text}", f"{{grow: token.text, to: generated_text, {condition}}}"
    )
    (problem,) = lower_alone({"tgi_generate.yaml": text}).problems
    assert (problem.rule, "stream.inside" in (problem.hint or "")) == ("bad-step", True)


def test_a_server_that_holds_a_model_by_default_expects_its_template(tmp_path: Path) -> None:
    text = SPEC.replace("{stands_for: model, ", "{stands_for: model, default: Qwen/Qwen3-8B, ")
    wires = load_dialects(tmp_path, "package_of_served_models", {"tgi_generate": text})
    assert wires["tgi_generate"].build(Request(None, [user("hi")]), settings=SETTINGS).body == {
        "inputs": QWEN
    }


def test_marks_are_not_heard_and_counts_are(tgi: Any) -> None:
    stream = tgi.stream()
    tokens = [("Fo", False, None), ("ur.", False, None), ("<|im_end|>", True, "Four.")]
    events = [
        event
        for number, (text, special, whole) in enumerate(tokens, 1)
        for event in stream.feed(
            {
                "index": number,
                "token": {"id": number, "text": text, "logprob": -0.1, "special": special},
                "generated_text": whole,
                "details": ENDED if whole else None,
            }
        )
    ]
    assert [event.text for event in events if event.kind == "text"] == ["Fo", "ur."]
    assert [(event.data.input, event.data.output) for event in events if event.kind == "usage"] == [(7, 3)]
    (written,) = tgi.write_answer(stream.close())
    assert (written["generated_text"], written["details"]) == ("Four.", ENDED)


def test_a_prompt_goes_on_with_its_template_where_no_model_is_known(tgi: Any) -> None:
    reading = tgi.read({"inputs": QWEN})
    assert not list(reading.unknown)
    more = reading.request.replace(messages=[*reading.request.messages, assistant("Hello."), user("bye")])
    text = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nbye<|im_end|>\n"
    assert tgi.build(more, settings=SETTINGS).body == {"inputs": f"{text}<|im_start|>assistant\n"}
    served = {**SETTINGS, "served": "meta-llama/Llama-3.1-8B-Instruct"}
    assert tgi.build(more, settings=served).body["inputs"].startswith("<|begin_of_text|>")
