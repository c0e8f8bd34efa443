"""Convert pydantic's errors, and misplaced sections, to problems with our wording and the place in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from promptwire_text.words import nearest

from ..problems import SpecProblem, did_you_mean, make_hint, quote
from .fields import WRONG_TYPE
from .nodes import (
    Node,
    Path,
    Scalar,
    Table,
    describe_kind,
    find_node,
    format_path,
    shorten_path,
    span_at,
    write_bare_word,
)
from .schema import SHAPE_SECTIONS, Spec, Unions

# (section, old word) -> new word; the section is a top-level key of a spec, empty for such keys themselves
RENAMED_WORDS: Mapping[tuple[str, str], str] = {
    ("", "group"): "flat_items",
    ("", "implied"): "defaults",
    ("", "known"): "profiles, with a block a model: {NAME: {like: OTHER, source: PAGE}}",
    ("", "twins"): "aliases",
    ("clients", "needs"): "required",
    ("clients", "rest"): "extra_keys",
    ("clients", "says"): "sets",
    ("clients", "takes"): "accepts",
    ("rules", "add"): "asks, a section of its own: {LIST: {FIELD: {word: WORD, source: PAGE}}}",
    ("sdks", "aside"): "excluded",
    ("sdks", "without"): "omitted",
    ("tools", "gather"): "group_under",
    **{
        (section, old): new
        for section in ("values", "models")
        for old, new in {
            "only": "enum, or minimum and maximum for numbers",
            "never": "not",
            "like": "pattern",
            "refused": "unsupported",
            "range": "minimum and maximum, or minItems and maxItems",
            "length": "minLength and maxLength",
        }.items()
    },
}


def find_new_word(path: tuple[str | int, ...]) -> str | None:
    """Return the new name of the word that a path ends with, `("values", "temperature", "only")`; None without one."""
    *above, word = path
    return RENAMED_WORDS.get((str(above[0]) if above else "", str(word)))


_WANTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "int_type": "a whole number",
}


def explain(error: ValidationError, tree: Table, model: type[BaseModel] = Spec) -> Iterator[SpecProblem]:
    """Yield a problem for every error of one file; `tree` was validated against `model`.

    A misspelt key is one problem: it is not reported as missing too.
    """
    details = error.errors(include_url=False)
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    meant = {
        (*above, find_new_word((*above, word)) or nearest(str(word), _list_choices(above, model)))
        for *above, word in unknown
    }
    # entries with problems do not count: a list of these alone is called too short as well
    wrong = {detail["loc"][:-1] for detail in details}
    for detail in details:
        kind, place = detail["type"], detail["loc"]
        if not (kind == "missing" and place in meant) and not (kind == "too_short" and place in wrong):
            yield _make_problem(detail, tree, model)


def _make_problem(detail: Mapping[str, Any], tree: Table, model: type[BaseModel]) -> SpecProblem:
    kind, path = str(detail["type"]), tuple(detail["loc"])
    is_key = path[-1:] == ("[key]",)
    if is_key:
        path = path[:-1]
    path = shorten_path(tree, (*path, *detail.get("ctx", {}).get("inside", ())))
    here = format_path(path)
    if kind == "extra_forbidden":
        return _report_unknown_key(path, tree, model)
    if kind == "missing":
        message = f'{format_path(path[:-1]) or "the spec"} lacks "{path[-1]}"'
        return SpecProblem(span_at(tree, path[:-1], key=True), "missing-key", message)
    span = span_at(tree, path, key=is_key)
    if kind == "too_short":
        return SpecProblem(span, "bad-value", f"{here} is empty: write at least one")
    if kind == "literal_error" and is_key:
        return _report_unknown_key(path, tree, model)
    if kind == "literal_error":
        return _report_bad_choice(path, detail["input"], tree, model)
    if kind in _WANTED:
        node = find_node(tree, path)
        message = f"{here} must be {_WANTED[kind]}, not {describe_kind(node) if node else 'this'}"
        hint = _suggest_text(detail["input"]) if kind == "string_type" else None
        return SpecProblem(span, "wrong-type", message, hint)
    if "message" in detail.get("ctx", {}):
        subject = f"{quote(str(path[-1]))} in {format_path(path[:-1])}" if is_key else here
        node = find_node(tree, path)
        instead = f", not {describe_kind(node)}" if kind == WRONG_TYPE and node else ""
        return SpecProblem(span, kind, f"{subject} {detail['ctx']['message']}{instead}")
    return SpecProblem(span, "bad-value", f"{here}: {detail['msg']}")


def _report_unknown_key(path: Path, tree: Table, model: type[BaseModel]) -> SpecProblem:
    above, word = path[:-1], str(path[-1])
    owner = str(above[-1]) if above and isinstance(above[-1], str) else format_path(above) or "a spec"
    choices = _list_choices(above, model)
    if (renamed := find_new_word(path)) is not None:
        message = f"{quote(word)} has been renamed: it is now {renamed}"
        return SpecProblem(span_at(tree, path, key=True), "renamed-key", message)
    message = f"{quote(word)} is not a key of {owner}"
    hint = make_hint(word, choices, "keys")
    return SpecProblem(span_at(tree, path, key=True), "unknown-key", message, hint)


def _report_bad_choice(path: Path, value: Any, tree: Table, model: type[BaseModel]) -> SpecProblem:
    choices = _list_choices(path, model)
    message = f"{format_path(path)} must be {_join_choices(choices)}"
    if isinstance(value, str) and (renamed := find_new_word((*path, value))) is not None:
        message = f"{quote(value)} has been renamed: it is now {renamed}"
        return SpecProblem(span_at(tree, path), "renamed-value", message)
    hint = did_you_mean(value, choices) if isinstance(value, str) else None
    node = find_node(tree, path)
    if isinstance(value, str):
        message = f"{quote(value)} is not a value of {format_path(path)}: use {_join_choices(choices)}"
    elif node is not None:
        message += f", not {describe_kind(node)}"
    return SpecProblem(span_at(tree, path), "bad-value", message, hint)


def _join_choices(choices: Sequence[str]) -> str:
    return " or ".join(", ".join(choices).rsplit(", ", 1))


def _suggest_text(value: Any) -> str | None:
    if value is None:
        return "write its text"
    return "put it in quotes" if isinstance(value, (bool, int, float)) else None


def _list_choices(path: Sequence[str | int], model: type[BaseModel]) -> list[str]:
    """Return the keys of the model at `path`, or the values of the field there."""
    kind: Any = model
    for step in path:
        if isinstance(kind, type) and issubclass(kind, BaseModel) and step in (keys := _list_keys(kind)):
            kind = _strip_annotation(keys[str(step)].annotation)
        elif get_origin(kind) in (tuple, dict):
            kind = _strip_annotation(get_args(kind)[0 if get_origin(kind) is tuple else 1])
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return list(_list_keys(kind))
    if get_origin(kind) is dict:
        kind = _strip_annotation(get_args(kind)[0])
    values = get_args(kind) if get_origin(kind) is Literal else ()
    return [write_bare_word(value) for value in values]


def _list_keys(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return the fields of a model by the keys that a spec writes."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _strip_annotation(kind: Any) -> Any:
    """Strip Annotated and `| None`."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        return _strip_annotation(next(part for part in get_args(kind) if part is not type(None)))
    return kind


