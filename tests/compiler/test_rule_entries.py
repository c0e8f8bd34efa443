"""Conditions of rules: words, numbers, counts, patterns, nodes with a field, neighbours; each met and not met."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import promptwire
from promptwire import Message, Options, Reasoning, Request, Text, Tool, ToolCall, anthropic_messages
from promptwire.errors import Refused
from promptwire.plugins import Provenance, Rule
from tests.compiler.compiled import load_wire
from tests.compiler.rule_cases import REFUSED_AND_TAKEN, USER, options, said, tooled
from tests.compiler.ruled_spec import SPEC, in_words, ruled
from tests.imports import loaded
from tests.spec_texts import models

_COMPILED: dict[str, ModuleType] = {}


# entries about fields for which no repair is known
_WITHOUT_FIX = (
    "user.image.cache|filename!=*",
    "assistant[parts.name=stop].before!=end",
    "user.image.after=start",
)


def spec_of(entry: str) -> str:
    spec = ruled(entry)
    return spec + "    fix: {none: nobody knows one}\n" if entry in _WITHOUT_FIX else spec


@pytest.fixture(params=[])
def wire(tmp_path: Path, request: pytest.FixtureRequest) -> ModuleType:
    """The wire whose one rule refuses an entry; compiled once an entry."""
    entry: str = request.param
    if entry not in _COMPILED:
        _COMPILED[entry] = load_wire(tmp_path, "ruled_chat", spec_of(entry))
    return _COMPILED[entry]


IDS = [row[0] for row in REFUSED_AND_TAKEN]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wire", "refused", "field", "place", "taken"), REFUSED_AND_TAKEN, indirect=["wire"], ids=IDS
)
def test_an_entry_refuses_what_it_says_and_nothing_else(
    wire: ModuleType, refused: Request, field: str, place: str, taken: list[Request]
) -> None:
    with pytest.raises(Refused) as caught:
        # a strict build writes schemas as the rules want them, where that changes no meaning
        wire.build(refused, policies="schemas=keep")
    assert (caught.value.field, caught.value.path) == (field, place)
    for request in taken:
        assert not [
            note
            for note in wire.build(request, policies="loss=note,refusals=send,repairs=off").notes
            if note.action == "refused"
        ]
        wire.build(request)


@pytest.mark.parametrize(
    ("wire", "refused", "field", "place", "taken"), REFUSED_AND_TAKEN, indirect=["wire"], ids=IDS
)
def test_a_lenient_build_notes_it_once_and_a_verbatim_one_says_nothing(
    wire: ModuleType, refused: Request, field: str, place: str, taken: list[Request]
) -> None:
    notes = [
        note
        for note in wire.build(refused, policies="loss=note,refusals=send,repairs=off").notes
        if note.action == "refused"
    ]
    assert [note.path for note in notes] == [place], (field, taken)
    assert not [n for n in wire.build(refused, policies="verbatim").notes if n.action == "refused"]


NAMES = [
    (tooled(Tool("fine"), Tool("Not Fine")), "tool.name", "tools[1]"),
    (tooled(Tool("twice"), Tool("twice")), "tools.name", "tools[1]"),
    (
        said(USER, Message("assistant", [ToolCall("1", "not.fine", {})])),
        "tool_call.name",
        "messages[1].parts[0]",
    ),
]


@pytest.mark.parametrize("wire", ["seed=1"], indirect=True)
@pytest.mark.parametrize(("request_", "field", "place"), NAMES, ids=["pattern", "twice", "of a call"])
def test_names_of_tools_match_the_pattern_and_are_given_once(
    wire: ModuleType, request_: Request, field: str, place: str
) -> None:
    for _ in range(2):  # a name that was seen before is refused again
        with pytest.raises(Refused) as caught:
            wire.build(request_)
        assert (caught.value.field, caught.value.path) == (field, place)
    assert wire.build(tooled(Tool("fine"), Tool("other"))).body["tools"] == [
        {"name": "fine"},
        {"name": "other"},
    ]


@pytest.mark.parametrize("wire", ["temperature>2"], indirect=True)
def test_a_value_of_another_type_is_no_traceback(wire: ModuleType) -> None:
    wrong: Any = "0.5"
    with pytest.raises(Exception, match="temperature") as caught:
        wire.build(options(temperature=wrong))
    assert type(caught.value).__module__.startswith("promptwire_runtime")


@pytest.mark.parametrize("wire", ["part=tool_call|image"], indirect=True)
def test_a_kind_of_part_may_hang_on_another_field(wire: ModuleType, tmp_path: Path) -> None:
    called = Message("assistant", [ToolCall("a1", "f", {})])
    with pytest.raises(Refused, match="a tool call is refused"):
        wire.build(Request("m", [USER, called], tools=[Tool("f")]))
    allowed = """\
  - when: {given: [tools]}
    allow: {part: [tool_call, image]}
    because: there are tools
    source: the vendor's page, 2026-11
