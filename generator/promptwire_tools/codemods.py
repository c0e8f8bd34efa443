"""Rename imports and names in Python files; comments, line ends and layout stay as they are."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, cast

import libcst as cst
from libcst.codemod import CodemodContext, VisitorBasedCodemodCommand
from libcst.codemod.visitors import AddImportsVisitor
from libcst.helpers import get_full_name_for_node
from libcst.metadata import QualifiedNameProvider, QualifiedNameSource

from promptwire_gen.spec.policies import OLD_NAMES, OLD_WORDS, list_choices


class CodemodError(Exception):
    """Raised for a file that is not Python; the message has the line and column."""


def rename(source: bytes, renamed: Mapping[str, str]) -> bytes:
    """Return a module with other names for what it imports: `package.old` -> `package.new`, also between modules.

    Imports, the names that they bind and attributes of imported modules are rewritten; `as` names are kept. A name
    from `import *` is not recognised.

    Raises:
        CodemodError: the module cannot be parsed.
    """
    if not any(old.rpartition(".")[2].encode() in source for old in renamed):
        return source
    return _Rename(renamed).transform_module(_parsed(source)).bytes


def rename_policies(source: bytes) -> bytes:
    """Return a module with the present names and words of policies.

    Rewritten are the arguments of `Policies(...)`, `ContextPolicies(...)` and the others as they are imported, of
    `dataclasses.replace` for a preset such as `PORTABLE`, and texts that are given as `policies=`.

    Raises:
        CodemodError: the module cannot be parsed.
    """
    if b"olicies" not in source:
        return source
    return _RenamePolicies(CodemodContext()).transform_module(_parsed(source)).bytes


def _parsed(source: bytes) -> cst.Module:
    try:
        return cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        raise CodemodError(
            _fault(source) or f"{error.raw_line}:{error.raw_column + 1}: {error.message}"
        ) from None
    except (SyntaxError, UnicodeDecodeError) as error:
        raise CodemodError(f"1:1: {error}") from None


def _fault(source: bytes) -> str | None:
    """Return the place and text of Python's own error, which are nearer to the cause than those of libcst."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"{error.lineno or 1}:{error.offset or 1}: {error.msg}"
    return None


