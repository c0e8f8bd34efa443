"""A compilation is read back while nothing that goes in has changed, and made anew as soon as anything has."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptwire_gen import build_cache, installed
from promptwire_gen.compilation import Compilation, UnknownWire
from promptwire_gen.layout import CACHE, Layout, find_layout
from promptwire_gen.pipeline import compile_project
from promptwire_gen.problems import Problem, Span
from tests.checkout import INPUTS, copy_folders, keep_specs

MEMORY = f"{CACHE}/compilation.json"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return find_layout(keep_specs(copy_folders(tmp_path, *INPUTS), "ollama_chat"))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Layout]:
    """The projects that were really compiled."""
    seen: list[Layout] = []

    def compile_and_note(layout: Layout, **options: Any) -> Compilation:
        seen.append(layout)
        return compile_project(layout, **options)

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_and_note)
    return seen


def test_it_is_read_back_whole(layout: Layout, compiled: list[Layout]) -> None:
    first = build_cache.compile_cached(layout)
    again = build_cache.compile_cached(layout)
    assert len(compiled) == 1
    assert (dict(again.files), dict(again.sources)) == (dict(first.files), dict(first.sources))
    assert again.files == compile_project(layout).files
    assert json.dumps(again.table) == json.dumps(first.table)
    assert (layout.root / CACHE / ".gitignore").read_text() == "*\n"


ONE = ("ollama_chat",)


def test_a_part_of_it_is_read_back_too_and_is_never_taken_for_all(
    tmp_path: Path, compiled: list[Layout]
) -> None:
    layout = find_layout(keep_specs(copy_folders(tmp_path, *INPUTS), "ollama_chat", "onnx_genai"))
    for wires in ((), ONE):
        # what was compiled for less than all is not remembered
        build_cache.compile_cached(layout, wires=wires)
    assert len(compiled) == 2
    whole = build_cache.compile_cached(layout)
    assert len(compiled) == 3
    assert {path for path, wire in whole.owners.items() if wire == "ollama_chat"} < whole.files.keys()
    for part in (None, (), ONE, (*ONE, "onnx_genai")):
        again = build_cache.compile_cached(layout, wires=part)
        assert again.files == compile_project(layout, wires=part).files
        assert json.dumps(again.table) == json.dumps(whole.table)
    assert len(compiled) == 3
    with pytest.raises(UnknownWire, match='"olama_chat" is not a wire: did you mean "ollama_chat"'):
        build_cache.compile_cached(layout, wires=["olama_chat"])


def test_specs_beside_the_own_ones_go_in_too(tmp_path: Path, compiled: list[Layout]) -> None:
    whole = find_layout(keep_specs(copy_folders(tmp_path / "shipped", *INPUTS), "ollama_chat"))
    own = tmp_path / "own"
    layout = Layout(own, own / "provider_specs", whole.templates, own / "generated", whole.specs)
    layout.specs.mkdir(parents=True)
    first, again = (build_cache.compile_cached(layout) for _ in range(2))
    assert len(compiled) == 1
    assert again.files == first.files
    assert "promptwire/ollama_chat/writing.py" in again.files
    append(whole.specs / "ollama_chat.yaml", "\n# said otherwise\n")
    build_cache.compile_cached(layout)
    assert len(compiled) == 2


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


CHANGES: dict[str, Callable[[Layout], object]] = {
    "a spec": lambda layout: append(layout.specs / "ollama_chat.yaml", "\n# said otherwise\n"),
    "a template": lambda layout: append(layout.templates / "module" / "wire.py.j2", "\n# one line more\n"),
    "a spec that is gone": lambda layout: (layout.specs / "ollama_chat.yaml").unlink(),
    "a memory that is cut off": lambda layout: os.truncate(layout.root / MEMORY, 1000),
    "a memory of something else": lambda layout: (layout.root / MEMORY).write_text("[1]"),
    "a memory that is gone": lambda layout: (layout.root / MEMORY).unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(
    change: Callable[[Layout], object], layout: Layout, compiled: list[Layout]
) -> None:
    build_cache.compile_cached(layout)
    change(layout)
    files = build_cache.compile_cached(layout).files
    assert len(compiled) == 2
    assert files == compile_project(layout).files


def test_another_version_of_a_library_is_noticed(
    layout: Layout, compiled: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_cache.compile_cached(layout)
    versions = installed.versions() | {"ruff": "0.0.1"}
    monkeypatch.setattr(build_cache, "versions", lambda: versions)
    build_cache.compile_cached(layout)
    assert len(compiled) == 2


def test_other_code_of_the_compiler_is_noticed(
    layout: Layout, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("package")
    monkeypatch.setattr(build_cache, "PACKAGE", package)
    (package / "emit.py").write_text("SPACES = 4\n")
    before = build_cache.fingerprint(layout)
    assert build_cache.fingerprint(layout) == before
    (package / "emit.py").write_text("SPACES = 8\n")
    assert build_cache.fingerprint(layout) not in (None, before)


def test_the_libraries_that_count_are_installed() -> None:
    assert "none" not in installed.versions().values()


def test_beside_plugins_nothing_is_remembered(
    layout: Layout, compiled: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_cache, "plugin_points", lambda: ["a plugin"])
    for _ in range(2):
        build_cache.compile_cached(layout)
    assert len(compiled) == 2
    assert not (layout.root / CACHE).exists()


def test_what_changes_meanwhile_is_not_remembered(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_and_change(layout: Layout, **options: Any) -> Compilation:
        made = compile_project(layout, **options)
        CHANGES["a spec"](layout)
        return made

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_and_change)
    build_cache.compile_cached(layout)
    assert not (layout.root / MEMORY).exists()


def test_what_has_remarks_is_not_remembered(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    remark = Problem(Span("provider_specs/ollama_chat.yaml", 1, 1, 1), "odd-word", "it is odd")

    def compile_with_a_remark(layout: Layout, **options: Any) -> Compilation:
        return dataclasses.replace(compile_project(layout, **options), problems=(remark,))

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_with_a_remark)
    for _ in range(2):
        assert build_cache.compile_cached(layout).problems == (remark,)
    assert not (layout.root / MEMORY).exists()


def test_a_part_of_a_project_is_not_remembered(layout: Layout) -> None:
    build_cache.compile_cached(layout, wires=["ollama_chat"])
    assert not (layout.root / CACHE).exists()


def test_a_place_that_cannot_be_written_is_no_error(layout: Layout, compiled: list[Layout]) -> None:
    (layout.root / CACHE).write_text("a file, no folder\n")
    for _ in range(2):
        assert build_cache.compile_cached(layout).files
    assert len(compiled) == 2
