"""Laws of prompts: nothing empty, nothing out of order, nothing twice, and one text on every path and every API."""

from __future__ import annotations

import posixpath
from typing import Any

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire import Options, Policies, Request
from promptwire.context import PRESETS, ContextPolicies
from promptwire.prompts import ProviderRequest, as_request, convert, deliver, matches
from tests.internals.runtime import normalise
from tests.laws.strategies import searching
from tests.laws.test_instructions import effective_texts
from tests.laws.traces import module
from tests.strategies import texts

POLICIES = {
    **PRESETS,
    "keep": ContextPolicies(empty_parts="keep", blank="keep", guideline_only_messages="keep"),
    "demoted": ContextPolicies(late_system="user", tool_role="assistant", file_header="xml"),
    "bare": ContextPolicies(
        system_message_files="bare", guideline_reference="omit", trim="none", normalise_newlines=False
    ),
}
WIRES = ("openai_chat", "openai_responses", "anthropic_messages")
FILES = {
    "a.rules.md": "A",
    "docs/b.rules.md": " B\r\n",
    "c.rules.md": " ",
    "code.py": "x = 1\r\n",
    "empty.txt": "",
}
PATTERNS = ("**/*.rules.md",)


def wordings() -> SearchStrategy[str]:
    return st.sampled_from(("", " ", "\n", "a", "b", "[User]: a", "<Attached: x>", "line\r\nline")) | texts()


def segments() -> SearchStrategy[dict[str, str]]:
    paths = st.sampled_from((*FILES, "./a.rules.md", r"docs\b.rules.md"))
    return (
        st.builds(lambda text: {"type": "text", "value": text}, wordings())
        | st.builds(lambda path: {"type": "file", "value": path}, paths)
        | st.just({"type": "image", "value": "i.png"})
    )


def messages(*roles: str) -> SearchStrategy[list[dict[str, Any]]]:
    content = wordings() | st.lists(segments(), max_size=3)
    return st.lists(
        st.builds(lambda role, content: {"role": role, "content": content}, st.sampled_from(roles), content),
        max_size=5,
    )


ANY_MESSAGES = messages("system", "user", "assistant", "tool")
BASES = st.none() | wordings()


def made(
    given_messages: list[dict[str, Any]], base: str | None, policies: ContextPolicies
) -> ProviderRequest:
    return convert(
        given_messages, files=FILES, guideline_patterns=PATTERNS, system_prompt=base, policies=policies
    )


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(given_messages=ANY_MESSAGES, base=BASES)
def test_no_message_is_empty(name: str, given_messages: list[dict[str, Any]], base: str | None) -> None:
    policies = POLICIES[name]
    prompt = made(given_messages, base, policies).chat_prompt or ()
    assert [each for each in prompt if not each.content] == []
    if policies.blank == "drop":
        assert [each for each in prompt if each.content.isspace()] == []


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(data=st.data())
def test_turns_and_entries_keep_their_order_and_what_is_missing_has_a_note(
    name: str, data: st.DataObject
) -> None:
    policies = POLICIES[name]
    roles = data.draw(st.lists(st.sampled_from(("system", "user", "assistant", "tool")), max_size=6))
    said = [data.draw(st.sampled_from(("", "x")), "says") for _ in roles]
    numbered = [
        {"role": role, "content": f"<{index}>" if word else ""}
        for index, (role, word) in enumerate(zip(roles, said, strict=True))
    ]
    found = made(numbered, None, policies)
    spoken = [f"<{index}>" for index, word in enumerate(said) if word]
    places = [found.question.index(each) for each in spoken]
    assert places == sorted(places)
    assert [found.question.count(each) for each in spoken] == [1] * len(spoken)
    if found.chat_prompt is None:
        return
    whole = [(index, each.content) for index, each in enumerate(found.chat_prompt)]
    held = {each: [index for index, content in whole if each in content] for each in spoken}
    assert {each: len(places) for each, places in held.items() if len(places) != 1} == {}
    turns = [each for each in spoken if roles[int(each[1:-1])] != "system"]
    assert [held[each][0] for each in turns] == sorted(held[each][0] for each in turns)
    assert len([note for note in found.notes if note.action == "dropped" and note.path]) == said.count("")


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(given_messages=ANY_MESSAGES, base=BASES)
def test_converting_a_prompt_again_changes_nothing(
    name: str, given_messages: list[dict[str, Any]], base: str | None
) -> None:
    policies = POLICIES[name]
    first = made(given_messages, base, policies)
    assert made(given_messages, base, policies) == first
    if first.chat_prompt is None:
        return
    again = [{"role": each.role, "content": each.content} for each in first.chat_prompt]
    second = made(again, None, policies)
    if second.chat_prompt is not None and policies.tool_role == "keep":
        assert second.chat_prompt == first.chat_prompt
    assert second.guidelines == ()


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(given_messages=ANY_MESSAGES)
def test_a_guideline_stands_in_the_system_message_and_nowhere_else(
    name: str, given_messages: list[dict[str, Any]]
) -> None:
    found = convert(
        given_messages,
        files={
            path: f"RULE OF {path}" if path.endswith(".rules.md") else text for path, text in FILES.items()
        },
        guideline_patterns=PATTERNS,
        policies=POLICIES[name],
    )
    attached = {
        normalise(each["value"])
        for message in given_messages
        for each in (message["content"] if isinstance(message["content"], list) else ())
        if each["type"] == "file" and each["value"].endswith(".rules.md")
    }
    system = [each for each in found.chat_prompt or () if each.role == "system"]
    others = [each for each in found.chat_prompt or () if each.role != "system"]
    assert "RULE OF" not in "".join([each.content for each in others])
    assert "RULE OF" not in found.question
    said = "\n".join(found.guidelines)
    assert {path for path in map(normalise, FILES) if f"RULE OF {path}" in said} == attached
    if found.chat_prompt is not None and attached:
        assert [text for text in found.guidelines if text not in system[0].content] == []


