"""The steps by which a stream's events build an answer, odd events included."""

from __future__ import annotations

from typing import Any

import pytest

from tests.internals.runtime import AnswerAccumulator, At, EventPaths, Step, build_filter, event_paths

ROOT = Step("put", (), ())
PUT = Step("put", ("v",), ("list", At("index"), "text"))
GROW = Step("grow", ("v",), ("message",))
EXTEND = Step("extend", ("v",), ("parts",))
WORDS = Step("grow", ("v",), ("list", At("index"), "text"))
MOVE = Step("move", ("c",), ("list", At("index"), "cited", "texts", 0, "text"), when="text")
MERGE = Step("merge", ("v",), ("usage",))
THINKING = [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]


PLACES = (("message", "t", "[]", "x"), ("list", "[]", "text"), ("parts", "[]", "text"))
TOLD = event_paths(dict.fromkeys(PLACES, "text"))
NAMES = {TOLD.at(path): ".".join(path) for path in PLACES}


def grown(*rows: tuple[Step, Any]) -> tuple[Any, list[tuple[str, tuple[Any, ...], Any]]]:
    """Return the body, and the texts that were told with their places."""
    body = AnswerAccumulator()
    texts: list[tuple[str, tuple[Any, ...], Any]] = []

    def tell(
        value: Any, paths: EventPaths, numbers: tuple[Any, ...], *, grows: bool = False, ends: bool = False
    ) -> None:
        if type(value) is str and paths.kind:
            texts.append((NAMES[paths], numbers, value))

    for step, event in rows:
        body.take(event, build_filter([step], TOLD), tell)
    return body.settled(frozenset()), texts


def bodies(step: Step, *values: Any) -> Any:
    return grown(*[(step, {"v": value}) for value in values])[0]


