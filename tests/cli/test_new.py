"""`gen new`: what it writes builds at once and passes its own tests; what it refuses is told in one line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

import promptwire
from tests.checkout import ROOT, SOURCE_ROOTS, keep_compiled, run_python, tree
from tests.internals.compiler import (
    BUILTIN_FILTERS,
    SPECS,
    TEMPLATES,
    find_layout,
    load_specs,
    lower,
    lower_all,
)
from tests.searching import some_of
from tests.spec_texts import WIRES, said_by, spec_pages

from .conftest import Gen

SOURCE = find_layout(Path(__file__))
# one of each sort: by an address, by a vendor's field names, in one's own process, by settings alone
PARENTS = ("openai_chat", "anthropic_messages", "onnx_genai", "azure_openai_responses")


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of specs in a copy of specs and templates, which is the current folder."""
    for name in (SPECS, TEMPLATES):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path / SPECS


def test_it_says_what_it_wrote_and_what_comes_next(specs: Path, gen: Gen) -> None:
    result = gen("new", "acme_chat")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "wrote provider_specs/acme_chat.yaml: fill it in, then run",
        "  gen build",
        "  pytest generated/tests -k acme_chat",
    ]
    (specs.parent / "generated").mkdir()
    assert gen("new", "other_chat").stdout.splitlines()[1] == "  gen build other_chat"


@pytest.mark.slow
def test_what_it_writes_passes_its_own_tests_with_any_hint(specs: Path, gen: Gen) -> None:
    # the last is no API itself: it is there to be extended
    parents = (*PARENTS, "openai_like")
    wires = ["acme_chat", "acme_pages", *(f"acme_{name}" for name in parents)]
    assert gen("new", "acme_chat").exit_code == 0
    assert gen("new", "acme_pages", "--folder").exit_code == 0
    for name in parents:
        assert gen("new", f"acme_{name}", "--like", name).exit_code == 0
    for number, name in enumerate(PARENTS):
        for wire, text in some_of(hinted(specs, gen, name).items(), number):
            (specs / f"{wire}.yaml").write_text(text, "utf-8")
            wires.append(wire)
    run_generated_tests(specs.parent, gen, wires)


PAGES = {
    (): ["examples/basics.yaml", "rules.yaml", "wire.yaml"],
    ("--like", "openai_chat"): ["examples/basics.yaml", "wire.yaml"],
}


@pytest.mark.slow
@pytest.mark.parametrize("like", PAGES, ids=" ".join)
def test_a_folder_holds_the_same_spec_in_pages(specs: Path, gen: Gen, like: tuple[str, ...]) -> None:
    result = gen("new", "acme_chat", "--folder", *like)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "wrote provider_specs/acme_chat/: fill it in, then run"
    pages = tree(specs / "acme_chat")
    assert sorted(pages) == PAGES[like]
    gen("new", "acme_one", *like)
    lowered = lower_all(find_layout(specs).read_specs())
    (many, one) = [said_by(model) for model in lowered.wires if model.name.startswith("acme_")]
    assert (one.pop("name"), many.pop("name")) == ("'acme_one'", "'acme_chat'")
    assert (one.pop("title"), many.pop("title")) == ("'Acme One'", "'Acme Chat'")
    assert one == many
    # no word of a comment is lost, and none stands on a page of something else
    texts = [(specs / "acme_chat" / page).read_text("utf-8") for page in pages]
    one_text = (specs / "acme_one.yaml").read_text("utf-8")
    # each page names its schema in its first line
    words, comments = (
        [line for text in each for line in text.splitlines()[1:] if line.startswith("#")]
        for each in (texts, [one_text])
    )
    assert sorted(words) == sorted(comments)
    assert not (specs / "acme_chat" / "examples/basics.yaml").read_text("utf-8").count("# What ")


def test_the_first_line_of_each_spec_names_the_schema_for_editors() -> None:
    pages = [files[0] for files in spec_pages().values()]
    heads = {path: path.read_text("utf-8").partition("\n")[0] for path in pages}
    schema = ROOT / "generated" / "provider_spec.schema.json"
    named = {path: (path.parent / head.partition("$schema=")[2]).resolve() for path, head in heads.items()}
    assert set(named.values()) == {schema}


