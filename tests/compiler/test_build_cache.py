"""A compilation is read back while nothing that goes in has changed, and made anew as soon as anything has."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.checkout import ROOT, copy_folders, keep_specs
from tests.internals.compiler import (
    CACHE,
    Compilation,
    Layout,
    SpecError,
    UnknownWire,
    build_cache,
    compile_project,
    installed,
    make_texts,
)

MEMORY = f"{CACHE}/compilation"


def small_project(folder: Path, *wires: str) -> Layout:
    """Return a project with few specs of its own; all projects have the same templates, which one process knows."""
    specs = keep_specs(copy_folders(folder, "provider_specs"), "ollama_chat", *wires) / "provider_specs"
    return Layout(folder, specs, ROOT / "templates", folder / "generated")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return small_project(tmp_path)


@pytest.fixture(scope="module")
def compilation(tmp_path_factory: pytest.TempPathFactory) -> Compilation:
    return compile_project(small_project(tmp_path_factory.mktemp("project")))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, compilation: Compilation) -> list[Layout]:
    """The projects that were to be compiled; what comes of that was found out once, since they all say the same."""
    seen: list[Layout] = []

    def compile_as_before(layout: Layout, **_: Any) -> Compilation:
        seen.append(layout)
        return compilation

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_as_before)
    return seen


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
    layout = small_project(tmp_path, "onnx_genai")
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
    # the files about all wires are made again where they are about one of two
    assert len(compiled) == 4
    with pytest.raises(UnknownWire, match='"olama_chat" is not a wire: did you mean "ollama_chat"'):
        build_cache.compile_cached(layout, wires=["olama_chat"])


def test_specs_beside_the_own_ones_go_in_too(tmp_path: Path, compiled: list[Layout]) -> None:
    whole = small_project(tmp_path / "shipped")
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


def sealed(*lines: str) -> bytes:
    """Return the text of the cache file with the digest of these lines."""
    text = "".join(f"{line}\n" for line in lines).encode()
    return text + hashlib.sha256(text).hexdigest().encode()


class Trap:
    """An object whose pickle writes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def write_memory(content: bytes) -> Callable[[Path], object]:
    return lambda memory: memory.write_bytes(content)


def flip(share: float) -> Callable[[Path], object]:
    """Flip one bit of the file, at this share of its length."""

    def change(memory: Path) -> None:
        content = bytearray(memory.read_bytes())
        content[int(len(content) * share)] ^= 1
        memory.write_bytes(content)

    return change


def with_entry(owner: str, **changes: Any) -> Callable[[Path], object]:
    """Write other facts about one owner, and the digest that goes with them."""

    def change(memory: Path) -> None:
        entries = json.loads(memory.read_text("utf-8")[:-64])
        entries[owner] |= changes
        memory.write_bytes(sealed(json.dumps(entries)))

    return change


def lead_elsewhere(memory: Path) -> None:
    """Put a link in the place of the file, to what is as good."""
    other = memory.with_name("other")
    memory.rename(other)
    memory.symlink_to(other)


def lead_folder_elsewhere(memory: Path) -> None:
    folder = memory.parent
    other = folder.with_name("other")
    folder.rename(other)
    folder.symlink_to(other)


