"""The word `fix` of facts and rules: how a rejected request is repaired, checked against what the rule is about.

The repairs are those of the runtime. They are read from its sources, because the compiler does not import the runtime,
whose node classes it writes. Each repair is a function under `@repair(...)` with literals as arguments.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from pydantic import PlainValidator, WithJsonSchema

from promptwire_text.words import matches_any

from ..problems import did_you_mean, quote
from .fields import BAD_VALUE, is_object, refuse
from .rule_conditions import Condition

# the words that most rules need; `none` says why no repair keeps the meaning, so that portable raises an error
_USUAL: Final = ("drop", "nearest", "set", "rename", "move", "as_text", "omit", "merge", "none")
# words with a value: {set: 1}
_WITH_VALUE: Final = ("set", "rename", "move", "none", "drop")
_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_TEXTS: Final = ("messages.text", "conversation.text")
# settings of which {set: {SETTING: {FIELD: VALUE}}} may set fields, whatever the rule is about
_SETTINGS: Final[Mapping[str, set[str]]] = {"reasoning": {"mode", "effort", "budget"}}
# of these, {set: {vendor: {OPTION: VALUE}}} sets options of the API; $value is the rejected value
_WITH_OPTIONS: Final = ("message", "first_message", "last_message", "calls")
_NO_FIELDS: Final = ("empty", "count", "keys", "values", "after", "before", "alone", "part")
_INSIDE: Final = frozenset({
    "system", "developer", "user", "assistant", "tool", "message", "part", "tools", "first_message", "last_message",
    "turn", "calls", "documents", "items", "references", "cache", "instructions",
})  # fmt: skip


def _validate_fix(value: Any) -> str:
    """Return a fix as one text: `drop`, `set: 1`, `none: why`, `package.module:function`."""
    if isinstance(value, str):
        if value in _WITH_VALUE and value != "drop":
            raise refuse(BAD_VALUE, f"{value} needs a value: {_show_example(value)}")
        if value in list_repairs() or _FUNCTION.fullmatch(value):
            return value
        near = did_you_mean(value, (*list_repairs(), "none"))
        more = f"; {near}" if near else f"; write one of {', '.join(_USUAL)}, or module:function"
        raise refuse(BAD_VALUE, f"{quote(value)} is not a repair{more}")
    if not is_object(value) or len(value) != 1:
        raise refuse(BAD_VALUE, "must be a word such as drop, or a word with a value such as {set: 1}")
    ((word, given),) = value.items()
    return _validate_value(word, given)


def _validate_value(word: str, given: Any) -> str:
    fits = {
        "set": True,
        "rename": is_object(given) and bool(given),
        "move": given == "user",
        "none": isinstance(given, str) and bool(given.strip()),
        "drop": isinstance(given, str) and bool(given.strip()),
    }
    if word not in fits:
        near = did_you_mean(word, tuple(fits))
        raise refuse(BAD_VALUE, f"{quote(word)} takes no value" + (f"; {near}" if near else ""))
    if not fits[word]:
        raise refuse(BAD_VALUE, f"must be {_show_example(word)}")
    if word == "move":
        return "move"
    text = " ".join(str(given).split()) if word in ("none", "drop") else json.dumps(given, ensure_ascii=False)
    return f"{word}: {text}"


def _show_example(word: str) -> str:
    return {
        "set": "{set: VALUE}",
        "rename": "{rename: {WORD: OTHER}}",
        "move": "{move: user}",
        "none": "{none: why no repair is right}",
        "drop": "{drop: FIELD}, the field of the request that does not go with what the rule is about",
    }[word]


FIX: Final = (
    "How a rejected request is repaired: drop, nearest, {set: VALUE}, {none: why}, or another repair."
)
Fix: TypeAlias = Annotated[
    str,
    PlainValidator(_validate_fix),
    WithJsonSchema({"type": ["string", "object"]}),
]


def find_fix_troubles(fix: str, rejected: tuple[Condition, ...], fields: Collection[str]) -> Iterator[str]:
    """Yield the reasons why a fix does not suit the conditions of a rejected value; `fields` are those of a request."""
    word, _, text = fix.partition(": ")
    if word == "drop" and text and text.partition(".")[0] not in fields:
        near = did_you_mean(text.partition(".")[0], tuple(fields))
        yield f"{quote(text)} is not a field of the request" + (f"; {near}" if near else "")
    if not rejected:
        yield "nothing is rejected here that could be repaired"
    for condition in rejected:
        why = _find_trouble(word, text, condition)
        if why:
            yield f"{quote(str(condition))} {why}"


def has_repair(condition: Condition) -> bool:
    """Return whether a repair of the runtime suits a rejected value, or the runtime says why none is right."""
    path = condition.path
    suiting = (
        name
        for name, each in list_repairs().items()
        if each.mends(path) and not _find_trouble(name, "", condition)
    )
    return any(suiting) or any(matches_any(path, globs) for globs in list_unrepaired_fields())


def _find_trouble(word: str, text: str, condition: Condition) -> str:
    if word == "nearest" and not condition.operator:
        return "has no accepted value: write drop"
    if word in ("drop", "nearest", "rename") and condition.path in _TEXTS and not text:
        return f"is the text of messages, which {word} cannot change"
    if word == "set":
        return _find_value_trouble(json.loads(text), condition)
    if word in ("omit", "as_text", "move", "merge") and condition.head not in _INSIDE:
        return f"is no message, part or tool: {word} has nothing to change there"
    if word == "rename" and condition.tail.rpartition(".")[2] in _NO_FIELDS:
        return "is no field that could be spelled otherwise"
    return ""


def _find_value_trouble(value: Any, condition: Condition) -> str:
    """Return why a rule does not accept the value that its fix sets; empty if it does."""
    if is_object(value):
        known = [
            is_object(given)
            and (
                condition.head in _WITH_OPTIONS
                if name == "vendor"
                else given.keys() <= ({"vendor"} if name == "request" else _SETTINGS.get(name, set()))
            )
            for name, given in value.items()
        ]
        if known and all(known):
            return ""
        return "is repaired by no such setting: set fields of reasoning, options of a message, or a value"
    if condition.path in _TEXTS:
        return "" if isinstance(value, str) else "is text: set a sentence for the last message of the user"
    last = condition.tail.rpartition(".")[2]
    if last in _NO_FIELDS:
        return "is no field that could be set"
    shown = json.dumps(value)
    if condition.operator and condition.means(value):
        negative = condition.operator.startswith("!")
        return f"does not accept {shown} either" if negative else f"rejects {shown} too"
    return "" if condition.operator else "rejects every value: write drop"


_RUNTIME, _FOLDER, _REGISTRY = "promptwire_runtime", "repairs", "registry.py"
_DECORATOR, _TABLE = "repair", "NO_REPAIR"


@dataclass(frozen=True, slots=True)
class KnownRepair:
    """A repair of the runtime.

    Attributes:
        name: Its name, as `fix` has it.
        policy: The policy that decides about it; empty if none does.
        does: The first paragraph of its docstring.
        refused: Globs of the rejected fields that it mends, one text for each decorator.
    """

    name: str
    policy: str
    does: str
    refused: tuple[str, ...]

    def mends(self, path: str) -> bool:
        """Return whether it mends a rejected field."""
        return any(matches_any(path, globs) for globs in self.refused)


@cache
def list_repairs() -> Mapping[str, KnownRepair]:
    """Return the repairs of the runtime by name, sorted."""
    found = [each for path in find_repair_files() for each in _find_repairs(path)]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


@cache
def list_unrepaired_fields() -> tuple[str, ...]:
    """Return the globs of the fields for which the runtime says why no repair is right."""
    registry = next(path for path in find_repair_files() if path.name == _REGISTRY)
    for node in _parse_module(registry).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == _TABLE:
            return tuple(ast.literal_eval(node.value))
    raise AssertionError(f"{registry} has no {_TABLE}")


@cache
def find_repair_files() -> tuple[Path, ...]:
    """Return the modules of the runtime that hold repairs."""
    found = find_spec(_RUNTIME)
    folders = (found.submodule_search_locations or ()) if found is not None else ()
    return tuple(sorted(path for folder in folders for path in Path(folder, _FOLDER).glob("*.py")))


def _parse_module(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), path.name)


def _find_repairs(path: Path) -> Iterator[KnownRepair]:
    for node in _parse_module(path).body:
        if isinstance(node, ast.FunctionDef) and (calls := [*_find_decorators(node)]):
            # the innermost decorator names the repair
            policy, own = calls[-1]
            does = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
            refused = tuple([words["refused"] for _, words in calls if "refused" in words])
            yield KnownRepair(own.get("name") or node.name, policy, does, refused)


def _find_decorators(node: ast.FunctionDef) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the policy and the other arguments of each decorator that registers a repair."""
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == _DECORATOR:
            words = {word.arg or "": ast.literal_eval(word.value) for word in each.keywords}
            yield (str(ast.literal_eval(each.args[0])) if each.args else ""), words
