"""Loading files of specs: all problems at once, and what a loaded spec keeps."""

from __future__ import annotations

from textwrap import dedent

import pytest

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.internals.compiler import SpecError, load_specs, locate
from tests.internals.runtime import plain

from .small_spec import FILE, WHOLE, printed


def test_all_problems_of_all_files_at_once() -> None:
    files = {
        "b/second.yaml": "wire: second\ntitle: 2\nwirr: x\n",
        "a/first.yaml": "wire: [\n",
        "c/child.yaml": "extends: first\nwire: child\ntools: 3\n",
        "d/lost.yaml": "extends: secnd\nwire: lots\npasses: [a, a]\n",
        "e/first.yaml": "wire: first\n",
    }
    missing = "\n".join(
        f'b/second.yaml:1:1: missing-key: the spec lacks "{name}"\n    1 | wire: second\n      | ^'
        for name in ("body", "continuation", "instructions", "messages", "parts", "transport")
    )
    assert printed(files) == dedent(
        f"""\
        a/first.yaml:1:7: syntax: a value is expected here
            1 | wire: [
              |       ^
        {missing.replace(chr(10), chr(10) + " " * 8)}
        b/second.yaml:2:8: wrong-type: title must be text, not a number
            2 | title: 2
              |        ^ put it in quotes
        b/second.yaml:3:1: unknown-key: "wirr" is not a key of a spec
            3 | wirr: x
              | ^^^^ did you mean "wire"?
        c/child.yaml:3:8: wrong-type: tools must be a mapping, not a number
            3 | tools: 3
              |        ^
        d/lost.yaml:1:10: unknown-parent: there is no spec "secnd"
            1 | extends: secnd
              |          ^^^^^ did you mean "second"?
        d/lost.yaml:2:7: wire-name: wire is "lots", and the file is named "lost"
            2 | wire: lots
              |       ^^^^ write wire: lost, or rename the file to lots.yaml
        d/lost.yaml:3:13: duplicate-value: "a" stands in passes twice
            3 | passes: [a, a]
              |             ^
        e/first.yaml:1:1: duplicate-wire: there are two specs "first"
            1 | wire: first
              | ^ the other is a/first.yaml"""
    )


def test_a_mistake_in_one_section_hides_none_in_another() -> None:
    text = (
        WHOLE.replace("name: two", "name: one").replace("mode: resend", "mode: sender").replace("POST", "PUT")
    )
    text = text.replace("[merge_neighbours]", "[a, a]")
    with pytest.raises(SpecError) as caught:
        load_specs({FILE: text})
    found = [(problem.span.line, problem.rule) for problem in caught.value.problems]
    # names of examples wait for the transport, whose settings they use
    assert found == [(5, "bad-value"), (15, "bad-value"), (22, "duplicate-value")]


def test_a_problem_in_an_inherited_part_names_the_parents_file() -> None:
    child = "wire: child\nextends: small_chat\ntitle: Child\nslots: {more: many}\n"
    files = {FILE: WHOLE.replace("passes: [merge", "passes: [Merge"), "child.yaml": child}
    assert printed(files) == dedent(
        """\
        child.yaml:4:15: bad-value: "many" is not a value of slots.more: use list or one
            4 | slots: {more: many}
              |               ^^^^
        provider_specs/small_chat.yaml:22:10: bad-value: passes[0] must be one lower-case word
           22 | passes: [Merge_neighbours]
              |          ^^^^^^^^^^^^^^^^"""
    )


def test_python_keywords_are_no_names() -> None:
    files = {"import.yaml": WHOLE.replace("small_chat", "import")}
    assert printed(files) == dedent(
        """\
        import.yaml:1:7: wire-name: "import" is a word of Python's own: choose another name
            1 | wire: import
              |       ^^^^^^"""
    )