def run_generated_tests(project: Path, gen: Gen, wires: list[str]) -> None:
    """Build some wires, and run their tests on what was built."""
    keep_compiled(project)
    result = gen("build", *wires)
    assert (result.exit_code, result.stderr) == (0, "")
    places = [project / name if name == "generated" else ROOT / name for name in SOURCE_ROOTS]
    chosen = ("generated/tests", "-k", " or ".join(wires))
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *chosen)
    done = run_python(*arguments, folder=project, path=places)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def uncommented(text: str) -> list[str]:
    """A scaffold once for each commented block of YAML: with that block, as it stands, in place of the comment."""
    lines = text.splitlines()
    starts = [
        number
        for number, line in enumerate(lines)
        if line.startswith("#   ") and not lines[number - 1].startswith("#   ")
    ]
    found: list[str] = []
    for start in starts:
        stop = next(number for number in range(start, len(lines)) if not lines[number].startswith("#   "))
        block = [line.removeprefix("#   ") for line in lines[start:stop]]
        found.append("\n".join([*lines[:start], *block, *lines[stop:]]) + "\n")
    return found


def hinted(specs: Path, gen: Gen, parent: str) -> dict[str, str]:
    """A patch over a parent with each of its hints in turn: wire -> text of the spec."""
    gen("new", "acme_like", "--like", parent)
    path = specs / "acme_like.yaml"
    texts = uncommented(path.read_text("utf-8"))
    path.unlink()
    names = [f"hint_{number}_{parent}" for number in range(len(texts))]
    heads = [f"wire: {name}\n" for name in names]
    return {
        name: text.replace("wire: acme_like\n", head)
        for name, text, head in zip(names, texts, heads, strict=True)
    }


@pytest.mark.slow
def test_each_hint_builds_as_it_stands(specs: Path, gen: Gen) -> None:
    gen("new", "acme_chat")
    # all that a plain chat API has is written out
    assert uncommented((specs / "acme_chat.yaml").read_text("utf-8")) == []
    parents = [*some_of(WIRES, 1), "ollama_chat", "onnx_genai"]
    hints = {name: hinted(specs, gen, name) for name in parents}
    # body, modes of tool_choice, instructions, rules; some APIs know no such modes
    modes = {name: set(getattr(promptwire, name).WIRE.capabilities["tools"]["choice"]) for name in hints}
    without = {name for name, known in modes.items() if not known & {"auto", "none", "required"}}
    assert {name for name, texts in hints.items() if len(texts) != 4} == without
    assert without >= {"ollama_chat", "onnx_genai"}
    assert {len(texts) for texts in hints.values()} == {3, 4}
    texts = {f"{SPECS}/{wire}.yaml": text for each in hints.values() for wire, text in each.items()}
    found = lower_all(find_layout(specs).read_specs() | texts)
    assert found.problems == []
    assert len(found.wires) == len(WIRES) + 1 + len(texts)


@pytest.mark.slow
def test_any_wire_may_be_the_parent(specs: Path, gen: Gen) -> None:
    parents = some_of(WIRES)
    for name in parents:
        assert gen("new", f"acme_{name}", "--like", name).exit_code == 0
    loaded = load_specs(find_layout(specs).read_specs())
    children = [lower(spec, BUILTIN_FILTERS) for spec in loaded if spec.wire.startswith("acme_")]
    assert [child.name for child in children] == [f"acme_{name}" for name in parents]
    # two examples for each, or one where the parent has no other that holds for its child
    assert {len(child.examples) for child in children} <= {1, 2}
    assert all(example.body for child in children for example in child.examples)


def test_each_section_of_a_plain_spec_is_explained(specs: Path, gen: Gen) -> None:
    gen("new", "acme_chat")
    lines = (specs / "acme_chat.yaml").read_text("utf-8").splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../generated/provider_spec.schema.json"
    alone = {"wire", "docs", "flat_items"}
    heads = {line.partition(":")[0]: number for number, line in enumerate(lines) if line[:1].isalpha()}
    assert set(heads) - alone == {
        "title", "transport", "instructions", "continuation", "tools", "body", "slots", "messages", "unions",
        "parts", "rules", "answer", "stream", "examples",
    }  # fmt: skip
    assert [head for head in heads if head not in alone and not lines[heads[head] - 1].startswith("# ")] == []
    assert max(map(len, lines)) <= 120


def test_a_patch_asks_for_credentials_of_its_own_vendor(specs: Path, gen: Gen) -> None:
    gen("new", "acme_chat", "--like", "openai_chat")
    spec = yaml.safe_load((specs / "acme_chat.yaml").read_text("utf-8"))
    assert spec["extends"] == "openai_chat"
    assert spec["title"] == "Acme Chat"
    assert spec["transport"] == {
        "auth": [{"header": "authorization", "value": "Bearer ${api_key}", "env": "ACME_API_KEY"}],
        "settings": {"base_url": {"default": "https://api.example.com/v1"}},
    }


