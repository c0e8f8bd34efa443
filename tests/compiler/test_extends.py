"""`extends`: what a merge keeps, replaces and removes, and where problems in inherited parts are shown."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.internals.compiler import as_text, load_each, read, resolve
from tests.internals.runtime import Scalar, Table, plain, span_at

from .small_spec import FILE, WHOLE


def trees(texts: dict[str, str]) -> dict[str, Table]:
    """Read texts into trees, each in a file named for its key."""
    return {name: read(dedent(text), f"{name}.yaml") for name, text in texts.items()}


# parent, patch, result
MERGES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mappings are merged, the rest is replaced": (
        "{tools: {format: f, names: n}, passes: [a, b], docs: {x: 1}}",
        "{tools: {format: g}, passes: [c], docs: text}",
        {"tools": {"format": "g", "names": "n"}, "passes": ["c"], "docs": "text"},
    ),
    "a mapping replaces a text": ("{docs: text}", "{docs: {a: {b: c}}}", {"docs": {"a": {"b": "c"}}}),
    "names of one API are not another's": (
        "{recorded: [x, y], docs: a}",
        "{docs: b}",
        {"docs": "b"},
    ),
    "a child has names of its own": ("{recorded: x}", "{recorded: z}", {"recorded": "z"}),
    "null removes": ("{a: 1, b: {c: 2, d: 3}}", "{a: null, b: {c: ~}}", {"b": {"d": 3}}),
    "null in a list stays": ("{a: [1]}", "{a: [null, {b: null}]}", {"a": [None, {"b": None}]}),
    "keys of the body are one with and without ?": (
        "body: {model: $model, temperature?: $temperature, top_p?: $top_p, n: $n}",
        "body: {temperature: $t, top_p: null, n?: $n}",
        {"body": {"model": "$model", "temperature": "$t", "n?": "$n"}},
    ),
    "aliases belong to the first spelling": (
        "body: {max_completion_tokens|max_tokens?: $a, tools|functions: $b, z?: 1}",
        "body: {max_completion_tokens?: $c, tools?: null}",
        {"body": {"max_completion_tokens?": "$c", "z?": 1}},
    ),
    "inside shapes, and not for the names of shapes": (
        """
        {messages: {user: {role: user, name?: $name}}, parts: {"text@user": {text: $text, cache?: $cache}},
         unions: {tool: {function: {strict?: $strict}}}}
        """,
        """
        {messages: {user: {name: null}, "user?": {role: u}},
         parts: {"text@user": {cache: $c}, text: {text: $text}},
         unions: {tool: {function: {strict: {x?: $strict}}, "function#x": {}}}}
        """,
        {
            "messages": {"user": {"role": "user"}, "user?": {"role": "u"}},
            "parts": {"text@user": {"text": "$text", "cache": "$c"}, "text": {"text": "$text"}},
            "unions": {"tool": {"function": {"strict": {"x?": "$strict"}}, "function#x": {}}},
        },
    ),
    "headers too": (
        'transport: {headers: {"a?": $a, b: $b}}',
        'transport: {headers: {a: null, "b?": $b}}',
        {"transport": {"headers": {"b?": "$b"}}},
    ),
    "... in a list is the parent's": (
        "{rules: [{a: 1}, {b: 2}], passes: [x], tools: {choice: [auto]}}",
        '{rules: [{c: 3}, ..., {d: 4}], passes: [..., "..."], tools: {choice: [...]}}',
        {
            "rules": [{"c": 3}, {"a": 1}, {"b": 2}, {"d": 4}],
            "passes": ["x", "..."],
            "tools": {"choice": ["auto"]},
        },
    ),
    "... in a list of a shape is text": (
        "{parts: {text: {a: [x]}}}",
        "{parts: {text: {a: [...]}}}",
        {"parts": {"text": {"a": ["..."]}}},
    ),
    "elsewhere keys are what they are": (
        'transport: {settings: {"a?": 1}}',
        "transport: {settings: {a: 2}}",
        {"transport": {"settings": {"a?": 1, "a": 2}}},
    ),
}


@pytest.mark.parametrize("case", MERGES)
def test_merge(case: str) -> None:
    parent, patch, expected = MERGES[case]
    specs = trees({"parent": parent, "child": patch})
    child = specs["child"]
    here = child.span
    extends = (Scalar("extends", here, False), Scalar("parent", here, False))
    resolved = resolve({**specs, "child": Table((extends, *child.entries), here)})
    assert resolved.problems == ()
    assert plain(resolved.tables["child"]) == {**expected, "extends": "parent"}
    assert resolved.tables["parent"] == specs["parent"]


@pytest.mark.parametrize(
    ("parent", "patch", "order"),
    [
        ("{a: 1, b: 2, c: 3}", "{b: 4}", ["a", "b", "c"]),
        ("{a: 1, b: 2, c: 3}", "{x: 1, y: 2}", ["a", "b", "c", "x", "y"]),
        ("{a: 1, b: 2, c: 3}", "{a: 1, x: 1, y: 2}", ["a", "x", "y", "b", "c"]),
        ("{a: 1, b: 2, c: 3}", "{b: 2, x: 1, a: 1, y: 2}", ["a", "y", "b", "x", "c"]),
        ("{a: 1, b: 2, c: 3}", "{a: null, x: 1}", ["x", "b", "c"]),
        ("{a: 1, b: 2, c: 3}", "{b: null, x: 1, y: 2}", ["a", "x", "y", "c"]),
        ("{a: 1, b: 2, c: 3}", "{b: 2, a: null, x: 1}", ["x", "b", "c"]),
        ("{a: 1, b: 2, c: 3}", "{c: null, b: 2, x: 1}", ["a", "b", "x"]),
    ],
)
def test_new_keys_follow_the_key_before_them_or_take_a_removed_place(
    parent: str, patch: str, order: list[str]
) -> None:
    specs = trees({"parent": f"slots: {parent}", "child": f"{{extends: parent, slots: {patch}}}"})
    merged = resolve(specs).tables["child"]
    assert list(plain(merged)["slots"]) == order


def test_parents_of_parents() -> None:
    specs = trees(
        {
            "c": "{extends: b, body: {y: null, z: 3}}",
            "a": "{title: A, body: {x: 1, y: 1}}",
            "b": "{extends: a, title: B, body: {y: 2}}",
        }
    )
    resolved = resolve(specs)
    assert resolved.problems == ()
    assert {name: plain(tree) for name, tree in resolved.tables.items()} == {
        "a": {"title": "A", "body": {"x": 1, "y": 1}},
        "b": {"title": "B", "body": {"x": 1, "y": 2}, "extends": "a"},
        "c": {"title": "B", "body": {"x": 1, "z": 3}, "extends": "b"},
    }


def test_every_value_keeps_its_own_place() -> None:
    specs = trees(
        {"parent": "tools:\n  format: f\n  names: n\n", "child": "extends: parent\ntools:\n  names: m\n"}
    )
    merged = resolve(specs).tables["child"]
    assert span_at(merged, ("tools", "format")) == Span("parent.yaml", 2, 11, 1)
    assert span_at(merged, ("tools", "format"), key=True) == Span("parent.yaml", 2, 3, 6)
    assert span_at(merged, ("tools", "names")) == Span("child.yaml", 3, 10, 1)
    assert span_at(merged, ("tools",)) == Span("child.yaml", 3, 3, 1)


# texts, names that could not be read, printed problems, names that have a tree
BROKEN: dict[str, tuple[dict[str, str], tuple[str, ...], str, list[str]]] = {
    "an unknown parent": (
        {"mistral_chat": "a: 1", "other": "extends: mistal_chat", "below": "extends: other"},
        (),
        """\
        other.yaml:1:10: unknown-parent: there is no spec "mistal_chat"
            1 | extends: mistal_chat
              |          ^^^^^^^^^^^ did you mean "mistral_chat"?""",
        ["mistral_chat"],
    ),
    "a parent that could not be read": (
        {"child": "extends: broken", "fine": "a: 1"},
        ("broken",),
        "",
        ["fine"],
    ),
    "itself": (
        {"a": "extends: a"},
        (),
        """\
        a.yaml:1:10: extends-cycle: "a" extends itself
            1 | extends: a
              |          ^""",
        [],
    ),
    "a cycle, and a spec above it": (
        {"top": "extends: a", "a": "extends: b", "b": "extends: c", "c": "extends: a", "fine": "x: 1"},
        (),
        """\
        c.yaml:1:10: extends-cycle: the specs extend each other: a -> b -> c -> a
            1 | extends: a
              |          ^""",
        ["fine"],
    ),
    "nothing to remove": (
        {
            "parent": "body: {temperature?: $t}",
            "child": "extends: parent\nbody: {temprature?: null, x: {y: null}}",
        },
        (),
        """\
        child.yaml:2:8: nothing-to-remove: null removes a key, and there is no "temprature?" to remove
            2 | body: {temprature?: null, x: {y: null}}
              |        ^^^^^^^^^^^ did you mean "temperature"?
        child.yaml:2:31: nothing-to-remove: null removes a key, and there is no "y" to remove
            2 | body: {temprature?: null, x: {y: null}}
              |                               ^""",
        ["parent", "child"],
    ),
    "nothing to repeat": (
        {"parent": "rules: text", "child": "extends: parent\nrules: [...]\npasses: [a, ...]"},
        (),
        """\
        child.yaml:2:9: nothing-to-repeat: ... stands for the elements of the parent's list, and there is none
            2 | rules: [...]
              |         ^^^
        child.yaml:3:13: nothing-to-repeat: ... stands for the elements of the parent's list, and there is none
            3 | passes: [a, ...]
              |             ^^^""",
        ["parent", "child"],
    ),
    "one key twice": (
        {"parent": "body: {a: 1}", "child": "extends: parent\nbody: {a: 1, a?: 2}"},
        (),
        """\
        child.yaml:2:14: duplicate-key: "a?" and "a" are one key
            2 | body: {a: 1, a?: 2}
              |              ^^ first at line 2, column 8""",
        ["parent", "child"],
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken(case: str) -> None:
    texts, unreadable, printed, names = BROKEN[case]
    resolved = resolve(trees(texts), unreadable)
    assert as_text(resolved.problems, {f"{name}.yaml": text for name, text in texts.items()}) == dedent(
        printed
    )
    assert list(resolved.tables) == names


def test_an_extends_that_is_no_text_is_left_to_the_schema() -> None:
    specs = trees({"a": "extends: [b]", "b": "extends: 1", "c": "extends: a", "d": "{extends: ~, title: D}"})
    resolved = resolve(specs)
    assert resolved.problems == ()
    assert resolved.tables == {"d": specs["d"]}


@pytest.mark.parametrize(
    ("parent", "kind"), [("[openai_chat]", "a list"), ("{a: 1}", "a mapping"), ("3", "a number")]
)
def test_an_extends_that_is_no_text_is_the_only_problem(parent: str, kind: str) -> None:
    texts = {
        "child.yaml": f"wire: child\nextends: {parent}\nrules: [...]\n"
        'transport: {url: null, headers: {x: "${of_the_parent}"}}\nbody: {n: null}\n',
        "grandchild.yaml": "wire: grandchild\nextends: child\nbody: {z: null}\n",
    }
    problems: list[SpecProblem] = []
    assert list(load_each(texts, problems)) == []
    assert [str(problem.message) for problem in problems] == [f"extends must be text, not {kind}"]


def test_an_extends_of_nothing_is_none() -> None:
    problems: list[SpecProblem] = []
    loaded = list(load_each({FILE: WHOLE + "extends: ~\n"}, problems))
    assert problems == []
    assert [(spec.wire, spec.api) for spec in loaded] == [("small_chat", "small_chat")]


def test_what_a_dialect_takes_over_whole_is_validated_once() -> None:
    transport = "transport: {method: POST, url: 'https://other.example/v1'}\n"
    texts = {
        FILE: WHOLE,
        "a_child.yaml": f"wire: a_child\ntitle: Child\nextends: small_chat\n{transport}",
        "b_child.yaml": "wire: b_child\ntitle: Child\nextends: a_child\n",
    }
    problems: list[SpecProblem] = []
    specs = {spec.wire: spec.model for spec in load_each(texts, problems)}
    assert problems == []
    parent, child, grandchild = specs["small_chat"], specs["a_child"], specs["b_child"]
    assert child.continuation is parent.continuation
    assert child.transport != parent.transport
    assert grandchild.transport is child.transport


def test_what_is_there_to_be_extended_is_no_wire_and_its_children_have_the_parent_behind_it() -> None:
    files = {
        "small_chat.yaml": WHOLE,
        "common.yaml": "wire: common\nextends: small_chat\nabstract: true\nslots: {refusal: null}\nexamples: []\n",
        "child.yaml": "wire: child\nextends: common\ntitle: Child\n",
    }
    problems: list[SpecProblem] = []
    specs = {spec.wire: spec for spec in load_each(files, problems)}
    assert problems == []
    assert {wire: spec.parent for wire, spec in specs.items()} == {"small_chat": None, "child": "small_chat"}
    assert (specs["child"].model.slots, specs["child"].model.abstract) == ({"content": "list"}, False)


def test_problems_of_what_is_there_to_be_extended_are_shown_too() -> None:
    files = {
        "small_chat.yaml": WHOLE,
        "common.yaml": "wire: common\nextends: small_chat\nabstract: true\nbody: {no_such_key: null}\n",
    }
    problems: list[SpecProblem] = []
    assert [spec.wire for spec in load_each(files, problems)] == ["small_chat"]
    assert [(problem.span.file, problem.rule) for problem in problems] == [
        ("common.yaml", "nothing-to-remove")
    ]
