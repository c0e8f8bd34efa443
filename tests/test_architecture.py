"""What the code must look like: one neutral model, floors that hold, small files, light imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import promptwire
import promptwire_runtime
from promptwire_gen.model import neutral
from promptwire_gen.model.neutral import Kind
from tests.checkout import ROOT, run_python

COMPILER, RUNTIME, GENERATED = ROOT / "generator", ROOT / "runtime", ROOT / "generated" / "promptwire"
LONGEST_FILE, LONGEST_FUNCTION = 350, 60
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
    "Request": {"options", "continuation"},
}
# types of the table -> what the runtime's annotation is, None aside
TYPES: dict[str, tuple[Any, ...]] = {
    "str": (str,),
    "int": (int,),
    "number": (float,),
    "bool": (bool,),
    "strings": (tuple[str, ...],),
    "json": (Any,),
    "cache": (promptwire_runtime.Cache,),
    "parts": (tuple[promptwire_runtime.Part, ...],),
    "tools": (tuple[promptwire_runtime.AnyTool, ...],),
    "messages": (tuple[promptwire_runtime.Message, ...],),
    "instructions": (str, tuple[promptwire_runtime.Instruction, ...]),
    "tool_choice": (promptwire_runtime.ToolChoice,),
    "response_format": (promptwire_runtime.ResponseFormat,),
    "reasoning": (promptwire_runtime.ReasoningOptions,),
}
MAPPINGS = {"object": ("JsonObject",), "arguments": ("JsonObject", "str")}


def modules(folder: Path) -> list[Path]:
    """Every Python file below a folder."""
    return sorted(folder.rglob("*.py"))


def shown(path: Path) -> str:
    """Name a file as the project does."""
    return path.relative_to(ROOT).as_posix()


# ---- one neutral model


def declared(cls: type[Any]) -> dict[str, Field[Any]]:
    """The fields that a caller may give."""
    return {field.name: field for field in fields(cls) if field.init}


def always(field: Field[Any], hint: Any) -> bool:
    """Tell whether a field can never be None."""
    optional = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    absent = field.default is None or (hint is Any and field.default is not MISSING)
    return not (optional or absent)


def bare(hint: Any) -> tuple[Any, ...]:
    """The members of an annotation, None aside."""
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(member for member in members if member is not NoneType)


def facts(cls: type[Any], table: dict[str, neutral.NeutralField]) -> dict[str, tuple[bool, Any]]:
    """What the runtime says of each field of a class: always there or not, and its type where the table has it."""
    hints = get_type_hints(cls)
    found: dict[str, tuple[bool, Any]] = {}
    for name, field in declared(cls).items():
        key = "content" if name == "parts" and "content" in table else name
        found[key] = (always(field, hints[name]), kind_of(hints[name]))
    return found


def kind_of(hint: Any) -> str:
    """The table's word for an annotation."""
    members = bare(hint)
    for word, expected in TYPES.items():
        if members == expected:
            return word
    if str in members and len(members) == 2:
        return "arguments"
    return "object" if "Mapping" in str(members) and len(members) == 1 else str(members)


def expected_facts(kind: Kind) -> dict[str, tuple[bool, Any]]:
    """What the table says of each field."""
    return {name: (field.always, field.type) for name, field in kind.fields.items()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.cls)
def test_the_compiler_knows_each_class_as_the_runtime_defines_it(kind: Kind) -> None:
    cls = getattr(promptwire_runtime, kind.cls)
    found = facts(cls, kind.fields)
    shared = {"provenance", *neutral.CARRIED_BY_ALL} | BESIDE.get(kind.cls, set())
    assert {name: fact for name, fact in found.items() if name not in shared} == expected_facts(kind)


def test_every_part_and_tool_of_the_runtime_is_in_the_table() -> None:
    parts = {cls.__name__ for cls in subclasses(promptwire_runtime.Part)} - {"Opaque"}
    assert {kind.cls for kind in neutral.PARTS.values()} == parts
    tools = {cls.__name__ for cls in get_args(promptwire_runtime.AnyTool)} - {"Opaque"}
    assert {kind.cls for kind in neutral.TOOLS.values()} == tools


def subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    """Every class below one; a class that `slots` replaced is not one of the module any more."""
    for child in cls.__subclasses__():
        if getattr(sys.modules[child.__module__], child.__name__) is child:
            yield child
        yield from subclasses(child)


@pytest.mark.parametrize("kind", neutral.PARTS.values(), ids=lambda kind: kind.cls)
def test_sources_of_a_part_are_those_that_its_class_accepts(kind: Kind) -> None:
    cls = getattr(promptwire_runtime, kind.cls)
    found = [] if "source" not in {field.name for field in fields(cls)} else accepted_sources(cls)
    assert list(kind.sources) == found