@pytest.mark.parametrize("wire", ["null", "yes", "true"])
def test_a_name_that_yaml_reads_otherwise_is_quoted(specs: Path, gen: Gen, wire: str) -> None:
    assert gen("new", wire).exit_code == 0
    text = (specs / f"{wire}.yaml").read_text("utf-8")
    (spec,) = load_specs({f"{wire}.yaml": text})
    assert (spec.wire, spec.model.title) == (wire, wire.capitalize())


NAME = "must be 2 to 64 lower-case letters, digits or _, a letter first"
REFUSED = {
    ("new", "Acme"): f'gen: the name "Acme" {NAME}\n',
    ("new", "../acme"): f'gen: the name "../acme" {NAME}\n',
    ("new", "class"): 'gen: the name "class" is a word of Python\'s own: choose another name\n',
    ("new", "openai_chat"): "gen: provider_specs/openai_chat is there already\n",
    ("new", "sources"): (
        "gen: provider_specs/sources.yaml says for all specs who says so: choose another name\n"
    ),
    ("new", "openai_chat", "--folder"): "gen: provider_specs/openai_chat is there already\n",
    ("new", "xai_chat", "--folder"): "gen: provider_specs/xai_chat.yaml is there already\n",
    ("new", "acme_chat", "--like", "sources"): (
        f'gen: "sources" is not a wire: the wires are {", ".join(sorted(spec_pages()))}\n'
    ),
    ("new", "acme_chat", "--like", "opnai_chat"): (
        'gen: "opnai_chat" is not a wire: did you mean "openai_chat"?\n'
    ),
    (
        "new",
        "acme_chat",
        "--like",
        "zzz",
    ): f'gen: "zzz" is not a wire: the wires are {", ".join(sorted(spec_pages()))}\n',
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_it_refuses_it_does_not_write(specs: Path, gen: Gen, arguments: tuple[str, ...]) -> None:
    before = tree(specs)
    result = gen(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", REFUSED[arguments])
    assert tree(specs) == before


def test_a_second_run_overwrites_nothing(specs: Path, gen: Gen) -> None:
    gen("new", "acme_chat")
    path = specs / "acme_chat.yaml"
    path.write_text("wire: acme_chat # mine\n")
    result = gen("new", "acme_chat", "--like", "openai_chat")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "gen: provider_specs/acme_chat.yaml is there already\n"
    assert path.read_text() == "wire: acme_chat # mine\n"


def test_a_broken_parent_is_shown_with_its_place_and_other_specs_may_be_broken(specs: Path, gen: Gen) -> None:
    (specs / "groq_chat.yaml").write_text("wire: groq_chat\nbdoy: {}\n")
    result = gen("new", "acme_chat", "--like", "groq_chat")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'provider_specs/groq_chat.yaml:2:1: unknown-key: "bdoy"' in result.stderr
    assert not (specs / "acme_chat.yaml").exists()
    assert gen("new", "acme_chat", "--like", "openai_chat").exit_code == 0


def test_without_a_project_it_begins_one_and_leaves_the_copies_in_the_wheel_alone(
    specs: Path, tmp_path: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "promptwire_gen"
    for name in (SPECS, TEMPLATES):
        shutil.copytree(ROOT / name, package / f"_{name}")
    monkeypatch.setattr("promptwire_gen.layout.PACKAGE", package)
    (tmp_path / "empty").mkdir()
    shutil.rmtree(specs)
    monkeypatch.chdir(tmp_path / "empty")
    before = tree(package)
    assert gen("new", "acme_chat", "--like", "openai_chat").exit_code == 0
    assert gen("new", "other_chat").exit_code == 0
    taken = gen("new", "openai_chat")
    said = 'gen: "openai_chat" comes with promptwire or a plugin: choose another name\n'
    assert (taken.exit_code, taken.stderr) == (2, said)
    again = gen("new", "acme_chat")
    assert (again.exit_code, again.stderr) == (2, "gen: provider_specs/acme_chat.yaml is there already\n")
    assert tree(package) == before
    assert list(tree(tmp_path / "empty")) == [
        "provider_specs/acme_chat.yaml",
        "provider_specs/other_chat.yaml",
    ]
