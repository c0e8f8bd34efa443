"""Claims: no capability of a shipped wire goes without one, and what shapes do not decide is not claimed."""

from __future__ import annotations

from functools import cache

import pytest

import promptwire
from promptwire_gen.plugin_api import WireModel
from tests.compiler.ruled_spec import SPEC
from tests.internals.compiler import OPTIONS, Expectation, expectations, lower_all
from tests.spec_texts import models

# what the witness of claims does not know, with the reason; an example of the spec shows each
LEFT_TO_EXAMPLES = {
    ("anthropic_foundry", "instructions in mid-conversation"),  # two rules refuse it
    ("bedrock_converse", "response format json_schema"),  # the schema is written as text
    ("gemini_generate", "instructions in mid-conversation"),  # it has no such message
    ("gemini_interactions", "instructions in mid-conversation"),  # nor has this one
    ("mistral_conversations", "instructions in mid-conversation"),  # nor this
    # the template of a prompt depends on the name of the model
    ("bedrock_meta", "a whole conversation is sent without a continuation"),
    ("bedrock_meta", "instructions in mid-conversation"),
    ("bedrock_meta", "instructions land where the wire has them"),
    ("bedrock_meta", "neighbours stay two messages"),
    ("bedrock_meta", "several instructions keep their order"),
    # neighbours become one message of a prompt, and this prompt has no instructions
    ("bedrock_titan", "instructions in mid-conversation"),
    ("bedrock_titan", "neighbours stay two messages"),
    # its prompt is one message
    ("ollama_generate", "a whole conversation is sent without a continuation"),
    ("ollama_generate", "instructions in mid-conversation"),
    ("ollama_generate", "neighbours stay two messages"),
    # its messages stand inside an object
    ("dashscope_generation", "instructions land where the wire has them"),
    ("dashscope_generation", "several instructions keep their order"),
    # the oracle does not know what the filter number_text writes; the examples show it
    ("yandex_completion", "parameter max_tokens"),
    # the model is left out as well, which all other bodies name
    ("mistral_conversations", "a continuation by its conversation omits what the server holds"),
}


@cache
def claimed(wire: str) -> dict[str, Expectation]:
    return {claim.name: claim for claim in expectations(models()[wire])}


def expected(wire: WireModel) -> set[str]:
    """The names of the claims that the capabilities of a wire call for."""
    names = {
        "one user message",
        "instructions land where the wire has them",
        "several instructions keep their order",
        "neighbours become one message" if wire.merges else "neighbours stay two messages",
        "a whole conversation is sent without a continuation",
        "tools land where the wire has them",
        *(f"tool choice {row.mode}" for row in wire.unions["tool_choice"]),
        *(f"response format {row.mode}" for row in wire.unions["response_format"] if row.mode != "python"),
        *(f"parameter {name}" for name in OPTIONS),
    }
    if wire.instructions.mid_conversation in ("native", "none"):
        names.add("instructions in mid-conversation")
    held = wire.body.dotted["continuation"] or {"id"}
    return names | {f"a continuation by its {name} omits what the server holds" for name in held}


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_every_capability_of_a_shipped_wire_is_claimed(wire: str) -> None:
    missing = expected(models()[wire]) - set(claimed(wire))
    assert {(wire, name) for name in missing} == {row for row in LEFT_TO_EXAMPLES if row[0] == wire}


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_an_option_is_built_where_a_key_holds_it_and_refused_elsewhere(wire: str) -> None:
    carried = models()[wire].body.carried_options
    for name in OPTIONS:
        if (wire, f"parameter {name}") in LEFT_TO_EXAMPLES:
            continue
        claim = claimed(wire)[f"parameter {name}"]
        assert (claim.body is not None) == (name in carried) or claim.error == "Refused", name


def test_a_body_that_is_not_decided_leaves_the_refusals() -> None:
    spec = SPEC.replace("ENTRY", "temperature>1")
    changed = spec.replace("model: $model", "model: $model\n  seal: $vendor.seal", 1)
    for text, decided in ((spec, True), (changed, False)):
        found = lower_all({"ruled_chat.yaml": text})
        assert found.problems == []
        plain, *others = expectations(found.wires[0])
        assert (plain.name, plain.body is not None) == ("one user message", decided)
        assert any(claim.body is not None for claim in others) == decided
        assert {"parameter n", "parameter logprobs"} <= {
            claim.name for claim in others if claim.error == "NoPlace"
        }


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_shapes_of_parts_are_claimed_with_all_their_fields(wire: str) -> None:
    rows = [claim for name, claim in claimed(wire).items() if " with all " in name]
    assert rows
    for claim in rows:
        assert claim.body is not None
        assert claim.error is None and not claim.lost


def test_what_is_claimed_of_a_part() -> None:
    found = claimed("anthropic_messages")
    names = [name for name in found if name.startswith("image.url ")]
    image = {"type": "image", "source": {"type": "url", "url": "https://files.example/one"}}
    mark, option = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}, {"transformations": "word"}
    bodies = {name.removeprefix("image.url "): found[name].body for name in names}
    assert {name: body and body["messages"][0]["content"][0] for name, body in bodies.items()} == {
        "with all that it has": image | mark | option,
        "with what it needs": image,
        "with all but a cache mark": image | option,
        "with some of it": image | option,
        "with the rest of it": image | mark,
        "and what it has no place for": None,
    }
    assert found["image.url and what it has no place for"].lost == ("filename", "detail", "signature")


def test_a_part_is_claimed_without_what_a_rule_refuses() -> None:
    names = [name for name in claimed("openai_chat") if name.startswith("image.url with all")]
    assert names == ["image.url with all but a cache mark"]


def test_a_call_stands_with_its_result() -> None:
    claim = claimed("anthropic_messages")["tool_call with what it needs"]
    assert claim.body is not None
    roles = [(message["role"], message["content"]) for message in claim.body["messages"]]
    assert [role for role, _ in roles] == ["user", "assistant", "user"]
    assert roles[1][1] == [{"type": "tool_use", "id": "call12345", "name": "word", "input": {"query": 1}}]
    assert roles[2][1][0]["tool_use_id"] == "call12345"