def accepted_sources(cls: type[Any]) -> list[str]:
    """The fields that alone make a part."""
    found: list[str] = []
    for name in declared(cls):
        value: Any = (promptwire_runtime.Text("t"),) if name == "parts" else "v"
        try:
            part = cls(**{name: value})
        except promptwire_runtime.InvalidRequest:
            continue
        assert part.source == name
        found.append(name)
    return sorted(found, key=list(declared(cls)).index)


def test_options_and_request_fields_are_those_of_the_runtime() -> None:
    found = facts(promptwire_runtime.Options, neutral.OPTIONS)
    assert found == {name: (field.always, field.type) for name, field in neutral.OPTIONS.items()}
    found = facts(promptwire_runtime.Request, neutral.REQUEST)
    shared = {*neutral.CARRIED_BY_ALL} | BESIDE["Request"]
    table = {name: (field.always, field.type) for name, field in neutral.REQUEST.items()}
    assert {name: fact for name, fact in found.items() if name not in shared} == table
    assert neutral.ROLES == promptwire_runtime.request.ROLES


# ---- floors


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, with its line; relative imports resolved."""
    package = path.relative_to(next(root for root in path.parents if root.name in ("generator", "runtime", "generated")))
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.parts[: len(package.parts) - node.level] if node.level else ()
            yield node.lineno, ".".join([*above, *([node.module] if node.module else [])])


def strays(folder: Path, allowed: frozenset[str] | set[str]) -> list[str]:
    """Imports of anything but the allowed top-level packages."""
    found = [(path, line, name) for path in modules(folder) for line, name in imported(path)]
    return [f"{shown(path)}:{line}: {name}" for path, line, name in found if name.partition(".")[0] not in allowed]


def test_the_runtime_imports_the_standard_library_only() -> None:
    assert strays(RUNTIME, sys.stdlib_module_names | {"promptwire_runtime"}) == []


def test_generated_modules_import_the_runtime_and_typing_only() -> None:
    allowed = {"__future__", "collections", "typing", "promptwire_runtime", "promptwire"}
    # the package itself loads its modules by name, when they are first used
    found = [stray for stray in strays(GENERATED, allowed) if not stray.startswith("generated/promptwire/__init__.py")]
    assert found == []
    assert strays(GENERATED, allowed | {"importlib"}) == []


def test_the_compiler_never_meets_what_it_compiles() -> None:
    trial = COMPILER / "promptwire_gen" / "trial"
    found = [
        f"{shown(path)}:{line}: {name}"
        for path in modules(COMPILER)
        for line, name in imported(path)
        if name.partition(".")[0] in ("promptwire", "promptwire_runtime") and trial not in path.parents
    ]
    assert found == []


# ---- sizes and names


def test_files_stay_short() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for root in (COMPILER, RUNTIME) for path in modules(root)}
    assert {shown(path): lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_functions_stay_short() -> None:
    found: dict[str, int] = {}
    for path in [*modules(COMPILER), *modules(RUNTIME)]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                lines = node.end_lineno - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    found[f"{shown(path)}:{node.lineno} {node.name}"] = lines
    assert found == {}


def test_modules_say_what_they_hold() -> None:
    places = [path for root in (COMPILER, RUNTIME, GENERATED, ROOT / "tests") for path in modules(root)]
    assert [shown(path) for path in places if {path.stem, path.parent.name} & NAMELESS] == []


# ---- users stay light

LOADED = """
import sys
before = set(sys.modules)
import promptwire
{more}
print(*sorted(set(sys.modules) - before))
"""
HEAVY = frozenset({"asyncio", "email", "http", "inspect", "pydantic", "socket", "sqlite3", "ssl", "unittest", "urllib", "xml", "yaml"})


def loaded(more: str = "") -> list[str]:
    """What a fresh interpreter loads for `import promptwire` and more."""
    done = run_python("-X", "frozen_modules=off", "-c", LOADED.format(more=more), folder=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_promptwire_loads_no_wire() -> None:
    found = loaded()
    assert [name for name in found if name.startswith("promptwire.")] == []
    assert {name.partition(".")[0] for name in found} & HEAVY == set()
    assert [name for name in found if name in ("promptwire_runtime.loading", "promptwire_runtime.dumping")] == []


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_a_wire_loads_the_standard_library_only(wire: str) -> None:
    found = loaded(f"promptwire.{wire}")
    assert [name for name in found if name.startswith("promptwire.")] == [f"promptwire.{wire}"]
    tops = {name.partition(".")[0] for name in found}
    assert tops - sys.stdlib_module_names == {"promptwire", "promptwire_runtime"}
    assert tops & HEAVY == set()
