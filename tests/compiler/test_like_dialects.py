"""Dialects that differ from their parent little share its work, and neither files nor verdicts tell the difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

import pytest

from promptwire_gen.plugin_api import WireModel
from tests.checkout import copy_folders, keep_specs
from tests.internals.compiler import (
    BESIDE_REQUESTS,
    BUILTIN_FILTERS,
    Compilation,
    Layout,
    LoadedSpec,
    ReadingModules,
    Writing,
    compile_project,
    define_types,
    environment,
    judging,
    list_shared_expectations,
    lower,
    lowering,
)
from tests.spec_texts import SPECS, models

pytestmark = pytest.mark.slow

# the title is in a docstring that dialects inherit, and a dialect's own pages are laid out beside its parent's
_JINJA = environment([SPECS.parent / "templates"])
_ALLOWED = {"name", "parent", "title", "transport"}
_HEAD = "wire: {name}\ntitle: Acme Chat\nextends: openai_chat\n"
_DIALECTS = {
    "by_name_chat": "",
    "by_docs_chat": "docs: https://docs.acme.example\nrecorded: [acme]\n",
    "by_address_chat": (
        "transport:\n"
        '  url: "${base_url}/converse"\n'
        '  headers: {x-acme: "1"}\n'
        "  settings:\n"
        '    base_url: {default: "https://api.acme.example/v1"}\n'
    ),
    "by_answer_chat": "answer:\n  finish: {done: stop}\n",
    "by_key_chat": "body:\n  seed: null\n  safe_mode?: $vendor.safe_mode\n",
    "by_rule_chat": (
        "rules:\n"
        "  - ...\n"
        '  - {when: {model: [acme-*]}, reject: [temperature], because: no, source: "docs, 2026-11"}\n'
    ),
}
_NEEDY = "wire: {name}\ntitle: Needy\nextends: compatible_chat\n"
_WRONG = (
    "examples:\n"
    "  - name: a wrong one\n"
    "    request: {model: acme-1, messages: [{user: hi}]}\n"
    "    body: {model: acme-2, messages: [{role: user, content: hi}]}\n"
)


class _Watched(WireModel):
    """A model that notes which of its facts are read."""

    seen: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        _Watched.seen.add(name)
        return super().__getattribute__(name)


def _project(folder: Path, specs: Mapping[str, str]) -> Layout:
    """Return a project of openai_chat and dialects of it."""
    project = keep_specs(copy_folders(folder, "provider_specs", "templates"), "openai_chat")
    for name, text in specs.items():
        (project / "provider_specs" / f"{name}.yaml").write_text(_HEAD.format(name=name) + text, "utf-8")
    return Layout(project, project / "provider_specs", SPECS.parent / "templates", project / "generated")


def _compile(layout: Layout) -> Compilation:
    return compile_project(layout, plugins=None)


def _writing(model: WireModel) -> object:
    return _JINJA.get_template("writing/definitions.j2").render(writing=Writing(model, BUILTIN_FILTERS))


def _reading(model: WireModel) -> object:
    return ReadingModules(BUILTIN_FILTERS, _JINJA, lambda wire: wire.name).make_context(model)


def _types(model: WireModel) -> object:
    return define_types(model, BUILTIN_FILTERS)


def _losses(model: WireModel) -> object:
    return list_shared_expectations(model)


@pytest.mark.parametrize("make", [_writing, _reading, _types, _losses])
def test_shared_work_reads_no_fact_that_likeness_leaves_out(make: Callable[[WireModel], object]) -> None:
    for model in models().values():
        facts: dict[str, Any] = {field.name: getattr(model, field.name) for field in fields(WireModel)}
        facts["parent"] = None
        watched = _Watched(**facts)
        _Watched.seen.clear()
        make(watched)
        assert BESIDE_REQUESTS & _Watched.seen <= _ALLOWED, model.name


def test_sharing_changes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = _project(tmp_path, _DIALECTS)
    shared = _compile(layout)

    def never(model: WireModel, parent: WireModel) -> bool:
        return model is parent

    def lowered(model: WireModel, spec: LoadedSpec) -> WireModel:
        return lower(spec, BUILTIN_FILTERS)

    monkeypatch.setattr(lowering, "has_same_requests", never)
    monkeypatch.setattr(lowering, "add_names", lowered)
    alone = _compile(layout)
    assert {summary.name: summary.alike for summary in shared.summaries} == {
        **dict.fromkeys(["openai_chat", *_DIALECTS]),
        "by_name_chat": "openai_chat",
        "by_docs_chat": "openai_chat",
    }
    assert shared.files == alone.files


def test_what_a_dialect_has_in_common_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compilation = _compile(_project(tmp_path, _DIALECTS))
    judged: dict[str, list[str]] = {}

    def verdicts(made: Compilation, wires: list[str]) -> dict[str, list[Any]]:
        for wire in wires:
            cases = judging.cases_to_judge(made, wire)
            judged[wire] = [
                row["name"] for table in ("bodies", "errors", "answers") for row in cases.get(table, ())
            ]
        return {}

    monkeypatch.setattr(judging, "_verdicts", verdicts)
    judging.judge(compilation, [summary.name for summary in compilation.summaries])
    # they name its parent
    parent = _rows(compilation, "openai_chat")
    assert all('"openai_chat"' in parent[name] for name in judged["by_name_chat"])
    assert len(judged["by_address_chat"]) > len(judged["by_name_chat"])
    assert len(judged["by_answer_chat"]) > len(judged["by_name_chat"])


def _rows(compilation: Compilation, wire: str) -> dict[str, str]:
    cases = json.loads(compilation.files[f"tests/cases/{wire}.json"])
    return {row["name"]: json.dumps(row) for table in ("bodies", "errors", "answers") for row in cases[table]}


def test_a_dialect_under_another_name_has_its_own_examples_judged(tmp_path: Path) -> None:
    compilation = _compile(_project(tmp_path, {"by_name_chat": _WRONG, "by_docs_chat": ""}))
    assert [summary.alike for summary in compilation.summaries] == ["openai_chat", "openai_chat", None]
    (problem,) = judging.judge(compilation, ["by_docs_chat", "by_name_chat"])
    assert (problem.span.file, problem.span.line) == ("provider_specs/by_name_chat.yaml", 7)
    assert "acme-2" in problem.message


def test_a_wire_that_needs_settings_has_its_simplest_request_judged(tmp_path: Path) -> None:
    project = keep_specs(
        copy_folders(tmp_path, "provider_specs", "templates"), "compatible_chat", "openai_chat", "openai_like"
    )
    (project / "provider_specs" / "needy_chat.yaml").write_text(_NEEDY.format(name="needy_chat"), "utf-8")
    layout = Layout(project, project / "provider_specs", SPECS.parent / "templates", project / "generated")
    compilation = _compile(layout)
    assert {summary.name: summary.alike for summary in compilation.summaries}["needy_chat"] is not None
    assert judging.judge(compilation, ["needy_chat"]) == []
