"""A spec as a folder of pages: it says what one file would say, and its problems stand on its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.internals.compiler import Layout, LayoutError, SpecError, group_pages, is_same_spec, load_specs
from tests.internals.runtime import plain

from .small_spec import WHOLE

HEAD = WHOLE.partition("examples:")[0]
WIRE = next(line for line in WHOLE.splitlines() if line.startswith("wire: ")).removeprefix("wire: ")
ONE = "examples:\n  - {name: one, request: {model: m, messages: [{user: a}]}, error: {kind: NoPlace}}\n"
TWO = "examples:\n  - {name: two, request: {model: m, messages: [{user: b}]}, error: {kind: NoPlace}}\n"
RULES = "rules:\n  - {when: {}, reject: [temperature], because: so it is, source: 'a page, 2026-11'}\n"


def folder(**texts: str) -> dict[str, str]:
    return {f"provider_specs/{WIRE}/{name.replace('__', '/')}.yaml": text for name, text in texts.items()}


def test_pages_say_what_one_file_would_say() -> None:
    paged = folder(wire=HEAD, rules=RULES, examples__b=TWO, examples__a=ONE)
    (spec,) = load_specs(paged)
    (whole,) = load_specs(
        {f"{WIRE}.yaml": HEAD + RULES.removeprefix("rules:\n") + ONE + TWO.removeprefix("examples:\n")}
    )
    assert plain(spec.tree) == plain(whole.tree)
    assert (spec.model.rules, spec.model.examples) == (whole.model.rules, whole.model.examples)
    assert (spec.wire, spec.file) == (WIRE, f"provider_specs/{WIRE}/wire.yaml")


def test_a_file_and_folders_each_have_their_pages() -> None:
    files = ["p/a.yaml", "p/b/rules.yaml", "p/b/wire.yaml", "p/b/examples/z.yaml", "q/a/b.yaml"]
    assert group_pages(files) == {
        "p/a.yaml": ["p/a.yaml"],
        "p/b/": ["p/b/wire.yaml", "p/b/examples/z.yaml", "p/b/rules.yaml"],
        "q/a/b.yaml": ["q/a/b.yaml"],
    }
    assert is_same_spec("p/b/rules.yaml", "p/b/wire.yaml")
    assert not is_same_spec("p/a.yaml", "p/b/wire.yaml")
    assert not is_same_spec("q/b.yaml", "q/a.yaml")


def problems(files: dict[str, str]) -> list[tuple[str, int, str, str]]:
    with pytest.raises(SpecError) as caught:
        load_specs(files)
    return [
        (problem.span.file, problem.span.line, problem.rule, problem.hint or "")
        for problem in caught.value.problems
    ]


def test_a_problem_stands_on_its_page() -> None:
    wrong = RULES.replace("because", "becuase")
    (first, *_) = problems(folder(wire=WHOLE, rules=wrong))
    assert first == (f"provider_specs/{WIRE}/rules.yaml", 2, "unknown-key", 'did you mean "because"?')


def test_a_section_on_two_pages_is_named_with_both() -> None:
    title = "title: Another\n"
    line = WHOLE.splitlines().index(next(each for each in WHOLE.splitlines() if each.startswith("title"))) + 1
    assert problems(folder(wire=WHOLE, more=title)) == [
        (
            f"provider_specs/{WIRE}/more.yaml",
            1,
            "duplicate-key",
            f"first at provider_specs/{WIRE}/wire.yaml:{line}",
        )
    ]


def test_a_file_beside_a_folder_of_its_name_is_a_second_spec() -> None:
    ((file, _, rule, hint),) = problems({f"provider_specs/{WIRE}.yaml": WHOLE, **folder(wire=WHOLE)})
    assert (rule, {file, hint.removeprefix("the other is ")}) == (
        "duplicate-wire",
        {f"provider_specs/{WIRE}.yaml", f"provider_specs/{WIRE}/wire.yaml"},
    )


def test_a_folder_without_its_first_page_is_named(tmp_path: Path) -> None:
    (tmp_path / "provider_specs" / "north_chat").mkdir(parents=True)
    (tmp_path / "provider_specs" / "north_chat" / "rules.yaml").write_text(RULES)
    layout = Layout(tmp_path, tmp_path / "provider_specs", tmp_path / "templates", tmp_path / "generated")
    with pytest.raises(
        LayoutError, match=r"north_chat holds pages of a spec, and wire.yaml is not among them"
    ):
        layout.read_specs()


@pytest.mark.parametrize("own", ["west_chat.yaml", "west_chat/wire.yaml"])
def test_a_spec_of_the_project_replaces_all_pages_of_the_shipped_one(tmp_path: Path, own: str) -> None:
    shipped, specs = tmp_path / "shipped", tmp_path / "provider_specs"
    for path in (
        shipped / "west_chat/wire.yaml",
        shipped / "west_chat/rules.yaml",
        shipped / "east_chat.yaml",
        specs / own,
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"from: {path.parent.name}\n")
    layout = Layout(tmp_path, specs, tmp_path / "templates", tmp_path / "generated", shipped)
    assert sorted(layout.read_specs()) == ["provider_specs/east_chat.yaml", f"provider_specs/{own}"]
