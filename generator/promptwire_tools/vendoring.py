"""One folder that holds a wire and all that it needs of the runtime, for projects that install nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from promptwire_gen.compilation import Compilation, with_imported
from promptwire_gen.emit.artifact import commented, header
from promptwire_gen.layout import LayoutError

_PREFIX = "promptwire/"
# how tables name functions that are imported when they are first used
_LATE = re.compile(r"\.(\w+):\w+")
_RUNTIME, _TEXT = "promptwire_runtime", "promptwire_text"
_ABSOLUTE = re.compile(rf"^( *from )(?=(?:{_RUNTIME}|{_TEXT})\b)", re.MULTILINE)
_SOURCES = ("provider_specs", "runtime", "generator/promptwire_tools/vendoring.py")


def vendored(compilation: Compilation, wire: str, runtime: Path) -> dict[str, str]:
    """Return the files of a self-contained package: path in its folder -> text.

    Args:
        compilation: The compiled project.
        wire: The wire; those that it extends are added.
        runtime: The folder that holds the packages of the runtime.

    Raises:
        LayoutError: the runtime cannot be read.
    """
    needed = with_imported([wire], compilation.imported)
    modules = {
        path.removeprefix(_PREFIX): text
        for path, text in compilation.files.items()
        if path.startswith(_PREFIX) and compilation.owners.get(path) in needed
    }
    found = _reached(modules, _runtime_modules(runtime))
    marker = commented(header(_SOURCES))
    files = {path: _relative(text, "." * (path.count("/") + 1)) for path, text in (modules | found).items()}
    files = {
        path: text if text.startswith("# Generated") else f"{marker}\n{text}" for path, text in files.items()
    }
    files["__init__.py"] = f'{marker}\n"""{wire}, and what it needs of promptwire."""\n'
    return dict(sorted(files.items()))


def runtime_folder() -> Path:
    """Return the folder that holds the packages of the installed runtime."""
    found = find_spec(_RUNTIME)
    if found is None or found.origin is None:
        raise LayoutError(f"{_RUNTIME} is not installed")
    return Path(found.origin).parents[1]


def _runtime_modules(folder: Path) -> dict[str, str]:
    """Return every module of the runtime: path -> text."""
    try:
        return {
            path.relative_to(folder).as_posix(): path.read_text("utf-8")
            for package in (_RUNTIME, _TEXT)
            for path in sorted((folder / package).rglob("*.py"))
        }
    except OSError as error:
        raise LayoutError(f"{folder} cannot be read: {error}") from error


def _reached(modules: Mapping[str, str], runtime: Mapping[str, str]) -> dict[str, str]:
    """Return the modules of the runtime that some modules import, directly or through others."""
    names = {_module_name(path): path for path in runtime}
    reached: dict[str, str] = {}
    waiting = [
        target for path, text in modules.items() for target in _imported(_module_name(path), path, text)
    ]
    while waiting:
        target = waiting.pop()
        if target.endswith(".*"):
            waiting += [name for name in names if name.rpartition(".")[0] == target[:-2]]
        path = names.get(target)
        if path is None or path in reached:
            continue
        reached[path] = runtime[path]
        parent = target.rpartition(".")[0]
        waiting += [*_imported(target, path, runtime[path]), *([parent] if parent else [])]
    return reached


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(module: str, path: str, text: str) -> Iterator[str]:
    """Yield the names that a module imports at run time, in functions too: of modules, and of names in them."""
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    for node in _executed(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            late = _LATE.fullmatch(node.value)
            if late is not None:
                yield f"{package}.{late[1]}"
        elif isinstance(node, ast.Call) and _imports_neighbours(node):
            yield f"{package}.*"


def _imports_neighbours(call: ast.Call) -> bool:
    """Return whether a call is that of `import_module` with the name of a neighbour, which may be any of them."""
    names = [ast.unparse(each) for each in (call.func, *call.args[1:])]
    return names == ["import_module", "__package__"] and isinstance(call.args[0], ast.JoinedStr)


def _executed(module: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module, but for what only type checkers see."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def _relative(text: str, dots: str) -> str:
    """Return a module with these dots in front of the packages of the runtime that it imports from."""
    # parsing takes long
    if not _ABSOLUTE.search(text):
        return text
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            lines[node.lineno - 1] = _ABSOLUTE.sub(rf"\1{dots}", lines[node.lineno - 1])
    return "\n".join(lines)