def put(make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Put something else in the place of the file."""

    def change(memory: Path) -> None:
        memory.unlink()
        make(memory)

    return change


WRONG: dict[str, Callable[[Path], object]] = {
    "empty": write_memory(b""),
    "cut off": lambda memory: os.truncate(memory, memory.stat().st_size // 2),
    **{f"a bit flipped at {share}": flip(share) for share in (0.0, 0.1, 0.5, 0.9, 0.9999)},
    "nothing but a digest": write_memory(sealed()),
    "a list": write_memory(sealed("[1]")),
    "a number": write_memory(sealed("1")),
    "no JSON": write_memory(sealed("{")),
    "an entry that is a text": write_memory(sealed('{"ollama_chat": "a"}')),
    "nested a million deep": write_memory(sealed("[" * 1_000_000)),
    "of another compiler": with_entry("ollama_chat", key="0" * 64),
    "files that are a list": with_entry("ollama_chat", files=["a"]),
    "a text that is none": with_entry("ollama_chat", files={"a": 1}),
    "a summary that is a text": with_entry("ollama_chat", summary="a"),
    "parents that are a text": with_entry("ollama_chat", imported="a"),
    "a chain of numbers": with_entry("ollama_chat", chain=[1]),
    "other files about all wires": with_entry("", key="0" * 64),
    "no UTF-8": write_memory(b"\xff" * 1000),
    "larger than any": lambda memory: os.truncate(memory, (1 << 28) + 1),
    "a link": lead_elsewhere,
    "in a folder that is a link": lead_folder_elsewhere,
    "a pipe": put(os.mkfifo),
    "a folder": put(Path.mkdir),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_wrong_memory_is_like_none(
    change: Callable[[Path], object], layout: Layout, asked: list[Layout], compilation: Compilation
) -> None:
    build_cache.compile_cached(layout)
    change(layout.root / MEMORY)
    assert build_cache.compile_cached(layout) is compilation
    assert len(asked) == 2


def test_a_pickle_is_not_loaded(layout: Layout, asked: list[Layout], tmp_path: Path) -> None:
    build_cache.compile_cached(layout)
    trapped = pickle.dumps(Trap(tmp_path / "sprung"))
    (layout.root / MEMORY).write_bytes(trapped + hashlib.sha256(trapped).hexdigest().encode())
    build_cache.compile_cached(layout)
    assert len(asked) == 2
    assert not (tmp_path / "sprung").exists()


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("name", ["", "compilation", ".gitignore"])
def test_nothing_is_written_through_a_link(layout: Layout, tmp_path: Path, name: str) -> None:
    outside, place = tmp_path / "outside", layout.root / CACHE
    if name:
        outside.write_text("mine")
        place.mkdir()
        (place / name).symlink_to(outside)
    else:
        outside.mkdir()
        place.symlink_to(outside)
    build_cache.compile_cached(layout)
    assert outside.read_text() == "mine" if name else not any(outside.iterdir())


@pytest.mark.usefixtures("asked")
def test_what_a_killed_process_left_goes_when_it_is_old(layout: Layout) -> None:
    place = layout.root / CACHE
    place.mkdir()
    old, new, other = (place / name for name in (".compilation.1", ".compilation.2", ".mine.1"))
    for path in (old, new, other):
        path.write_text("begun")
    for path in (old, other):
        os.utime(path, (0, 0))
    build_cache.compile_cached(layout)
    assert {path.name for path in place.iterdir()} == {
        "compilation", ".gitignore", ".compilation.2", ".mine.1",
    }  # fmt: skip


def test_a_full_disk_leaves_no_half_of_it(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build_cache.compile_cached(layout)
    before = (layout.root / MEMORY).read_bytes()
    append(layout.specs / "ollama_chat.yaml", "\n# said otherwise\n")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert build_cache.compile_cached(layout).files == first.files
    assert (layout.root / MEMORY).read_bytes() == before
    assert sorted(path.name for path in (layout.root / CACHE).iterdir()) == [
        ".gitignore",
        "compilation",
    ]


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


CHANGES: dict[str, Callable[[Layout], object]] = {
    "a spec": lambda layout: append(layout.specs / "ollama_chat.yaml", "\n# said otherwise\n"),
    "a shared page": lambda layout: append(layout.specs / "sources.yaml", "\n# said otherwise\n"),
    "a spec that is gone": lambda layout: (layout.specs / "ollama_chat.yaml").unlink(),
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


def test_a_changed_template_is_noticed(layout: Layout, compiled: list[Layout], tmp_path: Path) -> None:
    layout = dataclasses.replace(layout, templates=shutil.copytree(layout.templates, tmp_path / "templates"))
    before = build_cache.compile_cached(layout).files
    append(layout.templates / "module" / "wire.py.j2", "\n# one line more\n")
    files = build_cache.compile_cached(layout).files
    assert len(compiled) == 2
    assert files == compile_project(layout).files != before


def test_another_version_of_a_library_is_noticed(
    layout: Layout, compiled: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    build_cache.compile_cached(layout)
    versions = installed.read_versions() | {"ruff": "0.0.1"}
    monkeypatch.setattr(build_cache, "read_versions", lambda: versions)
    build_cache.compile_cached(layout)
    assert len(compiled) == 2


def test_other_code_of_the_compiler_is_noticed(
    layout: Layout, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("package")
    monkeypatch.setattr(build_cache, "PACKAGE", package)
    (package / "emit.py").write_text("SPACES = 4\n")
    before = build_cache.compute_fingerprint(layout)
    assert build_cache.compute_fingerprint(layout) == before
    (package / "emit.py").write_text("SPACES = 8\n")
    assert build_cache.compute_fingerprint(layout) not in (None, before)


def test_the_libraries_that_count_are_installed() -> None:
    assert "none" not in installed.read_versions().values()


def test_beside_plugins_nothing_is_remembered(
    layout: Layout, compiled: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_cache, "list_plugin_points", lambda: ["a plugin"])
    for _ in range(2):
        build_cache.compile_cached(layout)
    assert len(compiled) == 2
    assert not (layout.root / CACHE).exists()


def compile_while(change: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Change something after each compilation, before it is stored."""

    def compile_and_change(layout: Layout, **options: Any) -> Compilation:
        made = compile_project(layout, **options)
        change()
        return made

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_and_change)


