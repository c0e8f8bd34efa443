"""What the code must look like: one neutral model, floors that hold, small files, light imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Union, get_args, get_origin, get_type_hints

import pytest

import promptwire
from promptwire_gen.model import neutral
from promptwire_gen.model.neutral import Kind, NeutralField
from promptwire_gen.spec import checks
from promptwire_runtime.model.request import ROLES
from promptwire_runtime.reporting import policies
from promptwire_runtime.typed import Any
from tests.checkout import ROOT, run_python

COMPILER, RUNTIME, GENERATED = ROOT / "generator", ROOT / "runtime", ROOT / "generated" / "promptwire"
# classes of nodes are generated: as long as their fields are many
MODEL = RUNTIME / "promptwire_runtime" / "model"
LONGEST_FILE, LONGEST_FUNCTION = 350, 60
# a screen or two, its docstring counted
LONGEST_GENERATED_FUNCTION = 100
NAMELESS = frozenset({"utils", "util", "helpers", "helper", "common", "commons", "misc", "base"})
KINDS = [
    *neutral.PARTS.values(),
    *neutral.TOOLS.values(),
    neutral.LAYER,
    neutral.TOOL_CHOICE,
    neutral.RESPONSE_FORMAT,
    neutral.REASONING,
    neutral.CONTINUATION,
    neutral.CACHE,
    neutral.MESSAGE,
]
# what a class holds beside the fields that shapes may name: memory, and what only the runtime acts on
BESIDE = {
    "Message": {"role", "parts", "provenance"},
    "Continuation": {"start", "unanswered"},
}
# what no shape may name: memory, and what is merged in
CARRIED_BY_ALL = ("vendor", "extra", "kept")
# annotations of the runtime, None aside -> the table's word for them
WORDS: dict[tuple[Any, ...], str] = {
    (str,): "str",
    (int,): "int",
    (float,): "number",
    (bool,): "bool",
    (Any,): "json",
    (Mapping,): "object",
    (Mapping[str, str],): "text_object",
    (Mapping[str, float],): "number_object",
    (Mapping, str): "arguments",
    (tuple[str, ...],): "strings",
    (tuple[promptwire.Part, ...],): "parts",
    (tuple[promptwire.AnyTool, ...],): "tools",
    (tuple[promptwire.Message, ...],): "messages",
    (str, tuple[promptwire.Instruction, ...]): "instructions",
    (promptwire.ToolChoice,): "tool_choice",
    (promptwire.ResponseFormat,): "response_format",
    (promptwire.ReasoningOptions,): "reasoning",
    (promptwire.Cache,): "cache",
}


def modules(folder: Path) -> list[Path]:
    """Every Python file below a folder."""
    return sorted(folder.rglob("*.py"))


def shown(path: Path) -> str:
    """Name a file as the project does."""
    return path.relative_to(ROOT).as_posix()


# ---- one neutral model


Facts = dict[str, tuple[bool, str]]


def declared(cls: type[Any]) -> dict[str, Field[Any]]:
    """The fields that a caller may give."""
    return {field.name: field for field in fields(cls) if field.init}


def facts(cls: type[Any], *beside: str) -> Facts:
    """What the runtime says of a class: field -> whether it can never be None, and the table's word for its type."""
    hints = get_type_hints(cls)
    found: Facts = {}
    for name, field in declared(cls).items():
        if name not in beside:
            hint = hints[name]
            members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
            given = tuple([_without_values(member) for member in members if member is not NoneType])
            always = NoneType not in members and field.default is not None
            found[name] = (always, WORDS[given])
    return found


def _without_values(hint: Any) -> Any:
    return Mapping if get_origin(hint) is Mapping and (hint,) not in WORDS else hint


def table_facts(table: Mapping[str, NeutralField]) -> Facts:
    """What the compiler's table says of the same fields; only there are the parts of a part called content."""
    names = {name: "parts" if field.type == "parts" else name for name, field in table.items()}
    return {names[name]: (field.always, field.type) for name, field in table.items()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.cls)
def test_the_compiler_knows_each_class_as_the_runtime_defines_it(kind: Kind) -> None:
    beside = {"provenance", *CARRIED_BY_ALL} | BESIDE.get(kind.cls, set())
    assert facts(getattr(promptwire, kind.cls), *beside) == table_facts(kind.fields)


def test_every_part_and_tool_of_the_runtime_is_in_the_table() -> None:
    parts = {cls.__name__ for cls in subclasses(promptwire.Part)} - {"Opaque"}
    assert {kind.cls for kind in neutral.PARTS.values()} == parts
    tools = {cls.__name__ for cls in get_args(promptwire.AnyTool)} - {"Opaque"}
    assert {kind.cls for kind in neutral.TOOLS.values()} == tools


def subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    """Every class below one; a class that `slots` replaced is not one of the module any more."""
    for child in cls.__subclasses__():
        if getattr(sys.modules[child.__module__], child.__name__) is child:
            yield child
        yield from subclasses(child)


@pytest.mark.parametrize("kind", neutral.PARTS.values(), ids=lambda kind: kind.cls)
def test_sources_of_a_part_are_those_that_its_class_accepts(kind: Kind) -> None:
    cls = getattr(promptwire, kind.cls)
    found = [] if "source" not in {field.name for field in fields(cls)} else accepted_sources(cls)
    assert list(kind.sources) == found


def accepted_sources(cls: type[Any]) -> list[str]:
    """The fields that alone make a part."""
    found: list[str] = []
    for name in declared(cls):
        value: Any = (promptwire.Text("t"),) if name == "parts" else "v"
        try:
            part = cls(**{name: value})
        except promptwire.InvalidRequest:
            continue
        assert part.source == name
        found.append(name)
    return sorted(found, key=list(declared(cls)).index)


def test_a_number_below_the_least_is_refused() -> None:
    for cls, table in (
        (promptwire.Options, neutral.OPTIONS),
        (promptwire.ReasoningOptions, neutral.REASONING.fields),
    ):
        for name, field in table.items():
            if field.least is not None:
                least: dict[str, Any] = {name: field.least}
                assert getattr(cls(**least), name) == field.least
                with pytest.raises(promptwire.InvalidRequest, match=f"less than {field.least}"):
                    cls(**{name: least[name] - 1})


def test_options_and_request_fields_are_those_of_the_runtime() -> None:
    assert facts(promptwire.Options) == table_facts(neutral.OPTIONS)
    beside = (*CARRIED_BY_ALL, "options", "continuation")
    assert facts(promptwire.Request, *beside) == table_facts(neutral.REQUEST)
    assert neutral.ROLES == ROLES


# ---- floors


