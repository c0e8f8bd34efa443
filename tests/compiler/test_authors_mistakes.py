"""Mistakes of authors that would compile to something that cannot work: each is a problem at its place."""

from __future__ import annotations

import pytest

from promptwire_gen.plugin_api import SpecProblem
from tests.compiler.changed_specs import Change, is_compiled
from tests.spec_texts import lower_alone, spec_text

HEAD = "wire: acme_chat\ntitle: Acme\n"


def problems(text: str, *parents: str) -> list[SpecProblem]:
    """Lower a spec beside its parents, and return the problems."""
    sources = {f"{wire}.yaml": spec_text(wire, examples=False) for wire in parents}
    return list(lower_alone({**sources, "acme_chat.yaml": HEAD + text}).problems)


CASES = {
    "a number in text": (
        'extends: xai_chat\nbody: {max_completion_tokens?: null, tokens?: "${max_tokens}"}\n',
        "bad-hole",
        "write $max_tokens|number_text",
    ),
    "a forgotten dollar": (
        "extends: xai_chat\nbody: {seed?: seed}\n",
        "bare-name",
        "write $seed for its value, or the word in quotes",
    ),
    "a forgotten dollar behind =": ("extends: xai_chat\nbody: {seed?: =seed}\n", "bare-name", "write $seed"),
    "a forgotten dollar in a tool": (
        "extends: xai_chat\nunions: {tool: {function: {function: {description?: description}}}}\n",
        "bare-name",
        "write $description",
    ),
    "a section under another": (
        "extends: xai_chat\nanswer:\n  stream: {framing: sse}\n",
        "misplaced-section",
        "move it to the first column",
    ),
    "a section under the body": (
        "extends: xai_chat\nbody:\n  slots: {content: list}\n",
        "misplaced-section",
        "move it to the first column",
    ),
    "a key of a section in the first column": (
        "extends: xai_chat\ncandidate: {index: $index}\n",
        "misplaced-section",
        "move it into answer",
    ),
    "a forgotten ? of an option": (
        "extends: dashscope_generation\nparts: {video.url@user: {fps: $vendor.fps}}\n",
        "never-written",
        "write ? behind the key of the option",
    ),
    "a key that no event brings": (
        "extends: cohere_chat\nanswer: {body: {sources?: $vendor.sources}}\n",
        "never-filled",
        "stream.absent: [sources]",
    ),
    "two letters of a key changed places": (
        "extends: xai_chat\nbody: {safe_mdoe?: $vendor.safe_mode}\n",
        "near-name",
        "write safe_mode?: $vendor.safe_mode, or name both alike",
    ),
    "a number for a shape": (
        "extends: xai_chat\nunions: {response_format: {json: 5}}\n",
        "bad-shape",
        "write the JSON of the API",
    ),
    "a stream that cannot tell of errors": (
        "extends: cohere_chat\nstream: {write: {error: null}}\n",
        "missing-key",
        "write error: with the event of an error",
    ),
    "a template without the text of its message": (
        "extends: bedrock_titan\nprompt: [{user: 'User: text', source: 'a page, 2026-11'}]\n",
        "bad-prompt",
        "write ${text} in it, once and alone",
    ),
    "a template that is every text": (
        "extends: bedrock_titan\nprompt: [{user: '${text}', models: ['hm-*'], source: 'a page, 2026-11'}]\n",
        "bad-prompt",
        'write marks, or user: "${text}" alone where the prompt is the only message of the user',
    ),
    "a template without marks between messages": (
        "extends: bedrock_titan\nprompt: [{begin: hm, user: '${text}', assistant: '${text}!', source: 'a page, 2026-11'}]\n",
        "bad-prompt",
        "write the marks between user and assistant",
    ),
    "a prompt of lists": (
        "extends: bedrock_titan\nmessages: {user: {content: '$content[]'}}\n",
        "bad-prompt",
        "write {role: user, content: $content|join}",
    ),
    "a prompt beside a last message": (
        "extends: bedrock_titan\nbody: {question?: $messages.last.user.content}\n",
        "bad-prompt",
        "write key: $messages",
    ),
    "an object as text to the letter": (
        "extends: xai_chat\nunions: {tool: {function: {function: {parameters: $parameters|json}}}}\n",
        "bad-filter",
        "write $parameters|object_text",
    ),
    "text of one role behind text of all roles": (
        "extends: dashscope_generation\nparts: {text@tool: {kind: text, said: $text}}\n",
        "never-written",
        'or name the other roles in "text@..."',
    ),
    "a key that an event brings": (
        "extends: cohere_chat\nstream: {absent: [logprobs]}\n",
        "bad-value",
        "leave it out",
    ),
}


@pytest.mark.parametrize(("text", "rule", "hint"), CASES.values(), ids=CASES)
def test_a_mistake_is_the_only_problem(text: str, rule: str, hint: str) -> None:
    parents = [
        "openai_like",
        "openai_chat",
        "xai_chat",
        "cohere_chat",
        "dashscope_generation",
        "bedrock_titan",
    ]
    found = problems(text, *parents)
    assert [problem.rule for problem in found] == [rule], found
    assert hint in (found[0].hint or "")
    assert found[0].span.file == "acme_chat.yaml"


def test_a_word_in_quotes_is_no_field() -> None:
    assert not problems(
        'extends: xai_chat\nbody: {mode: "seed", seed?: null}\n', "openai_like", "openai_chat", "xai_chat"
    )


def test_no_slot_is_named_like_the_results_beside_messages() -> None:
    found = problems("extends: cohere_chat\nslots: {results: list}\n", "cohere_chat")
    assert "a slot cannot be named" in found[0].message


def test_a_dialect_may_leave_out_the_clients_of_its_parent() -> None:
    text = HEAD + "extends: openai_chat\nclients: null\nsdks: null\n"
    texts = {f"{wire}.yaml": spec_text(wire, examples=False) for wire in ("openai_like", "openai_chat")}
    assert is_compiled(Change("acme_chat.yaml", 0, 0, ""), {**texts, "acme_chat.yaml": text})