# ---- one text on every path and every API


@pytest.mark.parametrize("name", POLICIES)
@searching(30)
@given(given_messages=messages("system", "user", "assistant"), base=BASES)
def test_what_is_sent_depends_neither_on_the_path_nor_on_the_api(
    name: str, given_messages: list[dict[str, Any]], base: str | None
) -> None:
    policies = POLICIES[name]
    prompt = made(given_messages, base, policies)
    if not prompt.chat_prompt and not prompt.question.strip():
        return
    delivered = deliver(prompt, policies).messages
    expected = [each.content for each in delivered if each.role == "system"]
    defaults = Request("m", options=Options(max_tokens=8))
    # an API may want a system message in another place, no blank text, or a message at all; the text is the same
    anyway = Policies(refusals="ignore", blank="keep")
    for wire in WIRES:
        build = module(wire).build
        native = build(as_request(prompt, defaults, policies=policies, path="native"), policies=anyway).body
        message = build(as_request(prompt, defaults, policies=policies, path="message"), policies=anyway).body
        assert effective_texts(native) == expected
        assert effective_texts(message) == expected
        assert spoken(native) == spoken(message)
        merged = [(each.role, each.content) for each in delivered if each.role != "system"]
        assert "".join([text for _, text in spoken(native)]) == "".join([text for _, text in merged])
        if wire != "anthropic_messages":
            assert spoken(native) == merged


def spoken(body: dict[str, Any]) -> list[tuple[str, str]]:
    """The turns of a body: role and text; an API that wants alternating turns has several texts in one."""
    found: list[tuple[str, str]] = []
    for item in body.get("messages", body.get("input", ())):
        if item["role"] not in ("system", "developer"):
            content = item["content"]
            pieces = [content] if isinstance(content, str) else [each["text"] for each in content]
            found.append((item["role"], "".join(pieces)))
    return found


# ---- patterns

NAMES = st.sampled_from(("a", "b.md", ".git", "docs", "[x]", "é"))


@searching(150)
@given(
    names=st.lists(NAMES, min_size=1, max_size=5),
    pattern=st.lists(st.sampled_from(("**", "*", "a", "b.*", "docs", ".git")), min_size=1, max_size=5),
)
def test_a_pattern_means_what_trying_every_way_would_find(names: list[str], pattern: list[str]) -> None:
    def tried(left: list[str], right: list[str]) -> bool:
        if not right:
            return not left
        if right[0] == "**":
            into = bool(left) and not left[0].startswith(".") and tried(left[1:], right)
            return into or tried(left, right[1:])
        if not left:
            return False
        fits = left[0] == right[0] or (
            not left[0].startswith(".") and (right[0] == "*" or (right[0] == "b.*" and left[0] == "b.md"))
        )
        return fits and tried(left[1:], right[1:])

    path, written = "/".join(names), "/".join(pattern)
    expected = tried(names, pattern)
    assert matches(path, [written]) == expected
    assert matches(posixpath.join(".", path), [written.replace("/", "\\")]) == expected
    assert matches(path.replace("/", "\\"), ["nothing", f"./{written}"]) == expected


def test_a_hostile_pattern_takes_no_time() -> None:
    path = "/".join(["a" * 20] * 100)
    assert not matches(path, ["**/" * 500 + "b", "/".join(["**/*a*a*a*a*a*a*a*a*b"] * 40)])
