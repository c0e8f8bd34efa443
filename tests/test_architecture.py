"""The structure of the code: layers that hold, and class names with one meaning."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping, Set as AbstractSet
from pathlib import Path

import pytest

from tests.imports import COMPILER, GENERATED, RUNTIME, imported, loaded, modules, shown, strays

# ---- floors


def test_the_runtime_imports_the_standard_library_only() -> None:
    """But for YAML text, which is read with PyYAML, and classes that are not plain, which only pydantic describes."""
    composing = RUNTIME / "promptwire_text" / "composing.py"
    yaml_text = RUNTIME / "promptwire_runtime" / "loading" / "yaml_text.py"
    packages = {"promptwire_runtime", "promptwire_text"}
    others: dict[str, set[str]] = {}
    for package in sorted(packages):
        others |= strays(RUNTIME / package, sys.stdlib_module_names | packages)
    schemas = RUNTIME / "promptwire_runtime" / "schemas"
    described = {shown(schemas / name): {"pydantic"} for name in ("of_types.py", "typed_data.py")}
    assert others == {shown(composing): {"yaml"}, shown(yaml_text): {"yaml"}, **described}
    assert "yaml" not in loaded("import promptwire_runtime.loading.dumping, promptwire_runtime.prompts")[0]


def test_what_reads_text_for_both_sides_knows_neither() -> None:
    """The compiler loads it without the neutral model, and the runtime without the compiler."""
    assert strays(RUNTIME / "promptwire_text", sys.stdlib_module_names | {"yaml"}) == {}


@pytest.mark.slow
def test_generated_modules_import_the_runtime_and_typing_only() -> None:
    """Four files import more: the package loads its modules by name, and three offer other packages."""
    allowed = {"__future__", "collections", "typing", "promptwire_runtime"}
    others = {"__init__.py": {"importlib"}}
    others |= {f"{name}.py": {f"promptwire_{name}"} for name in ("http", "batch", "data")}
    assert strays(GENERATED, allowed) == {shown(GENERATED / name): names for name, names in others.items()}


def test_the_client_imports_httpx_and_what_httpx_brings() -> None:
    own = sys.stdlib_module_names | {"promptwire_runtime", "promptwire_text", "httpx", "anyio"}
    others = strays(RUNTIME / "promptwire_http", own)
    assert {path for path in others if "/gateway/" not in path} == set()
    assert set().union(*others.values()) == {"aiohttp", "prometheus_client", "starlette", "yarl"}
    assert not {"httpx", "promptwire_http"} & set(loaded("promptwire.openai_chat")[0])


def test_batches_need_the_runtime_only() -> None:
    """They load wires by name, as the user's project has them."""
    own = sys.stdlib_module_names | {"promptwire_runtime", "promptwire_text"}
    assert strays(RUNTIME / "promptwire_batch", own) == {}
    assert strays(RUNTIME / "promptwire_data", own | {"promptwire_batch"}) == {}
    assert not {"sqlite3", "promptwire_batch"} & set(loaded("promptwire.openai_chat")[0])


def test_the_compiler_never_meets_what_it_compiles() -> None:
    """Only `replay/`, which tries a built package, may load it: by name, when a command asks for it.

    `sdk_types/` loads the SDKs that specs name, and nothing of ours.
    """
    built = {"promptwire", "promptwire_runtime"}
    ours = re.compile(rf"\b({'|'.join(built)})\b")
    assert {shown(path) for path in modules(COMPILER) if imported(path) & built} == set()
    texts = {path: path.read_text("utf-8") for path in modules(COMPILER)}
    loading = {path for path, text in texts.items() if "import_module(" in text}
    assert {path.parent.name for path in loading} == {"replay", "sdk_types"}
    assert [path for path in loading if path.parent.name == "sdk_types" and ours.search(texts[path])] == []


# ---- the rooms of the runtime


# from the lowest: what stands on one floor knows nothing of each other, nor of any floor above
FLOORS = (
    {"moved_names"},
    {"errors", "typed"},
    {"wire_json"},
    {"schemas", "predicates"},
    {"nodes"},
    {"model"},
    {"reporting", "constructors", "steps", "prepared"},
    {"rules"},
    {"passes"},
    {"build"},
    {"read"},
    {"repairs"},
    {"linting"},
    {"answers"},
    {"api"},
    {"wire_modules"},
    {"loading"},
    {"toolkits"},
    {"context"},
    {"prompts", "execution"},
    {"verdicts", "parts", "plugins", "results"},
    {""},
)
HEIGHTS = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
Graph = Mapping[str, AbstractSet[str]]


def module_name(path: Path, package: Path) -> str:
    """Name a module from its package on; the package itself has no name."""
    names = path.relative_to(package).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def import_graph(package: Path) -> Graph:
    """Every module of a package, with what it imports of it: in functions and for type checkers too."""
    names = {module_name(path, package): path for path in modules(package)}
    graph: dict[str, AbstractSet[str]] = {}
    for name, path in names.items():
        inside = path.relative_to(package).parent.parts
        graph[name] = {
            ".".join((*target, alias.name)) if ".".join((*target, alias.name)) in names else ".".join(target)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ImportFrom) and node.level
            for target in [(*inside[: len(inside) + 1 - node.level], *(node.module or "").split("."))]
            for target in [tuple(filter(None, target))]
            for alias in node.names
        }
    return graph


def circles(graph: Graph) -> list[str]:
    """The modules that import themselves in the end: those that are left when leaves are taken away, again and again."""
    left = {name: set(imported) - {name} for name, imported in graph.items()}
    while leaves := {name for name, imported in left.items() if not imported & left.keys()}:
        left = {name: imported for name, imported in left.items() if name not in leaves}
    return sorted(left)


def test_no_module_of_the_runtime_imports_itself_in_the_end() -> None:
    graph = import_graph(RUNTIME / "promptwire_runtime")
    assert circles(graph) == []
    # a circle would be seen
    assert "nodes.node" in circles({**graph, "errors": {"nodes.node"}, "nodes.node": {"errors"}})


def test_no_room_of_the_runtime_knows_those_above_it() -> None:
    """Not even in a function or for type checkers: what is loaded late is on a lower floor, or in the same room."""
    graph = import_graph(RUNTIME / "promptwire_runtime")
    assert {name.partition(".")[0] for name in graph} == HEIGHTS.keys()
    upward = [
        f"{name} -> {target}"
        for name, targets in graph.items()
        for target in targets
        for room, other in [(name.partition(".")[0], target.partition(".")[0])]
        if room != other and HEIGHTS[room] <= HEIGHTS[other]
    ]
    assert upward == []


def test_the_guide_names_the_packages_from_the_lowest() -> None:
    page = (RUNTIME / "README.md").read_text("utf-8").partition("\n## Packages\n")[2].partition("\n## ")[0]
    rows = [set(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)]
    assert rows == [rooms for rooms in FLOORS if rooms != {""}]


# ---- one meaning a name; ruff bounds the length of functions


def test_a_class_name_exists_once() -> None:
    """Hand-written code has one meaning a class name; private classes of one module may repeat."""
    places: dict[str, list[str]] = {}
    for path in (*modules(RUNTIME), *modules(COMPILER)):
        for name in re.findall(r"^ *class ([A-Za-z]\w*)", path.read_text("utf-8"), re.MULTILINE):
            places.setdefault(name, []).append(shown(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