def imported(path: Path, *, late: bool = True) -> set[str]:
    """Every package that a file imports from outside its own; without `late`, only what loads with the file."""
    tree = ast.parse(path.read_text("utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found


def strays(folder: Path, allowed: AbstractSet[str]) -> dict[str, set[str]]:
    """The files below a folder that import anything but these packages, each with what it imports."""
    found = {shown(path): imported(path) - allowed for path in modules(folder)}
    return {path: names for path, names in found.items() if names}


def test_the_runtime_imports_the_standard_library_only() -> None:
    """One exception: YAML text is read with PyYAML, by modules that are loaded when there is such a text."""
    composing = RUNTIME / "promptwire_text" / "composing.py"
    yaml_text = RUNTIME / "promptwire_runtime" / "loading" / "yaml_text.py"
    own = {"promptwire_runtime", "promptwire_text"}
    found = strays(RUNTIME, sys.stdlib_module_names | own)
    assert found == {shown(composing): {"yaml"}, shown(yaml_text): {"yaml"}}
    assert "yaml" not in loaded("import promptwire_runtime.loading.dumping, promptwire_runtime.prompts")


def test_what_reads_text_for_both_sides_knows_neither() -> None:
    """The compiler loads it without the neutral model, and the runtime without the compiler."""
    assert strays(RUNTIME / "promptwire_text", sys.stdlib_module_names | {"yaml"}) == {}


def test_generated_modules_import_the_runtime_and_typing_only() -> None:
    """The package alone imports more: it loads its modules by name, when they are first used."""
    allowed = {"__future__", "collections", "typing", "promptwire_runtime"}
    assert strays(GENERATED, allowed) == {shown(GENERATED / "__init__.py"): {"importlib"}}


def test_the_compiler_never_meets_what_it_compiles() -> None:
    """Only `replay/`, which tries a built package, may load it: by name, when a command asks for it."""
    built = {"promptwire", "promptwire_runtime"}
    assert {shown(path) for path in modules(COMPILER) if imported(path) & built} == set()
    loading = {path.parent.name for path in modules(COMPILER) if "import_module(" in path.read_text("utf-8")}
    assert loading == {"replay"}


# ---- the rooms of the runtime


# from the lowest: what stands on one floor knows nothing of each other, nor of any floor above
FLOORS = (
    {"errors", "typed"},
    {"wire_json"},
    {"nodes"},
    {"model"},
    {"reporting", "constructors"},
    {"rules"},
    {"passes"},
    {"build"},
    {"read"},
    {"loading"},
    {"context"},
    {"prompts"},
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


def test_the_guide_names_the_rooms_from_the_lowest() -> None:
    page = (RUNTIME / "README.md").read_text("utf-8").partition("\n## Rooms\n")[2].partition("\n## ")[0]
    rows = [set(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)]
    assert rows == [rooms for rooms in FLOORS if rooms != {""}]


# ---- sizes and names


def test_files_stay_short() -> None:
    lengths = {
        path: len(path.read_text("utf-8").splitlines())
        for root in (COMPILER, RUNTIME)
        for path in modules(root)
        if path.parent != MODEL
    }
    assert {shown(path): lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


def longer_functions(paths: Iterable[Path], most: int) -> dict[str, int]:
    """The functions of more lines than these, each with its lines."""
    return {
        f"{shown(path)}:{node.lineno} {node.name}": lines
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        for lines in [node.end_lineno - node.lineno + 1]
        if lines > most
    }


def test_functions_stay_short() -> None:
    paths = [path for path in (*modules(COMPILER), *modules(RUNTIME)) if path.parent != MODEL]
    assert longer_functions(paths, LONGEST_FUNCTION) == {}


def test_generated_functions_are_a_screen_or_two() -> None:
    assert longer_functions(modules(GENERATED), LONGEST_GENERATED_FUNCTION) == {}


def test_modules_say_what_they_hold() -> None:
    places = [path for root in (COMPILER, RUNTIME, GENERATED, ROOT / "tests") for path in modules(root)]
    assert [shown(path) for path in places if {path.stem, path.parent.name} & NAMELESS] == []


# one subject that several floors treat: each of these files is about the same thing
SUBJECTS = {
    "__init__": "what a package shows",
    "policies": "what a caller chooses: for builds, for contexts",
    "report": "what was done: to a request, to a context",
    "result": "what a caller gets: of a build, of a reading",
}


@pytest.mark.parametrize("package", [COMPILER / "promptwire_gen", RUNTIME / "promptwire_runtime"], ids=shown)
def test_no_file_name_has_two_meanings(package: Path) -> None:
    names: dict[str, list[str]] = {}
    for path in modules(package):
        names.setdefault(path.stem, []).append(shown(path))
    assert {name: paths for name, paths in names.items() if len(paths) > 1 and name not in SUBJECTS} == {}


# ---- users stay light

LOADED = """
import sys
before = set(sys.modules)
import promptwire
{more}
print(*sorted(set(sys.modules) - before))
"""
HEAVY = {
    "asyncio",
    "email",
    "http",
    "pydantic",
    "socket",
    "sqlite3",
    "ssl",
    "unittest",
    "urllib",
    "xml",
    "yaml",
}
# what costs more to import than a whole wire
SLOW = {"collections", "dataclasses", "enum", "functools", "inspect", "json", "re", "typing"}


def loaded(more: str = "") -> list[str]:
    """What a fresh interpreter loads for `import promptwire` and more."""
    done = run_python("-c", LOADED.format(more=more), folder=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_promptwire_loads_no_wire() -> None:
    found = loaded()
    assert [name for name in found if name.startswith("promptwire.")] == []
    assert {name.partition(".")[0] for name in found} & HEAVY == set()
    assert [
        name for name in found if name in ("promptwire_runtime.loading", "promptwire_runtime.loading.dumping")
    ] == []


def extended(wire: str) -> list[str]:
    """A wire, and those that it extends."""
    spec = (ROOT / "provider_specs" / f"{wire}.yaml").read_text("utf-8")
    parent = re.search(r"^extends: (\w+)$", spec, re.MULTILINE)
    return [wire, *(extended(parent[1]) if parent else [])]


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_a_wire_loads_the_standard_library_only(wire: str) -> None:
    found = loaded(f"promptwire.{wire}")
    # a dialect is what differs from the wires that it extends
    own = {f"promptwire.{each}{module}" for each in extended(wire) for module in ("", ".wire", ".writing")}
    assert {name for name in found if name.startswith("promptwire.")} <= own
    beside = ("promptwire_runtime.context", "promptwire_runtime.prompts", "promptwire_runtime.loading")
    assert [name for name in found if name.startswith(beside)] == []
    tops = {name.partition(".")[0] for name in found}
    assert tops - sys.stdlib_module_names == {"promptwire", "promptwire_runtime"}
    assert tops & (HEAVY | SLOW) == set()


@pytest.mark.parametrize(
    ("package", "heavy"),
    [("context", HEAVY), ("prompts", HEAVY - {"urllib"})],  # prompts are files: pathlib loads urllib
)
def test_what_stands_beside_the_builders_loads_the_standard_library_only(
    package: str, heavy: set[str]
) -> None:
    found = loaded(f"import promptwire_runtime.{package}")
    assert [name for name in found if name.startswith("promptwire.")] == []
    tops = {name.partition(".")[0] for name in found}
    assert tops - sys.stdlib_module_names <= {"promptwire", "promptwire_runtime", "promptwire_text"}
    assert tops & heavy == set()


def test_the_spec_language_knows_the_policies_of_the_runtime() -> None:
    assert checks.POLICIES == policies._CHOICES
