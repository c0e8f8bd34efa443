"""Read and check the YAML files of the neutral model, and its tables of hosted kinds and of options for content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from ..layout import PACKAGE
from ..problems import SpecError, SpecProblem, did_you_mean, quote
from ..spec.explain import explain
from ..spec.fixes import Fix
from ..spec.nodes import Table, plain, span_at
from ..spec.read import read
from .declarations import FieldDeclaration, FileDeclaration, NodeDeclaration
from .node_classes import Module, NeutralModel, NodeClass, NodeField

FOLDER = PACKAGE / "neutral"
# in import order
MODULES = (
    "wire_memory", "text", "calls", "returns", "reasoning", "references", "media", "tools", "options", "request",
)  # fmt: skip
SHARED = "shared"


@cache
def read_neutral_model() -> NeutralModel:
    """Read the neutral model. Raises SpecError with all problems of its files."""
    return read_model({name: (FOLDER / f"{name}.yaml").read_text("utf-8") for name in (SHARED, *MODULES)})


def read_model(texts: Mapping[str, str]) -> NeutralModel:
    """Build the model from the texts of its files (module name -> YAML). Raises SpecError with all problems."""
    problems: list[SpecProblem] = []
    trees: dict[str, Table] = {}
    files: dict[str, FileDeclaration] = {}
    for name, text in texts.items():
        try:
            trees[name] = read(text, f"neutral/{name}.yaml")
            files[name] = FileDeclaration.model_validate(plain(trees[name]))
        except SpecError as error:
            problems += error.problems
        except ValidationError as error:
            problems += explain(error, trees[name], FileDeclaration)
    if not problems:
        nodes_of = {name: file.nodes for name, file in files.items()}
        problems += [
            problem
            for name, nodes in nodes_of.items()
            for title, node in nodes.items()
            for problem in _Checks(trees[name], title, node, files).find_problems()
        ]
    if problems:
        raise SpecError(problems)
    modules = [Module(n, f.doc or "", f.before, f.after, ()) for n, f in files.items() if f.nodes]
    return NeutralModel(tuple([_resolve_module(module, files) for module in modules]))


def _resolve_module(module: Module, files: Mapping[str, FileDeclaration]) -> Module:
    nodes = [
        NodeClass(name, module.name, node, _resolve_fields(node, files))
        for name, node in files[module.name].nodes.items()
    ]
    return Module(module.name, module.doc, module.before, module.after, tuple(nodes))


def _resolve_fields(node: NodeDeclaration, files: Mapping[str, FileDeclaration]) -> tuple[NodeField, ...]:
    shared = _collect_shared(files)
    fields = [
        NodeField(name, declaration, node.keyword_only or declaration.keyword)
        for name, declaration in node.fields.items()
    ]
    fields += [NodeField(name, shared[name], keyword=True) for name in node.shares]
    above = _collect_nodes(files)[node.base] if node.base is not None else None
    inherited = [
        NodeField(field.name, field.declaration, keyword=True, inherited=True)
        for field in (_resolve_fields(above, files) if above is not None else ())
    ]
    return tuple(sorted([*fields, *inherited], key=lambda field: field.keyword))


def _collect_shared(files: Mapping[str, FileDeclaration]) -> dict[str, FieldDeclaration]:
    return {name: declaration for file in files.values() for name, declaration in file.shared.items()}


def _collect_nodes(files: Mapping[str, FileDeclaration]) -> dict[str, NodeDeclaration]:
    return {name: node for file in files.values() for name, node in file.nodes.items()}


class _Checks:
    """Checks of one class beyond the schema of its file."""

    def __init__(
        self, tree: Table, title: str, node: NodeDeclaration, files: Mapping[str, FileDeclaration]
    ) -> None:
        self.tree = tree
        self.title = title
        self.node = node
        self.files = files
        self.names = {*node.fields, *node.shares}

    def find_problems(self) -> Iterator[SpecProblem]:
        """Yield the contradictions of a class."""
        node, shared, nodes = self.node, _collect_shared(self.files), _collect_nodes(self.files)
        for name in node.shares:
            if name not in shared:
                yield self._make_unknown_problem(("shares",), "shared field", name, shared)
            elif name in node.fields:
                yield self._make_problem(("fields", name), f"{quote(name)} is a shared field already")
        if node.base is not None and node.base not in nodes:
            yield self._make_unknown_problem(("base",), "class", node.base, nodes)
        for name in node.sources:
            if name not in node.fields:
                yield self._make_unknown_problem(("sources",), f"field of {self.title}", name, node.fields)
        calls = {
            "plain": node.plain,
            "plain_word": node.plain_word,
            **{f"properties.{n}": p.call for n, p in node.properties.items()},
        }
        for key, call in calls.items():
            if isinstance(call, str):
                yield from self._check_call(tuple(key.split(".")), call)
        for name, declaration in node.fields.items():
            yield from self._check_field(name, declaration)

    def _check_call(self, path: tuple[str, ...], call: str) -> Iterator[SpecProblem]:
        for name in list_arguments(call):
            if name not in self.names:
                yield self._make_unknown_problem(path, f"field of {self.title}", name, self.names)

    def _check_field(self, name: str, declaration: FieldDeclaration) -> Iterator[SpecProblem]:
        path = ("fields", name)
        if declaration.beside is not None and declaration.beside not in self.node.sources:
            yield self._make_unknown_problem(
                (*path, "beside"), "source", declaration.beside, set(self.node.sources)
            )
        if (declaration.type is None) is (declaration.annotation is None):
            yield self._make_problem(path, f"{quote(name)} says its type or its annotation, one of them")
        if declaration.required and declaration.default is not None:
            yield self._make_problem((*path, "default"), "a required field has no default")
        if declaration.nullable and not declaration.required:
            yield self._make_problem((*path, "nullable"), "a field that need not be given may be None anyway")
        if declaration.unit is not None and declaration.type not in ("int", "number"):
            yield self._make_problem((*path, "unit"), "a unit is of a number")
        if declaration.least is not None and declaration.type != "int":
            yield self._make_problem((*path, "least"), "the least number is one of an int")
        if (declaration.refuse or declaration.constant) and not declaration.values:
            yield self._make_problem(path, "words are refused where the values are listed")

    def _make_unknown_problem(
        self, path: tuple[str, ...], noun: str, name: str, names: Mapping[str, object] | set[str]
    ) -> SpecProblem:
        hint = did_you_mean(name, names) or f"there are {', '.join(sorted(names))}"
        return self._make_problem(path, f"{quote(name)} is not a {noun}", hint)

    def _make_problem(self, path: tuple[str, ...], message: str, hint: str | None = None) -> SpecProblem:
        return SpecProblem(span_at(self.tree, ("nodes", self.title, *path)), "neutral-model", message, hint)


def list_arguments(call: str) -> list[str]:
    """Return the fields used as arguments of a call: `not is_blank(text)` uses text."""
    return re.findall(r"[a-z_]+", call.partition("(")[2])


TableT = TypeVar("TableT", bound=BaseModel)
_TOOLS, _OWN_CONTENT, _HOST_ERRORS = "hosted.yaml", "own_content.yaml", "host_errors.yaml"


class HostedServers(BaseModel):
    """The option of a request that lists the servers which tools name."""

    model_config = ConfigDict(extra="forbid")

    option: str
    by: dict[str, str]
    config: dict[str, Any] | None = None
    settings: dict[str, str]


class HostedWords(BaseModel):
    """The words of one wire for a kind of tool; without `type`, the kind is read but not sent.

    `option` is the option of a request that an API has instead of a tool. `settings` maps settings of another
    provider's tool to those of the option, or of the tool that is sent instead.
    `servers` is the option that lists the servers which the tool names.
    `omit`, under the wire `*`, is the reason why a tool may be left out where a wire has none of its kind.
    """

    model_config = ConfigDict(extra="forbid")

    types: list[str]
    type: str | None = None
    name: str | None = None
    config: dict[str, Any] | None = None
    option: str | None = None
    settings: dict[str, str] | None = None
    servers: HostedServers | None = None
    omit: str | None = None


class HostedTable(RootModel[dict[str, dict[str, HostedWords]]]):
    """The whole table of tools: kind -> wire -> words."""


class OwnContentTable(RootModel[dict[str, dict[str, Fix]]]):
    """The table of options that hold content: wire -> option -> its repair on other wires."""


class CitationForm(BaseModel):
    """How the answers of an API cite a page."""

    model_config = ConfigDict(extra="forbid")

    citation: dict[str, Any]
    option: str = ""


class CitationTable(RootModel[dict[str, CitationForm]]):
    """The whole table of citations: API -> its form."""


class HostErrorTable(RootModel[dict[str, dict[str, Any]]]):
    """The whole table of errors of gateways: their name -> their form."""


@cache
def read_hosted_kinds() -> dict[str, dict[str, dict[str, Any]]]:
    """Return kind -> wire -> its words. Raises SpecError with all problems of the file."""
    dumped: dict[str, dict[str, dict[str, Any]]] = _read(_TOOLS, HostedTable).model_dump(exclude_none=True)
    return dumped


@cache
def read_own_content() -> dict[str, dict[str, Fix]]:
    """Return wire -> its options with content -> their repairs. Raises SpecError with all problems of the file."""
    return _read(_OWN_CONTENT, OwnContentTable).root


@cache
def read_citations() -> dict[str, dict[str, Any]]:
    """Return API -> how its answers cite a page. Raises SpecError with all problems of the file."""
    rows = _read("citations.yaml", CitationTable).root
    return {api: row.model_dump() for api, row in rows.items()}


@cache
def read_host_errors() -> tuple[dict[str, Any], ...]:
    """Return the forms of the errors of gateways. Raises SpecError with all problems of the file."""
    return tuple(_read(_HOST_ERRORS, HostErrorTable).root.values())


def _read(file: str, table: type[TableT]) -> TableT:
    tree = read((FOLDER / file).read_text("utf-8"), f"neutral/{file}")
    try:
        return table.model_validate(plain(tree))
    except ValidationError as error:
        raise SpecError(explain(error, tree, table)) from None