CASES: dict[str, tuple[Any, Any]] = {
    "put replaces": (bodies(PUT, "a", "b"), {"list": [{"text": "b"}]}),
    "null and empty text say nothing": (bodies(PUT, "a", None, ""), {"list": [{"text": "a"}]}),
    "null is put where nothing is": (bodies(PUT, None), {"list": [{"text": None}]}),
    "numbers order a list": (
        grown(*[(PUT, {"index": n, "v": str(n)}) for n in (10**18, 3, -1)])[0],
        {"list": [{"text": "-1"}, {"text": "3"}, {"text": str(10**18)}]},
    ),
    "a number that is none is 0": (grown((PUT, {"index": "x", "v": "a"}), (PUT, {"index": True, "v": "b"}))[0], {"list": [{"text": "b"}]}),
    "a whole list goes on by its numbers": (
        grown((ROOT, {"list": [{"text": "a"}, {"text": "b"}]}), (PUT, {"index": 1, "v": "c"}))[0],
        {"list": [{"text": "a"}, {"text": "c"}]},
    ),
    "an object where a list must be": (grown((ROOT, {"list": {"a": 1}}), (PUT, {"v": "b"}))[0], {"list": [{"text": "b"}]}),
    "text grows, names do not": (
        bodies(GROW, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "", "content": ""}),
        {"message": {"role": "assistant", "content": "ab"}},
    ),
    "null does not end a text": (bodies(GROW, {"c": "a"}, {"c": None}, {"c": "b"}), {"message": {"c": "ab"}}),
    "text follows null": (bodies(GROW, {"c": None}, {"c": "a"}), {"message": {"c": "a"}}),
    "numbered elements": (
        bodies(GROW, {"t": [{"index": 1, "f": {"a": "x"}}]}, {"t": [{"index": 0, "f": {"a": "y"}}, {"index": 1, "f": {"a": "z"}}]}),
        {"message": {"t": [{"index": 0, "f": {"a": "y"}}, {"index": 1, "f": {"a": "xz"}}]}},
    ),
    "one number, two types": (
        bodies(GROW, {"t": [{"index": 0, "type": "a", "x": "1"}]}, {"t": [{"index": 0, "type": "b", "x": "2"}]}, {"t": [{"index": 0, "x": "3"}]}),
        {"message": {"t": [{"index": 0, "type": "a", "x": "1"}, {"index": 0, "type": "b", "x": "23"}]}},
    ),
    "elements without numbers are added": (
        bodies(GROW, {"t": [{"id": "a"}]}, {"t": [{"id": "b"}, 7]}), {"message": {"t": [{"id": "a"}, {"id": "b"}, 7]}},
    ),
    "elements with and without numbers": (
        bodies(GROW, {"t": [{"id": "a"}]}, {"t": [{"index": 1, "id": "b"}]}, {"t": [{"id": "c"}]}),
        {"message": {"t": [{"id": "a"}, {"index": 1, "id": "b"}, {"id": "c"}]}},
    ),
    "an empty list changes nothing": (bodies(GROW, {"t": [{"index": 0, "x": "a"}]}, {"t": []}), {"message": {"t": [{"index": 0, "x": "a"}]}}),
    "an empty list stays": (bodies(GROW, {"t": []}), {"message": {"t": []}}),
    "thoughts go over into text": (
        bodies(GROW, {"c": ""}, {"c": THINKING}, {"c": THINKING}, {"c": "b"}, {"c": "c"}, {"c": ""}),
        {"message": {"c": [{"type": "thinking", "thinking": [{"type": "text", "text": "aa"}]}, {"type": "text", "text": "bc"}]}},
    ),
    "text goes over into a list": (bodies(GROW, {"c": "a"}, {"c": [{"type": "b", "b": {}}]}), {"message": {"c": [{"type": "text", "text": "a"}, {"type": "b", "b": {}}]}}),
    "objects of one type are two": (
        bodies(GROW, {"c": [{"type": "u", "u": {"a": "1"}}]}, {"c": [{"type": "u", "u": {"a": "2"}}]}),
        {"message": {"c": [{"type": "u", "u": {"a": "1"}}, {"type": "u", "u": {"a": "2"}}]}},
    ),
    "parts are added, and text joins text": (
        bodies(EXTEND, [{"text": "a", "thought": True}], [{"text": "b", "thought": True}], [{"text": "c"}], [{"text": "d"}], [{"text": "", "s": 1}]),
        {"parts": [{"text": "ab", "thought": True}, {"text": "cd"}, {"text": "", "s": 1}]},
    ),
    "a part that is no list": (
        bodies(EXTEND, {"a": 1}, "b", None),
        {"parts": [{"a": 1}, {"type": "text", "text": "b"}, None]},
    ),
    "bare text and elements of a type": (
        bodies(EXTEND, "a", {"type": "text", "text": "b"}, {"type": "ref", "title": "x"}, {"type": "ref", "title": "y"}, "c"),
        {"parts": [{"type": "text", "text": "ab"}, {"type": "ref", "title": "x"}, {"type": "ref", "title": "y"}, {"type": "text", "text": "c"}]},
    ),
    "counts replace one another": (
        bodies(MERGE, {"in": 1, "tier": "standard", "d": {"a": 1, "b": 2}}, {"in": 2, "tier": "standard", "d": {"b": 3}, "x": None}),
        {"usage": {"in": 2, "tier": "standard", "d": {"a": 1, "b": 3}, "x": None}},
    ),
    "a whole over what has grown": (grown((ROOT, {"a": [1], "b": "x"}), (ROOT, {"a": [], "b": None, "c": 1}))[0], {"a": [1], "b": "x", "c": 1}),
    "what grew moves": (
        grown((WORDS, {"index": 0, "v": "a"}), (WORDS, {"index": 1, "v": "b"}), (WORDS, {"index": 1, "v": "c"}), (MOVE, {"index": 1, "c": 5})),
        ({"list": [{"text": "a"}, {"cited": {"texts": [{"text": "bc"}]}}]}, [("list.[].text", (0,), "a"), ("list.[].text", (1,), "b"), ("list.[].text", (1,), "c")]),
    ),
    "nothing moves where nothing grew": (grown((WORDS, {"index": 0, "v": "a"}), (MOVE, {"index": 1, "c": 5}))[0], {"list": [{"text": "a"}, {}]}),
    "nothing of what is no object": (grown((ROOT, [1]), (GROW, 7), (PUT, None))[0], {}),
}  # fmt: skip