class _Rename(VisitorBasedCodemodCommand):
    """Renames what a module imports. A name keeps its local spelling if the new one has another meaning here."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider,)

    def __init__(self, renamed: Mapping[str, str]) -> None:
        super().__init__(CodemodContext())
        self._renamed = renamed
        # the identifiers of the module, and those that have a meaning beside an import
        self._identifiers: set[str] = set()
        self._kept: set[str] = set()
        self._moved: list[cst.ImportFrom] = []

    def visit_Module(self, node: cst.Module) -> None:
        """Collect the identifiers."""
        found = _Identifiers()
        node.visit(found)
        self._identifiers = {name.value for name in found.names}
        bound = {name.value for name in found.names if not self._is_only_imported(name)}
        self._kept = bound | found.in_texts

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        """Rename modules."""
        del original_node
        names = [self._alias(alias, self._new(_name(alias.name))) for alias in updated_node.names]
        return updated_node.with_changes(names=names)

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        """Rename the names of one module; those that are in another now get a statement of their own."""
        module = _name(original_node.module)
        if original_node.relative or not isinstance(updated_node.names, Sequence):
            return updated_node.with_changes(module=_node(self._new(module))) if module else updated_node
        groups: dict[str, list[cst.ImportAlias]] = {}
        for alias in updated_node.names:
            new = self._new(f"{module}.{_name(alias.name)}")
            home, _, name = new.rpartition(".")
            groups.setdefault(home, []).append(self._alias(alias, name))
        rest = groups.pop(module, [])
        first, *others = [*([(module, rest)] if rest else []), *groups.items()]
        for home, names in others:
            plain = [cst.ImportAlias(alias.name, alias.asname) for alias in names]
            self._moved.append(cst.ImportFrom(_node(home), plain))
        return updated_node.with_changes(module=_node(first[0]), names=_row(first[1], updated_node.names))

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        """Add the statements for names in other modules to a body on one line."""
        del original_node
        moved, self._moved = self._moved, []
        return updated_node.with_changes(body=[*updated_node.body, *moved]) if moved else updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        """Add the statements for names in other modules behind the one that they were in."""
        del original_node
        moved, self._moved = self._moved, []
        lines = [cst.SimpleStatementLine([statement]) for statement in moved]
        return cst.FlattenSentinel([updated_node, *lines]) if lines else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        """Rename a name that an import binds."""
        old = self._imported(original_node)
        if old is None or old.rpartition(".")[2] != original_node.value or self._is_kept(old):
            return updated_node
        return updated_node.with_changes(value=self._renamed[old].rpartition(".")[2])

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Rename an attribute of an imported module; one that is in another module now is written in full."""
        old = self._imported(original_node)
        if old is None:
            return updated_node
        home, _, name = self._renamed[old].rpartition(".")
        if home == old.rpartition(".")[0]:
            return updated_node.with_changes(attr=cst.Name(name))
        AddImportsVisitor.add_needed_import(self.context, home)
        return _node(self._renamed[old]).with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)

    def _is_only_imported(self, node: cst.Name) -> bool:
        found: Any = self.get_metadata(QualifiedNameProvider, node, frozenset())
        return all(each.source is QualifiedNameSource.IMPORT for each in found)

    def _imported(self, node: cst.CSTNode) -> str | None:
        """Return the old name of something that is imported; None for all else."""
        found: Any = self.get_metadata(QualifiedNameProvider, node, frozenset())
        names = {each.name for each in found if each.source is QualifiedNameSource.IMPORT}
        return next(iter(names & self._renamed.keys()), None)

    def _new(self, name: str) -> str:
        """Return the new name of a module or of something in one."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            new = self._renamed.get(".".join(parts[:length]))
            if new is not None:
                return ".".join([new, *parts[length:]])
        return name

    def _is_kept(self, old: str) -> bool:
        """Return whether the local name stays: the new one is taken, or the old one is bound or written elsewhere."""
        local, new = (name.rpartition(".")[2] for name in (old, self._renamed[old]))
        return local != new and (new in self._identifiers or local in self._kept)

    def _alias(self, alias: cst.ImportAlias, new: str) -> cst.ImportAlias:
        """Return an import of something under its new name; the local name stays where it has to."""
        old = _name(alias.name)
        if new == old:
            return alias
        changed = alias.with_changes(name=_node(new))
        is_kept = new in self._identifiers or old in self._kept
        if alias.asname is not None or "." in new or not is_kept:
            return changed
        return changed.with_changes(asname=cst.AsName(cst.Name(old)))


class _Identifiers(cst.CSTVisitor):
    """Collects the names of a module, and those in its texts that are expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[cst.Name] = []
        self.in_texts: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        """Collect an identifier."""
        self.names.append(node)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        """Collect the identifiers of a text such as `"list[Old]"`."""
        value = node.evaluated_value
        if isinstance(value, str):
            try:
                expression = ast.parse(value.strip(), mode="eval")
            except (SyntaxError, ValueError):
                return
            self.in_texts |= {each.id for each in ast.walk(expression) if isinstance(each, ast.Name)}


