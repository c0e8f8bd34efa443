"""Rules of families of models are compiled once, and hold for each API as if they stood in its own module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

import promptwire
from promptwire.plugins import Rule
from tests.compiler.compiled import forget, load_dialects
from tests.compiler.ruled_spec import SPEC
from tests.internals.compiler import WireRule
from tests.internals.runtime import Words, spelled
from tests.spec_texts import models

ORCA = """\
family: orca
title: Orca
names: {names: [orca-*, big-orca-*], without: [orca-open-*]}
groups:
  old: [orca-1-*]
  newer: {names: [orca-2-5*], without: [orca-2-5-mini*]}
values:
  temperature: {maximum: 1, source: &page "Orca's page on models, 2026-11"}
models:
  max_tokens:
    old: {maximum: 4096, source: *page}
    newer: {maximum: 8192, source: *page}
  top_k:
    old: {unsupported: true, because: orcas do not count, source: *page}
rules:
  - {when: {models: old}, reject: [stop, top_k], because: old ones go on and on, source: *page}
"""
USES = {
    "plain_chat": "orca: {}",
    "prefixed_chat": "orca: {prefix: acme/, dots: true}",
    "alone_chat": "orca: {alone: true}",
    "spared_chat": 'orca: {without: {temperature: "we cut it, 2026-11"}}',
}
HERE = "wire: ruled_chat\n"
Named: TypeAlias = tuple[list[str], list[str], str]


def spec(name: str, use: str) -> str:
    text = SPEC.partition("rules:\n")[0] + f"families: {{{use}}}\n"
    if name == "counting_chat":
        text = text.replace("  stop?: $stop\n", "  stop?: $stop\n  top_k?: $top_k\n")
    return text.replace(HERE, f"wire: {name}\n")


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ModuleType]]:
    folder = tmp_path_factory.mktemp("families")
    (folder / "provider_specs" / "models").mkdir(parents=True)
    (folder / "provider_specs" / "models" / "orca.yaml").write_text(ORCA, "utf-8")
    specs = {name: spec(name, use) for name, use in USES.items()}
    specs["counting_chat"] = spec("counting_chat", "orca: {}")
    yield load_dialects(folder, "orcas", specs)
    forget("orcas")


def named(rules: tuple[Rule, ...]) -> list[Named]:
    return [([*rule.model], [*rule.not_model], rule.because) for rule in rules]


LIMITS: list[Named] = [
    (["orca-*", "big-orca-*"], ["orca-open-*"], "`temperature` must be at most 1"),
    (["orca-1-*"], [], "`max_tokens` must be at most 4096"),
    (["orca-2-5*"], ["orca-2-5-mini*"], "`max_tokens` must be at most 8192"),
    (["orca-1-*"], [], "old ones go on and on"),
]
COUNTED: Named = (["orca-1-*"], [], "orcas do not count")


def test_apis_share_the_rules_of_a_family(wires: dict[str, ModuleType]) -> None:
    assert named(wires["plain_chat"].WIRE.rules) == LIMITS
    assert named(wires["counting_chat"].WIRE.rules) == [*LIMITS[:3], COUNTED, LIMITS[3]]
    plain, counting = wires["plain_chat"].WIRE.rules, wires["counting_chat"].WIRE.rules
    assert all(one is other for one, other in zip(plain[:3], counting, strict=False))


SPELLED: dict[str, list[Named]] = {
    "prefixed_chat": [
        (["acme/orca-*", "acme/big-orca-*"], ["acme/orca-open-*"], LIMITS[0][2]),
        (["acme/orca-1-*"], [], LIMITS[1][2]),
        (["acme/orca-2.5*"], ["acme/orca-2.5-mini*"], LIMITS[2][2]),
        (["acme/orca-1-*"], [], LIMITS[3][2]),
    ],
    "alone_chat": [([], [], LIMITS[0][2]), *LIMITS[1:]],
    "spared_chat": LIMITS[1:],
}


@pytest.mark.parametrize("wire", SPELLED)
def test_each_api_spells_the_names_of_models_as_it_does(wires: dict[str, ModuleType], wire: str) -> None:
    assert named(wires[wire].WIRE.rules) == SPELLED[wire]


def text_of(wires: dict[str, ModuleType], wire: str) -> list[str]:
    file = wires[wire].__file__
    assert file is not None
    lines = (Path(file).parent / "rules.py").read_text("utf-8").splitlines()
    return [line.strip() for line in lines[lines.index("RULES: tuple[Rule, ...] = (") + 1 : -1]]


def test_a_module_says_which_rules_of_a_family_it_leaves_out(wires: dict[str, ModuleType]) -> None:
    assert text_of(wires, "alone_chat")[0] == "*spelled(ORCA_RULES[:3], of_all=ORCA_MODELS),"
    assert text_of(wires, "prefixed_chat")[0] == '*spelled(ORCA_RULES[:3], prefix="acme/", dots=True),'
    assert text_of(wires, "spared_chat")[:2] == [
        "# without 0: `temperature` must be at most 1",
        "*ORCA_RULES[1:3],",
    ]
    # a rule about two fields, of which the API has one, is its own
    assert text_of(wires, "plain_chat")[:4] == [
        "*ORCA_RULES[:3],",
        "# without 3: orcas do not count",
        "# without 4: old ones go on and on",
        "Rule(",
    ]


def test_dots_stand_between_digits_alone() -> None:
    names = Words("orca-1-2-3*", "orca-2-mini-5", "-1", "1-")
    (rule,) = spelled([Rule(model=names)], dots=True)
    assert [*rule.model] == ["orca-1.2.3*", "orca-2-mini-5", "-1", "1-"]


def words(globs: tuple[str, ...]) -> list[str]:
    return [word for glob in globs for word in glob.split("|")]


def test_the_modules_of_all_apis_hold_the_rules_of_their_specs() -> None:
    def stated(rule: WireRule) -> list[object]:
        return [words(rule.model), words(rule.not_model), rule.because, rule.source, len(rule.reject)]

    def loaded(rule: Rule) -> list[object]:
        return [[*rule.model], [*rule.not_model], rule.because, rule.source, len(rule.reject)]

    for name, model in models().items():
        rules = promptwire.wire(name).WIRE.rules
        assert [*map(loaded, rules)] == [*map(stated, model.rules)], name