def test_a_spec_that_changes_meanwhile_is_compiled_again(
    layout: Layout, compiled: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = layout.specs / "ollama_chat.yaml"
    with monkeypatch.context() as inside:
        compile_while(lambda: spec.write_text(spec.read_text().replace("title: ", "title: New ")), inside)
        before = build_cache.compile_cached(layout)
    after = build_cache.compile_cached(layout)
    assert len(compiled) == 1
    assert after.files == compile_project(layout).files != before.files


def test_code_that_changes_meanwhile_is_not_remembered(
    layout: Layout, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("package")
    monkeypatch.setattr(build_cache, "PACKAGE", package)
    compile_while((package / "emit.py").touch, monkeypatch)
    build_cache.compile_cached(layout)
    assert not (layout.root / MEMORY).exists()


def test_what_has_remarks_is_not_remembered(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    remark = SpecProblem(Span("provider_specs/ollama_chat.yaml", 1, 1, 1), "odd-word", "it is odd")

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


def test_only_changed_wires_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = small_project(tmp_path, "onnx_genai")
    build_cache.compile_cached(layout)
    made: list[str] = []

    def make_and_note(orders: Any, *rest: Any) -> Any:
        made.extend(artifact.path for _, artifact in orders)
        return make_texts(orders, *rest)

    monkeypatch.setattr("promptwire_gen.pipeline.make_texts", make_and_note)
    spec = layout.specs / "onnx_genai.yaml"
    spec.write_text(spec.read_text("utf-8").replace("\ntitle: ", "\ntitle: New "), "utf-8")
    again = build_cache.compile_cached(layout)
    assert not [path for path in made if "ollama_chat" in path]
    assert "promptwire/onnx_genai/__init__.py" in made
    monkeypatch.undo()
    assert again.files == compile_project(layout).files
    assert again.owners == compile_project(layout).owners


def test_a_dialect_of_a_changed_wire_is_made_again(tmp_path: Path) -> None:
    layout = small_project(tmp_path)
    (layout.specs / "third_chat.yaml").write_text(
        "wire: third_chat\ntitle: Third\nextends: ollama_chat\n", "utf-8"
    )
    build_cache.compile_cached(layout)
    spec = layout.specs / "ollama_chat.yaml"
    spec.write_text(spec.read_text("utf-8").replace("    seed?: $seed\n", ""), "utf-8")
    assert build_cache.compile_cached(layout).files == compile_project(layout).files


def test_a_misspelt_parent_is_guessed_among_unchanged_specs_too(tmp_path: Path) -> None:
    layout = small_project(tmp_path, "onnx_genai")
    build_cache.compile_cached(layout)
    text = "wire: third_chat\ntitle: Third\nextends: olama_chat\n"
    (layout.specs / "third_chat.yaml").write_text(text, "utf-8")
    with pytest.raises(SpecError) as raised:
        build_cache.compile_cached(layout)
    (problem,) = raised.value.problems
    assert (problem.rule, problem.hint) == ("unknown-parent", 'did you mean "ollama_chat"?')


def test_a_named_build_ignores_the_faults_of_other_specs(tmp_path: Path) -> None:
    layout = small_project(tmp_path, "onnx_genai")
    append(layout.specs / "onnx_genai.yaml", "\nno_such_section: 1\n")
    made = build_cache.compile_cached(layout, wires=ONE)
    assert "promptwire/ollama_chat/writing.py" in made.files
    # the package names what there is, and nothing else
    assert "onnx_genai" not in made.files["promptwire/__init__.py"]
    with pytest.raises(SpecError):
        build_cache.compile_cached(layout)
    (layout.output / "promptwire" / "onnx_genai").mkdir(parents=True)
    (layout.output / "promptwire" / "onnx_genai" / "__init__.py").touch()
    assert "onnx_genai" in build_cache.compile_cached(layout, wires=ONE).files["promptwire/__init__.py"]
