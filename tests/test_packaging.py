"""The wheels of the builders and of the compiler: their files, their requirements, and use where nothing else is installed."""

from __future__ import annotations

import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import promptwire
from tests.checkout import ROOT, SOURCE_ROOTS, build_wheel, keep_compiled, run_python, tree, unpack

pytestmark = pytest.mark.slow

PACKAGES = (
    "promptwire",
    "promptwire_runtime",
    "promptwire_text",
    "promptwire_http",
    "promptwire_batch",
    "promptwire_data",
    "promptwire_cli",
)
# folders of the checkout -> where they are in the wheel
PLACES = {
    "generated/promptwire": "promptwire",
    "runtime/promptwire_runtime": "promptwire_runtime",
    "runtime/promptwire_text": "promptwire_text",
    "runtime/promptwire_http": "promptwire_http",
    "runtime/promptwire_batch": "promptwire_batch",
    "runtime/promptwire_data": "promptwire_data",
    "runtime/promptwire_cli": "promptwire_cli",
}
COMPILER_PLACES = {
    "generator/promptwire_gen": "promptwire_gen",
    "generator/promptwire_tools": "promptwire_tools",
    "templates": "promptwire_gen/_templates",
    "provider_specs": "promptwire_gen/_provider_specs",
}
COMPILER_NEEDS = {"promptwire", "jinja2", "libcst", "pydantic", "pyyaml", "rich", "ruff", "typer"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this project."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the wheel in it."""
    return unpack(wheel, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the compiler."""
    return build_wheel(ROOT / "generator", tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def with_compiler(wheel: Path, compiler: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both wheels in it."""
    return unpack(compiler, unpack(wheel, tmp_path_factory.mktemp("site")))


def metadata_of(wheel: Path) -> Message:
    """Return the METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def expected(places: dict[str, str]) -> dict[str, bytes]:
    """Return the files of folders of the checkout, where they are in a wheel."""
    return {
        f"{place}/{path}": data
        for folder, place in places.items()
        for path, data in tree(ROOT / folder).items()
    }


def is_information(path: str) -> bool:
    return path.startswith("promptwire") and ".dist-info/" in path


def test_the_wheel_holds_the_packages_and_nothing_else(installed: Path) -> None:
    found = tree(installed)
    assert {path: data for path, data in found.items() if not is_information(path)} == expected(PLACES)
    assert {path.partition("/")[2] for path in found if is_information(path)} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip


def test_the_compiler_has_a_wheel_of_its_own(compiler: Path, wheel: Path, tmp_path: Path) -> None:
    found = tree(unpack(compiler, tmp_path))
    assert {path: data for path, data in found.items() if not is_information(path)} == expected(
        COMPILER_PLACES
    )
    metadata = metadata_of(compiler)
    required = metadata.get_all("Requires-Dist", [])
    assert {line.partition(">")[0].partition("=")[0] for line in required} == COMPILER_NEEDS
    version = metadata["Version"]
    assert f"promptwire=={version}" in required
    assert metadata_of(wheel)["Version"] == version
    assert f"promptwire-gen=={version}; extra == 'gen'" in metadata_of(wheel).get_all("Requires-Dist", [])
    assert [path.read_text() for path in tmp_path.glob("*.dist-info/entry_points.txt")] == [
        "[console_scripts]\ngen = promptwire_gen.cli:main\n"
    ]


def test_every_package_is_marked_as_typed_and_holds_no_tests(installed: Path) -> None:
    assert [name for name in PACKAGES if (installed / name / "py.typed").is_file()] == list(PACKAGES)
    names = [part for path in tree(installed) for part in path.split("/")]
    assert [name for name in names if name == "tests" or name.startswith(("test_", "conftest"))] == []


def test_installing_it_installs_nothing_else(wheel: Path) -> None:
    metadata = metadata_of(wheel)
    required = metadata.get_all("Requires-Dist", [])
    assert [line for line in required if "extra ==" not in line] == []
    assert metadata.get_all("Provides-Extra") == ["cli", "dev", "docs", "gen", "http", "otel", "ray", "serve"]
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_command_and_no_plugin_is_registered(installed: Path) -> None:
    (path,) = installed.glob("promptwire-*.dist-info/entry_points.txt")
    assert path.read_text() == "[console_scripts]\npromptwire = promptwire_cli:main\n"


BUILD_AND_READ = """
import sys
sys.path.insert(0, sys.argv[1])
import promptwire
from promptwire import Options, Request, user
for name in promptwire.WIRES:
    wire = getattr(promptwire, name)
    limit = 8 if "max_tokens" in wire.WIRE.capabilities["options"] else None
    built = wire.build(Request("m", [user("hi")], options=Options(max_tokens=limit)))
    assert wire.read(built.body).request.messages[0].parts == user("hi").parts
    print(name, built.json().decode())
assert promptwire.__file__.startswith(sys.argv[1])
"""
GEN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from promptwire_gen.cli import main; main()"


def test_it_works_in_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    done = run_python("-I", "-S", "-c", BUILD_AND_READ, str(installed), folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == list(promptwire.WIRES)
    oldest = ("anthropic_messages ", "openai_chat ", "openai_responses ")
    assert [line for line in lines if line.startswith(oldest)] == [
        'anthropic_messages {"model":"m","max_tokens":8,"messages":[{"role":"user","content":"hi"}]}',
        'openai_chat {"model":"m","max_completion_tokens":8,"messages":[{"role":"user","content":"hi"}]}',
        'openai_responses {"model":"m","max_output_tokens":8,"input":[{"role":"user","content":"hi"}]}',
    ]


def test_without_its_libraries_the_compiler_says_what_to_install(with_compiler: Path, tmp_path: Path) -> None:
    done = run_python("-I", "-S", "-c", GEN, str(with_compiler), "build", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "gen needs the compiler: pip install promptwire-gen\n"


@pytest.mark.slow
def test_the_packaged_specs_and_templates_build_the_same_files(with_compiler: Path, tmp_path: Path) -> None:
    done = run_python("-m", "promptwire_gen", "build", folder=tmp_path, path=(with_compiler,))
    assert (done.returncode, done.stderr) == (0, "")
    assert tree(tmp_path / "generated") == tree(ROOT / "generated")


OWN = """
from promptwire import Request, acme_chat, openai_chat, user
for wire in (acme_chat, openai_chat):
    print(wire.build(Request("m", [user("hi")])).url)
"""


@pytest.mark.slow
def test_a_project_of_ones_own_needs_specs_alone(with_compiler: Path, tmp_path: Path) -> None:
    def gen(*arguments: str) -> str:
        done = run_python("-m", "promptwire_gen", *arguments, folder=tmp_path, path=(with_compiler,))
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done.stdout

    assert gen("--version") == f"promptwire {installed_version(with_compiler)}\n"
    assert gen("new", "acme_chat", "--like", "openai_chat").splitlines()[1:] == [
        "  gen build",
        "  pytest generated/tests -k acme_chat",
    ]
    keep_compiled(tmp_path)
    gen("build")
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "generated/tests", "-k", "acme_chat")
    done = run_python(*tests, folder=tmp_path, path=(with_compiler,))
    assert done.returncode == 0, done.stdout
    (tmp_path / "request.yaml").write_text("{model: example-1, messages: [{user: hi}]}")
    assert "https://api.example.com/v1/" in gen("preview", "acme_chat", "request.yaml")
    assert gen("check").startswith("generated/ is current")
    ours = tree(ROOT / "generated")
    built = tree(tmp_path / "generated")
    about_all = {"README.md", "REFERENCE.md", "promptwire/__init__.py"}
    assert {path for path, data in ours.items() if built[path] != data} == about_all
    done = run_python("-c", OWN, folder=tmp_path, path=(tmp_path / "generated", with_compiler))
    assert done.stdout.splitlines() == [
        "https://api.example.com/v1/chat/completions",
        "https://api.openai.com/v1/chat/completions",
    ]


def installed_version(site: Path) -> str:
    """The version in the name of the wheel's information."""
    (path,) = site.glob("promptwire-*.dist-info")
    return path.name.removeprefix("promptwire-").removesuffix(".dist-info")


def test_source_roots_are_no_packages() -> None:
    roots = [ROOT / name for name in SOURCE_ROOTS]
    assert [path for root in roots for path in root.iterdir() if path.suffix == ".py"] == []