"""
    spec = ruled("part=tool_call|image") + allowed
    (tmp_path / "loose").mkdir()
    loose = load_wire(tmp_path / "loose", "ruled_chat", spec)
    assert loose.build(Request("m", [USER, called], tools=[Tool("f")])).notes == ()
    with pytest.raises(Refused, match="a tool call is refused"):
        loose.build(Request("m", [USER, called], tools=()))


EXEMPTED = {
    "stop": (options(temperature=3, stop=["a"]), options(temperature=3)),
    "stop, seed>4": (options(temperature=3, seed=5), options(temperature=3, seed=4)),
    "last_message.role=assistant": (
        Request("m", [USER, Message("assistant", "hm")], options=Options(temperature=3)),
        options(temperature=3),
    ),
}


@pytest.mark.parametrize("conditions", EXEMPTED)
def test_a_rule_does_not_hold_beside_what_exempts_it(conditions: str, tmp_path: Path) -> None:
    when = f"{{unless: [{', '.join(map(in_words, conditions.split(', ')))}]}}"
    spec = SPEC.replace("reject: [ENTRY]", f"when: {when}\n    reject: {in_words('temperature>2')}")
    wire = load_wire(tmp_path, "ruled_chat", spec)
    (rule,) = wire.WIRE.rules
    assert ", ".join(map(repr, rule.unless)) == conditions
    exempted, rejected = EXEMPTED[conditions]
    assert wire.build(exempted).notes == ()
    with pytest.raises(Refused, match="temperature 3"):
        wire.build(rejected)
    assert [problem.field for problem in wire.check(rejected)] == ["temperature"]


@pytest.mark.parametrize("wire", ["part=tool_call|image"], indirect=True)
def test_a_kind_of_part_is_looked_at_unless_a_field_is_set(wire: ModuleType, tmp_path: Path) -> None:
    del wire
    called = Message("assistant", [ToolCall("a1", "f", {})])
    spec = SPEC.replace("reject: [ENTRY]", "when: {unless: [tools]}\n    reject: {part: [tool_call, image]}")
    loose = load_wire(tmp_path, "ruled_chat", spec)
    assert loose.build(Request("m", [USER, called], tools=[Tool("f")])).notes == ()
    with pytest.raises(Refused, match="a tool call is refused"):
        loose.build(Request("m", [USER, called]))


def test_only_text_is_the_text_at_the_end() -> None:
    thought = Reasoning(text="hm ", signature="c2ln", provenance=Provenance("anthropic_messages"))
    request = Request(
        "claude-sonnet-4-5",
        [USER, Message("assistant", [Text("Well."), thought])],
        options=Options(max_tokens=8),
    )
    assert anthropic_messages.build(request, policies="refusals=send").body["messages"][1]["content"] == [
        {"type": "text", "text": "Well."},
        {"type": "thinking", "thinking": "hm ", "signature": "c2ln"},
    ]


@pytest.mark.parametrize("name", promptwire.WIRES)
def test_compiled_rules_say_what_the_spec_says(name: str) -> None:
    rules: tuple[Rule, ...] = getattr(promptwire, name).WIRE.rules
    assert len(rules) == len(models()[name].rules)
    for compiled, rule in zip(rules, models()[name].rules, strict=True):
        conditions = [compiled.given, compiled.unless, compiled.reject, compiled.allow]
        assert [[*map(repr, row)] for row in conditions] == [
            [*map(str, row)] for row in (rule.given, rule.unless, rule.reject, rule.allow)
        ]
        assert (compiled.because, compiled.source) == (rule.because, rule.source)
        assert [*compiled.model] == [*rule.model]
        assert [*compiled.not_model] == [*rule.not_model]
        assert {name: "|".join(words) for name, words in compiled.add.items()} == rule.add


def test_rules_are_loaded_when_they_are_first_asked() -> None:
    asked = "from promptwire import openai_chat, Request, user; openai_chat.build(Request('m', user('hi')))"
    imported, built = (
        {name for name in loaded(code)[0] if "rules" in name or "predicates" in name}
        for code in ("import promptwire.azure_openai_chat", asked)
    )
    assert not any("rules" in name for name in imported)
    assert {"promptwire.openai_chat.rules", "promptwire_runtime.rules.decisions"} <= built