RULE = "misplaced-section"


def find_misplaced(tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each misplaced section or key; `tree` holds the sections of one spec."""
    for key, node in tree.entries:
        name = str(key.value)
        if name not in _SECTIONS and find_new_word((name,)) is None:
            owners = [owner for owner, keys in _KEYS.items() if name in keys]
            if len(owners) == 1 and not isinstance(node, Scalar):
                message = f"{quote(name)} is a key of {owners[0]}, and is not indented under it"
                yield SpecProblem(key.span, RULE, message, f"move it into {owners[0]}")
        elif isinstance(node, Table):
            yield from _find_misplaced_keys(name, node)


def _find_misplaced_keys(section: str, table: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each key of a section that is a section itself."""
    for key, node in table.entries:
        name = str(key.value)
        if name not in _SECTIONS or name in _KEYS.get(section, ()) or isinstance(node, Scalar):
            continue
        if section == "unions" and nearest(name, Unions.model_fields) is not None:
            # a misspelt key
            continue
        is_shape = section == "body" and (key.value == "tools" or _has_hole(node))
        if not is_shape and (section in _KEYS or section in SHAPE_SECTIONS):
            message = f"{quote(name)} is a section of its own, and is indented under {section}"
            yield SpecProblem(key.span, RULE, message, "move it to the first column")


def _has_hole(node: Node) -> bool:
    """Return whether a shape has any hole, also one that is only read."""
    if isinstance(node, Scalar):
        return str(node.value).startswith(("$", "=")) or "${" in str(node.value)
    inner = [value for _, value in node.entries] if isinstance(node, Table) else node.items
    return any(map(_has_hole, inner))


def _find_model(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, alone or as one of its alternatives."""
    choices = (annotation, *get_args(annotation))
    return next((kind for kind in choices if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


_SECTIONS = frozenset(Spec.model_fields)
# section -> its keys, for sections that are models
_KEYS = {
    name: frozenset(model.model_fields)
    for name, field in Spec.model_fields.items()
    if (model := _find_model(field.annotation)) is not None
}