@pytest.mark.parametrize(("got", "expected"), CASES.values(), ids=CASES)
def test_an_answer_grows(got: Any, expected: Any) -> None:
    assert got == expected


def test_what_is_told_has_its_place() -> None:
    rows = [
        (GROW, {"v": {"t": [{"index": 2, "x": "a"}]}}),
        (PUT, {"index": 4, "v": "b"}),
        (EXTEND, {"v": [{"text": "c"}, {"text": "d"}]}),
    ]
    assert grown(*rows)[1] == [
        ("message.t.[].x", (2,), "a"), ("list.[].text", (4,), "b"), ("parts.[].text", (0,), "c"), ("parts.[].text", (0,), "d"),
    ]  # fmt: skip


def test_values_are_found_at_every_depth() -> None:
    steps = [
        Step("put", ("a",), ("a",)),
        Step("put", ("in", "b"), ("b",)),
        Step("put", ("in", "deep", "c"), ("kept", "c")),
        Step("put", ("rows", "[]", "n"), ("rows", At("n"), "n")),
        Step("grow", ("rows", "[]", "t"), ("rows", At("n"), "t")),
        Step("put", ("rows", "[]", "t"), ("last",)),
    ]
    body, all_steps = AnswerAccumulator(), build_filter(steps, EventPaths())
    rows = [{"n": 1, "t": "x"}, {"n": 0, "t": "y"}, {"other": 1}, 7]
    for event in (
        {"a": 1, "in": {"b": 2, "deep": {"c": 3}}, "rows": rows},
        {"a": None, "in": {"b": ""}, "rows": rows},
    ):
        body.take(event, all_steps, lambda *_, **__: None)
    expected = {
        "a": 1,
        "b": 2,
        "kept": {"c": 3},
        "rows": [{"n": 0, "t": "yy"}, {"n": 1, "t": "xx"}],
        "last": "y",
    }
    assert body.settled(frozenset()) == expected


def test_steps_of_one_element_go_down_together() -> None:
    steps = [Step("put", ("rows", "[]", key), ("rows", At("n"), "in", key)) for key in "ab"]
    each = dict(build_filter(steps, EventPaths()).keys)["rows"].each
    assert each is not None
    assert [key for key, _ in each.base][2:] == ["in"]
    assert [inside.actions[0].above for _, inside in each.keys] == [(), ()]


EACH_ROW = [Step("put", ("rows", "[]", key), ("all", At("index"), key)) for key in ("a", "b")]


def test_an_element_that_says_nothing_makes_none() -> None:
    body = AnswerAccumulator()
    body.take({"rows": [{"other": 1}, {"a": 2}]}, build_filter(EACH_ROW, EventPaths()), lambda *_, **__: None)
    assert body.settled(frozenset()) == {"all": [{"a": 2}]}


def test_an_element_without_a_number_has_the_one_that_it_stands_at() -> None:
    body = AnswerAccumulator()
    rows = [{"a": 0}, {"a": 1}, {"a": 7, "index": 0}]
    body.take({"rows": rows}, build_filter(EACH_ROW, EventPaths()), lambda *_, **__: None)
    assert body.settled(frozenset()) == {"all": [{"a": 7}, {"a": 1}]}


def test_elements_inside_of_elements_have_their_own_numbers() -> None:
    steps = [Step("put", ("rows", "[]", "in", "[]", key), ("all", At("index"), key)) for key in ("a", "b")]
    body = AnswerAccumulator()
    event = {"rows": [{"index": 5, "in": [{"index": 1, "a": 1}, {"index": 0, "a": 0, "b": 2}]}]}
    body.take(event, build_filter(steps, EventPaths()), lambda *_, **__: None)
    assert body.settled(frozenset()) == {"all": [{"a": 0, "b": 2}, {"a": 1}]}


def test_the_body_so_far_is_a_copy() -> None:
    body, grow = AnswerAccumulator(), build_filter([GROW], EventPaths())
    body.take({"v": {"c": "a", "d": {"e": [1]}}}, grow, lambda *_, **__: None)
    before = body.settled(frozenset())
    body.take({"v": {"c": "b", "d": {"e": [2]}}}, grow, lambda *_, **__: None)
    assert before == {"message": {"c": "a", "d": {"e": [1]}}}
