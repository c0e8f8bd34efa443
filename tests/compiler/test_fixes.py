"""The word `fix`: what it compiles to, what builds do with it, and what the compiler says of one that does not suit."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest

import promptwire
from promptwire import (
    Image,
    Message,
    Note,
    Options,
    Policies,
    ReasoningOptions,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    user,
)
from promptwire.errors import Refused
from promptwire.plugins import RepairContext
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC
from tests.internals.compiler import SpecError, list_repairs, list_unrepaired_fields
from tests.internals.runtime import NO_REPAIR, repairs, usual_repair

SOURCE = "because: the vendor says so, source: a page of the vendor (2026-11)"


def spec_with(*rules: str) -> str:
    rows = "".join(f"  - {{{rule}, {SOURCE}}}\n" for rule in rules)
    return SPEC.partition("rules:\n")[0] + "rules:\n" + rows


def shorten(request: Request, context: RepairContext) -> tuple[Request, tuple[Note, ...]]:
    """Stand for the repair of a plugin."""
    edit = Note("replaced", "options", "temperature", f"{len(context.problems)} problem")
    return request.replace(options=request.options.replace(temperature=0.5)), (edit,)


RULES = (
    "reject: {temperature: {exclusiveMinimum: 2}}, fix: nearest",
    "reject: {top_p: {exclusiveMinimum: 0.9}}, fix: {set: 0.5}",
    "reject: [stop], fix: drop, when: {given: [seed]}",
    "reject: {reasoning.effort: huge}, fix: {rename: {huge: max}}",
    "reject: {user.part: image}, fix: omit",
    "reject: [metadata], fix: {none: labels cannot be guessed}",
    "reject: [logit_bias], fix: {drop: seed}, when: {given: [seed]}",
    'reject: {max_tokens: {exclusiveMaximum: 5}}, fix: "tests.compiler.test_fixes:shorten"',
    "reject: {messages.text: {not: {pattern: (?i).*json.*}}}, fix: {set: Answer in JSON.}, when: {given: [tools]}",
    'reject: {"assistant[parts.arguments].reasoning": {maxItems: 0}}, fix: {set: {reasoning: {effort: low, budget: null}}}, '
    "when: {unless: {reasoning.effort: low}}",
)


CALLED = [
    user("hi"),
    Message("assistant", [ToolCall("a1", "f", {})]),
    Message("tool", [ToolResult("a1", "done")]),
]


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_wire(tmp_path_factory.mktemp("fixes"), "ruled_chat", spec_with(*RULES))


@pytest.mark.parametrize(
    ("given", "key", "sent"),
    [
        (Request("m", CALLED), "effort", "low"),
        (Request("m", CALLED, reasoning=ReasoningOptions(budget=9)), "effort", "low"),
        (Request("m", CALLED, reasoning=ReasoningOptions(budget=9)), "budget", None),
        (Request("m", [user("hi")], options=Options(temperature=9.0)), "temperature", 2),
        (Request("m", [user("hi")], options=Options(top_p=1.0)), "sampling", {"top_p": 0.5}),
        (Request("m", [user("hi")], options=Options(stop=["x"], seed=1)), "stop", None),
        (Request("m", [user("hi")], options=Options(logit_bias={"1": 2.0}, seed=1)), "bias", {"1": 2.0}),
        (Request("m", [user("hi")], options=Options(logit_bias={"1": 2.0}, seed=1)), "sampling", None),
        (
            Request("m", [user("hi", Image(data="aGk=", media_type="image/png"))]),
            "messages",
            [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        ),
        (
            Request("m", [user("hi")], tools=[Tool("f")]),
            "messages",
            [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "Answer in JSON."}],
                }
            ],
        ),
    ],
)
@pytest.mark.parametrize("policies", ["portable", "lenient"])
def test_a_fix_does_what_it_says_and_is_noted(
    fixed: ModuleType, given: Request, key: str, sent: object, policies: str
) -> None:
    with pytest.raises(Refused):
        fixed.build(given)
    built = fixed.build(given, policies=policies)
    assert built.body.get(key) == sent
    assert built.notes
    assert fixed.check(built.body) == ()


def test_no_fix_keeps_the_meaning_so_portable_raises(fixed: ModuleType) -> None:
    labelled = Request("m", [user("hi")], metadata={"a": "b"})
    with pytest.raises(Refused, match="metadata"):
        fixed.build(labelled, policies="portable")
    assert "metadata" not in fixed.build(labelled, policies="lenient").body
    assert fixed.check(labelled)[0].outcomes["portable"] == "error: labels cannot be guessed"


def test_callers_and_plugins_have_repairs_of_their_own(fixed: ModuleType) -> None:
    short = Request("m", [user("hi")], options=Options(max_tokens=1))
    with pytest.raises(Refused, match="max_tokens"):
        # the function of the rule changes something else
        fixed.build(short, policies="portable")
    warm = Request("m", [user("hi")], options=Options(temperature=9.0))
    for fixes in ({"temperature": shorten}, {"temperature": "drop"}):
        built = fixed.build(warm, policies=Policies(refusals="fix", fixes=fixes))
        expected = None if "drop" in fixes.values() else 0.5
        assert built.body.get("temperature") == expected, fixes
    with pytest.raises(Exception, match='"dorp" is not a repair'):
        fixed.build(warm, policies=Policies(refusals="fix", fixes={"temperature": "dorp"}))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("reject: [temperature], fix: nearest", '"temperature" has no accepted value: write drop'),
        ("reject: {reasoning.effort: {not: [low, high]}}, fix: {set: max}", 'does not accept "max" either'),
        ("reject: {reasoning.effort: max}, fix: {set: max}", 'rejects "max" too'),
        ("reject: {temperature: {exclusiveMinimum: 2}}, fix: {set: 3}", "rejects 3 too"),
        ("reject: [temperature], fix: {set: 1}", "rejects every value: write drop"),
        (
            "reject: {messages.text: {not: {pattern: a}}}, fix: drop",
            "is the text of messages, which drop cannot change",
        ),
        ("reject: [temperature], fix: omit", "is no message, part or tool"),
        ("reject: [temperature], fix: {drop: seeds}", '"seeds" is not a field of the request'),
        ("allow: [temperature], fix: drop", "nothing is rejected here"),
        ("reject: [temperature], fix: dorp", '"dorp" is not a repair; did you mean "drop"?'),
        ("reject: [temperature], fix: {set: {reasoning: {moot: x}}}", "is repaired by no such setting"),
        ("reject: [temperature], fix: {set: {seed: 1}}", "is repaired by no such setting"),
        ("reject: [temperature], fix: {set: {vendor: {prefix: true}}}", "is repaired by no such setting"),
        ("reject: [temperature], fix: set", "set needs a value: {set: VALUE}"),
        ("reject: [temperature], fix: {move: up}", "must be {move: user}"),
        ("reject: [temperature], fix: [drop]", "must be a word such as drop"),
        ("reject: [temperature], fix: {nearest: 1}", '"nearest" takes no value'),
    ],
)
def test_a_fix_that_does_not_suit_is_a_problem_with_its_place(
    tmp_path: Path, rule: str, message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        load_wire(tmp_path, "ruled_chat", spec_with(rule))
    problem = caught.value.problems[0]
    assert message in problem.message
    assert problem.span.line == SPEC.partition("rules:\n")[0].count("\n") + 2


def test_a_rule_whose_field_has_no_repair_says_why(tmp_path: Path) -> None:
    rule = "reject: {user.image.after: start}"
    with pytest.raises(SpecError, match="nothing says how a request is brought into line") as caught:
        load_wire(tmp_path, "ruled_chat", spec_with(rule))
    (problem,) = caught.value.problems
    line = SPEC.partition("rules:\n")[0].count("\n") + 2
    assert (problem.rule, problem.span.line, problem.span.column) == ("no-fix", line, 15)
    spec = spec_with(rule + ", fix: {none: pictures stay where they are}")
    built = load_wire(tmp_path / "fixed", "ruled_chat", spec)
    request = Request("m", [user(Image(data="aGk=", media_type="image/png"))])
    with pytest.raises(Refused, match="no repair is right: pictures stay where they are"):
        built.build(request, policies="portable")


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_every_rule_of_every_spec_has_a_repair_or_says_why_none_is_right(wire: str) -> None:
    rules = promptwire.wire(wire).WIRE.rules
    bare = [
        str(rule.because) for rule in rules for entry in rule.reject if not any(usual_repair(rule, entry))
    ]
    assert bare == []


def test_the_compiler_reads_the_repairs_that_the_runtime_registers() -> None:
    registered = {
        name: (each.policy, [globs for kind, globs, _ in each.solves if kind == "refused"])
        for name, each in repairs().items()
    }
    read = {name: (each.policy, [*reversed(each.refused)]) for name, each in list_repairs().items()}
    assert read == registered
    assert all(each.does for each in list_repairs().values())
    assert list_unrepaired_fields() == tuple(NO_REPAIR)


def test_the_page_of_repairs_lists_all() -> None:
    page = Path(__file__).parents[2] / "docs/repairs.md"
    rows = [
        f"| `{each.name}` | {f'`{each.policy}`' if each.policy else ''} | {each.does.removeprefix('Return the request ')} |"
        for each in list_repairs().values()
    ]
    before, _, after = page.read_text("utf-8").partition("|---|---|---|\n")
    written, _, rest = after.partition("\n\n")
    if os.environ.get("UPDATE_GOLDEN") == "1":
        page.write_text("\n".join([f"{before}|---|---|---|", *rows, "", rest]), "utf-8")
    assert written.splitlines() == rows