def test_what_is_kept() -> None:
    child = (
        "wire: child\nextends: small_chat\ntitle: Child\nbody: {model: null}\nexamples: []\nunions: null\n"
    )
    loaded = load_specs({FILE: WHOLE, "child.yaml": child})
    assert [(spec.wire, spec.file) for spec in loaded] == [("child", "child.yaml"), ("small_chat", FILE)]
    first, second = loaded
    assert first.model.extends == "small_chat"
    assert first.model.transport == second.model.transport
    assert (first.model.examples, first.get_section("unions")) == ((), None)
    body, parts = first.get_section("body"), second.get_section("parts")
    assert body is not None
    assert parts is not None
    assert (plain(body), plain(parts)) == ({"messages": "$messages"}, {"text": "$text"})
    assert second.model.body is second.get_section("body")
    assert locate(first.tree, ("body",)) == Span("child.yaml", 4, 7, 1)
    assert locate(first.tree, ("body", "messages")) == Span(FILE, 17, 33, 9)
    assert locate(first.tree, ("body", "messages"), at_key=True) == Span(FILE, 17, 23, 8)


def test_sections_are_plain_data() -> None:
    (spec,) = load_specs({FILE: WHOLE})
    model = spec.model.model_dump(exclude={"body", "messages", "unions", "parts"}, exclude_unset=True)
    assert model == {
        "wire": "small_chat",
        "title": "Small Chat",
        "docs": ("https://example.com/docs",),
        "transport": {
            "method": "POST",
            "url": ({"url": "${base_url}/chat"},),
            "headers": {"content-type": "application/json", "x-beta?": "$betas|comma"},
            "auth": ({"header": "authorization", "value": "Bearer ${api_key}", "env": "SMALL_API_KEY"},),
            "settings": {
                "base_url": {"default": "https://example.com"},
                "version": {"default": "v1", "choices": ("v1", "v2")},
                "betas": {"type": "list"},
            },
        },
        "instructions": {"native": True, "placement": "top_level", "field": "system"},
        "continuation": {"mode": "resend"},
        "tools": {"format": "little", "names": "^[a-z]+$", "choice": ("auto", "none")},
        "slots": {"content": "list", "refusal": "one"},
        "passes": ("merge_neighbours",),
        "rules": (
            {
                "when": {"model": ("o1*",), "settings": {"version": ("v2",)}, "given": ("reasoning.budget",)},
                "reject": ("temperature", "message.role=system"),
                "because": "it is refused",
                "source": "the vendor's page, 2026-11",
            },
        ),
        "examples": (
            {
                "name": "one",
                "request": {"messages": [{"user": "hi"}]},
                "body": {"messages": [{"role": "user", "content": "hi"}]},
            },
            {
                "name": "two",
                "request": {"options": {"temperature": 1}},
                "error": {"kind": "Refused", "field": "temperature"},
            },
        ),
    }


def test_a_recorded_name_stands_for_one_wire() -> None:
    files = {
        f"{wire}.yaml": WHOLE.replace("wire: small_chat\n", f"wire: {wire}\nrecorded: {names}\n")
        for wire, names in {
            "first": "[here, api/wire]",
            "other": "[there, second, there]",
            "second": "[api/wire, other/wire, first]",
            "third": "third",
        }.items()
    }
    found = [(p.span.file, p.span.line, p.span.column, p.rule, p.message) for p in problems_of(files)]
    assert found == [
        ("other.yaml", 2, 19, "duplicate-name", '"second" already stands for "second"'),
        ("other.yaml", 2, 27, "duplicate-name", '"there" already stands for "other"'),
        ("second.yaml", 2, 12, "duplicate-name", '"api/wire" already stands for "first"'),
        ("second.yaml", 2, 34, "duplicate-name", '"first" already stands for "first"'),
        ("third.yaml", 2, 11, "duplicate-name", '"third" already stands for "third"'),
    ]


def problems_of(files: dict[str, str]) -> tuple[SpecProblem, ...]:
    """Return the problems of some specs."""
    with pytest.raises(SpecError) as caught:
        load_specs(files)
    return tuple(caught.value.problems)