def _row(aliases: Sequence[cst.ImportAlias], before: Sequence[cst.ImportAlias]) -> list[cst.ImportAlias]:
    """Return the aliases of one statement with commas between them, and behind the last one as before."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    rest = [
        each if isinstance(each.comma, cst.Comma) else each.with_changes(comma=comma) for each in aliases[:-1]
    ]
    return [*rest, aliases[-1].with_changes(comma=before[-1].comma)]


def _name(node: cst.CSTNode | None) -> str:
    return "" if node is None else get_full_name_for_node(node) or ""


def _node(name: str) -> cst.Name | cst.Attribute:
    return cast("cst.Name | cst.Attribute", cst.parse_expression(name))


_GROUPS_OF = {
    "Policies": ("build", "repairs"),
    "PromptPolicies": ("prompts",),
    "ContextPolicies": ("context", "prompts"),
    "ExecutionPolicies": ("execution",),
}
_PRESETS = ("STRICT", "PORTABLE", "LENIENT", "VERBATIM")


class _RenamePolicies(VisitorBasedCodemodCommand):
    """Renames policies and their choices where they are chosen."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider,)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Rename the arguments of policies, and put those of repairs into `repairs`."""
        groups = self._groups(original_node)
        args = [_with_words(arg, groups) for arg in updated_node.args]
        if "repairs" in groups:
            args = _with_repairs(args)
        return updated_node.with_changes(args=args)

    def _groups(self, call: cst.Call) -> tuple[str, ...]:
        """Return the groups of the policies that a call makes; none for any other call."""
        package, _, name = self._imported(call.func).rpartition(".")
        if (package, name) == ("dataclasses", "replace") and call.args:
            package, _, preset = self._imported(call.args[0].value).rpartition(".")
            return _GROUPS_OF["Policies"] if package == "promptwire" and preset in _PRESETS else ()
        return _GROUPS_OF.get(name, ()) if package.partition(".")[0] == "promptwire" else ()

    def _imported(self, node: cst.CSTNode) -> str:
        found: Any = self.get_metadata(QualifiedNameProvider, node, frozenset())
        return next((each.name for each in found if each.source is QualifiedNameSource.IMPORT), "")


def _with_words(arg: cst.Arg, groups: Sequence[str]) -> cst.Arg:
    """Return an argument with the present name and word of a policy."""
    name, given = _name(arg.keyword), _text(arg.value)
    if name == "policies" and given is not None:
        words = ",".join([_present_pair(word) for word in given.split(",")])
        return arg if words == given else arg.with_changes(value=_quoted(arg.value, words))
    for group in groups:
        new = OLD_NAMES.get(group, {}).get(name, name)
        word = None if given is None else OLD_WORDS.get(group, {}).get(new, {}).get(given)
        if new != name:
            arg = arg.with_changes(keyword=cst.Name(new))
        if word is not None:
            arg = arg.with_changes(value=_quoted(arg.value, word))
    return arg


def _present_pair(word: str) -> str:
    """Return `policy=choice` of a text in present words."""
    policy, is_choice, choice = word.partition("=")
    for group in _GROUPS_OF["Policies"]:
        choice = OLD_WORDS.get(group, {}).get(policy.strip(), {}).get(choice.strip(), choice)
    return f"{policy}{is_choice}{choice}"


def _with_repairs(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return the arguments of policies with those of repairs in a dictionary, and without `run`, the default."""
    known = list_choices("repairs")
    moved = [arg for arg in args if _name(arg.keyword) in known]
    kept = [arg for arg in args if arg not in moved]
    rest = [arg for arg in kept if (_name(arg.keyword), _text(arg.value)) != ("repairs", "run")]
    if not moved or any(_name(arg.keyword) == "repairs" for arg in rest):
        return rest
    elements = [cst.DictElement(cst.SimpleString(f'"{_name(arg.keyword)}"'), arg.value) for arg in moved]
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    made = cst.Arg(cst.Dict(elements), keyword=cst.Name("repairs"), equal=equal)
    place = args.index(moved[0])
    ordered = [arg for arg in [*args[:place], made, *args[place:]] if arg is made or arg in rest]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    row = [arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=comma) for arg in ordered[:-1]]
    return [*row, ordered[-1].with_changes(comma=args[-1].comma)]


def _text(node: cst.CSTNode) -> str | None:
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    return value if isinstance(value, str) else None


def _quoted(node: cst.CSTNode, text: str) -> cst.SimpleString:
    """Return another text in the quotes of one."""
    quote = node.quote if isinstance(node, cst.SimpleString) else '"'
    return cst.SimpleString(f"{quote}{text}{quote}")
