"""A new model is taken for a known one: what its page may say, and which facts are its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.internals.compiler import NewModelError, SpecError, app, load_specs, start_model
from tests.internals.runtime import ModelNames, Words

from .test_declared_rules import BODY, FILE

PAGE = "specs/models/orca.yaml"
FAMILY = """
family: orca
title: Orca
names: [orca-*]

values:
  seed: {minimum: 0, source: "a page, 2026-11"}
profiles:
  orca-1:
    values:
      top_k: {unsupported: true, source: "a page, 2026-11"}
  orca-2:
    names: orca-second
    values:
      temperature: {maximum: 1, source: "a page, 2026-11"}
  orca-2-mini: {like: orca-2, source: "a page, 2026-11"}
"""
# what a new model may state itself
STATED = "  orca-3: {like: orca-2, values: {stop: {unsupported: true, source: 'measured, 2026-12'}}}\n"


def files(family: str = FAMILY, use: str = "{}") -> dict[str, str]:
    body = BODY.replace(
        "  temperature?: $temperature\n", "  temperature?: $temperature\n  top_k?: $top_k\n  seed?: $seed\n"
    )
    return {FILE: f"{body}families: {{orca: {use}}}\n", PAGE: family}


@pytest.mark.parametrize("rest", ["", "\n# rules of all\nrules: []\n"])
def test_one_profile_is_written_behind_the_others(rest: str) -> None:
    started = start_model({**files(), PAGE: FAMILY + rest}, "orca-3", "orca-2")
    assert (started.file, started.is_new, started.known) == (PAGE, True, "orca-2")
    lines = started.text.splitlines()
    assert lines[started.line - 2 : started.line] == [
        FAMILY.splitlines()[-1],
        "  orca-3: {like: orca-2}",
    ]
    assert len(lines) == len((FAMILY + rest).splitlines()) + 1
    again = start_model({**files(), PAGE: started.text}, "orca-3", "orca-2")
    assert (again.text, again.is_new, again.line) == (started.text, False, started.line)
    second = start_model({**files(), PAGE: started.text}, "orca-3-mini", "orca-3")
    assert second.text.splitlines()[started.line] == "  orca-3-mini: {like: orca-3}"
    assert second.known == "orca-2"


@pytest.mark.parametrize("use", ["{}", "{prefix: sea/, dots: true}"])
def test_facts_that_it_states_are_measured_and_those_of_the_other_inherited(use: str) -> None:
    started = start_model(files(FAMILY + STATED, use), "orca-3", "orca-2")
    assert [fact.conditions for fact in started.measured] == [("stop",)]
    assert [(fact.conditions, fact.wires) for fact in started.inherited] == [(("temperature>1",), ("small",))]
    place = started.inherited[0].place
    assert "temperature:" in started.text.splitlines()[place.line - 1]


@pytest.mark.parametrize(
    ("name", "like", "message"),
    [
        ("orca-3", "orca-9", "no page knows the model orca-9"),
        ("orca-3", "orca-2-mni", 'did you mean "orca-2-mini"?'),
        ("orca-1", "orca-2", "orca-1 is known in specs/models/orca.yaml"),
    ],
)
def test_a_model_that_no_page_can_hold_is_told(name: str, like: str, message: str) -> None:
    with pytest.raises(NewModelError) as refused:
        start_model(files(), name, like)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("seal-1: {like: orca-2}", '"seal-1" is not a model of the family orca'),
        ("orca-3*: {like: orca-2}", '"orca-3*" is a glob; a profile has names'),
        ("orca-3: {names: orca-1}", '"orca-1" is already a name of the profile orca-1'),
        ("orca-3: {names: [orca-3x, seal]}", '"seal" is not a model of the family orca'),
        ("orca-3: {like: orca-9}", 'there is no profile "orca-9"'),
        ("orca-3: {like: orca-3}", '"orca-3" takes its facts from another profile over more than 2 steps'),
        (
            "orca-3: {like: orca-4}, orca-4: {like: orca-5}, orca-5: {like: orca-2}",
            '"orca-3" takes its facts from another profile over more than 2 steps',
        ),
        (
            "orca-3: {like: orca-2}, orca-4: {like: orca-3, source: a page}",
            '"orca-4" takes over the facts of "orca-3", of which its own are not known',
        ),
    ],
)
def test_a_profile_is_like_another_one_over_two_steps_at_most(entries: str, message: str) -> None:
    with pytest.raises(SpecError) as refused:
        load_specs(files(_with(entries)))
    assert message in refused.value.problems[0].message
    load_specs(files(_with("orca-3: {like: orca-4}, orca-4: {like: orca-2}")))


def _with(entries: str) -> str:
    lines = [f"  {entry}}}\n" for entry in entries.removesuffix("}").split("}, ")]
    return FAMILY + "".join(lines)


def test_names_of_new_models_are_looked_up_like_known_ones() -> None:
    like = {"orca-3": "orca-1", "orca-2-max": "orca-2-mini"}
    names = ModelNames(Words("orca-*", "sea/orca*"), Words(), ("orca-1", "orca-2", "orca-2-mini"), like)
    taken = {
        "orca-3": "orca-1", "orca-3-2026-12-01": "orca-1", "sea/orca-3": "orca-1", "orca-2-max": "orca-2-mini",
        "orca-2": None, "orca-2-min": None, "orca-4": "orca-2-mini",
    }  # fmt: skip
    assert {name: names.nearest(name) for name in taken} == taken
    assert [names.find(name) for name in ("orca-3", "orca-2-max", "orca-2-maximal")] == [None, None, "orca-2"]
    spelled = names.spelled("sea/")
    assert spelled.nearest("orca-3") == "sea/orca-1"
    # a new model has the facts that it states, and is spelled like the other one
    assert spelled.meant("sea/orca-3-2026-12-01") == ("sea/orca-3", "sea/orca-1")
    assert (spelled.meant("sea/orca-2-2026"), spelled.meant("sea/orca-9")) == (
        ("sea/orca-2",),
        ("sea/orca-2-mini",),
    )
    # the API names no model so
    assert spelled.meant("orca-2") == ()


def test_another_name_of_a_model_means_its_profile() -> None:
    names = ModelNames(
        Words("orca-*"), Words(), ("orca-2", "orca-2-mini"), {}, {"orca-mini-2": "orca-2-mini"}
    )
    meant = {
        "orca-mini-2": ("orca-2-mini",), "orca-mini-2-2026-12-01": ("orca-2-mini",), "orca-mini-2.5": ("orca-2-mini",),
        "orca-2": ("orca-2",),
    }  # fmt: skip
    assert {name: names.meant(name) for name in meant} == meant


@pytest.mark.slow
def test_the_command_writes_the_page_and_says_what_is_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "provider_specs"
    (folder / "models").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    given = files()
    (folder / "small.yaml").write_text(given[FILE].replace("specs/", ""), "utf-8")
    page = folder / "models" / "orca.yaml"
    page.write_text(given[PAGE], "utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["new-model", "orca-3", "--like", "orca-2"])
    assert result.exit_code == 0, result.output
    assert "orca.yaml:" in result.stdout.splitlines()[0]
    assert "wrote orca-3: {like: orca-2}" in result.stdout
    assert "inherited from orca-2 (1): doubts, never refused" in result.stdout
    assert "  orca-3: {like: orca-2}\n" in page.read_text("utf-8")
    refused = CliRunner().invoke(app, ["new-model", "orca-3", "--like", "gpt-9"])
    assert (refused.exit_code, "no page knows the model gpt-9" in refused.output) == (2, True)
    shipped = CliRunner().invoke(app, ["new-model", "gpt-9", "--like", "gpt-5"])
    assert (shipped.exit_code, "is shipped with the compiler" in shipped.output) == (2, True)
