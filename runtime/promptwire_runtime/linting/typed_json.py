"""Check JSON against the TypedDicts of a wire: keys, types and choices, each with its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, NotRequired, Union, get_args, get_origin, is_typeddict

from promptwire_text.words import nearest

from ..errors import Problem
from ..reporting.wording import quoted
from ..wire_json.kinds import is_list, is_object, json_kind
from ..wire_json.places import Steps, path_text

_SCALARS: Mapping[Any, tuple[str, tuple[type, ...]]] = {
    str: ("text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    NoneType: ("null", (NoneType,)),
}
_MOST_NAMED = 12


def problem_at(steps: Steps, what: str, reason: str, *, source: str = "", suggestion: str = "") -> Problem:
    """Return a problem of a body at a place."""
    return Problem(
        reason, what=what, path=path_text(steps), source=source, steps=steps, suggestion=suggestion
    )


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of a TypedDict with their types, those that must be there, and the constants among the values."""

    types: Mapping[str, Any]
    required: frozenset[str]
    constants: Mapping[str, tuple[Any, ...]]


class _Names(dict[str, Any]):
    """The names of a module; an alias that is written as text is what it stands for.

    A dialect's aliases may come from its parent's module, and refer to names of that module.
    """

    def __init__(self, module: str) -> None:
        super().__init__()
        own = vars(sys.modules[module])
        parents = dict.fromkeys([value.__module__ for value in own.values() if is_typeddict(value)])
        names = (module, *parents, "typing", "builtins")
        self._modules = [vars(sys.modules[name]) for name in names]

    def __missing__(self, name: str) -> Any:
        for module in self._modules:
            if name in module:
                return resolved(module[name], self)
        raise NameError(name)


def resolved(value: Any, names: _Names) -> Any:
    """Evaluate an annotation of a generated module, text or not."""
    text = value.__forward_arg__ if isinstance(value, ForwardRef) else value
    return eval(text, {}, names) if isinstance(text, str) else text  # noqa: S307  # our own annotation


@lru_cache(maxsize=4096)
def keys_of(cls: Any) -> _Keys:
    """Look through a TypedDict once."""
    names = _Names(cls.__module__)
    types: dict[str, Any] = {}
    required: set[str] = set()
    for key, annotation in cls.__annotations__.items():
        kind = resolved(annotation, names)
        if get_origin(kind) is NotRequired:
            kind = resolved(get_args(kind)[0], names)
        else:
            required.add(key)
        types[key] = kind
    constants = {key: get_args(kind) for key, kind in types.items() if get_origin(kind) is Literal}
    return _Keys(types, frozenset(required), constants)


def type_problems(value: Any, kind: Any, steps: Steps = (), *, loose: bool = True) -> Iterator[Problem]:
    """Yield the problems of JSON against a type; `steps` lead to it.

    `loose`: accept any object where a union has, besides known types, one for any object.
    """
    origin = get_origin(kind)
    if kind is Any or kind is object:
        return
    if kind in _SCALARS:
        yield from _of_scalar(value, kind, steps)
    elif is_typeddict(kind):
        yield from _of_object(value, keys_of(kind), steps, loose=loose)
    elif origin in (Union, UnionType):
        yield from _of_union(value, get_args(kind), steps, loose=loose)
    elif origin is Literal:
        yield from _of_choice(value, get_args(kind), steps)
    else:
        yield from _of_several(value, kind, steps, loose=loose)


def _of_several(value: Any, kind: Any, steps: Steps, *, loose: bool) -> Iterator[Problem]:
    """Check each element of a list, or each value of an object."""
    listed = get_origin(kind) is list
    if not (is_list(value) if listed else is_object(value)):
        yield problem_at(
            steps, "wrong type", f"must be {'a list' if listed else 'an object'}, not {_shown(value)}"
        )
        return
    inner = get_args(kind)[-1]
    for step, item in enumerate(value) if listed else value.items():
        yield from type_problems(item, inner, (*steps, step), loose=loose)


def _of_scalar(value: Any, kind: Any, steps: Steps) -> Iterator[Problem]:
    name, classes = _SCALARS[kind]
    if type(value) not in classes:
        yield problem_at(steps, "wrong type", f"must be {name}, not {_shown(value)}")


def _shown(value: Any) -> str:
    """Return the text of a value in messages: its kind, or a text or number itself."""
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    return quoted(value) or json_kind(value)


def _of_choice(value: Any, choices: tuple[Any, ...], steps: Steps) -> Iterator[Problem]:
    if any(type(value) is type(choice) and value == choice for choice in choices):
        return
    wanted = _listed(choices)
    near = (
        nearest(value, [word for word in choices if isinstance(word, str)])
        if isinstance(value, str)
        else None
    )
    shown = quoted(value) or json_kind(value)
    message = (
        f'unknown value {shown}; did you mean "{near}"?' if near else f"must be one of {wanted}, not {shown}"
    )
    yield problem_at(steps, "unknown value", message, suggestion=near or "")


def _listed(choices: tuple[Any, ...]) -> str:
    words = [quoted(choice) for choice in dict.fromkeys(choices)]
    more = f" and {len(words) - _MOST_NAMED} more" if len(words) > _MOST_NAMED else ""
    return ", ".join(words[:_MOST_NAMED]) + more


def _of_object(value: Any, keys: _Keys, steps: Steps, *, loose: bool) -> Iterator[Problem]:
    if not is_object(value):
        yield problem_at(steps, "wrong type", f"must be an object, not {_shown(value)}")
        return
    for key, item in value.items():
        if key in keys.types:
            yield from type_problems(item, keys.types[key], (*steps, key), loose=loose)
        else:
            near = nearest(key, [other for other in keys.types if other not in value])
            hint = f'; did you mean "{near}"?' if near else ""
            yield problem_at((*steps, key), "unknown key", f"unknown key{hint}", suggestion=near or "")
    for key in keys.types:
        if key in keys.required and key not in value:
            yield problem_at((*steps, key), "missing", f'required key "{key}" is missing')


def _of_union(value: Any, kinds: tuple[Any, ...], steps: Steps, *, loose: bool) -> Iterator[Problem]:
    """Check a value against the most likely alternative of a union."""
    kinds = _flat(kinds)
    objects = [kind for kind in kinds if is_typeddict(kind)]
    if is_object(value) and objects and Any not in kinds:
        free = [kind for kind in kinds if loose and get_origin(kind) not in (None, Literal, list)]
        alike = _named_alike(value, objects)
        wrong = None if free else _misnamed(value, alike)
        if wrong is not None:
            yield from _of_choice(value[wrong[0]], wrong[1], (*steps, wrong[0]))
        else:
            yield from _likeliest(value, [*alike, *free], steps, loose=loose)
        return
    choices = tuple([word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)])
    others = [kind for kind in kinds if get_origin(kind) is not Literal]
    if type(value) is str and choices and str not in others and Any not in others:
        yield from _of_choice(value, choices, steps)
        return
    fitting = [
        kind
        for kind in others
        if not any(problem.steps == steps for problem in type_problems(value, kind, steps))
    ]
    if fitting:
        yield from _likeliest(value, fitting, steps, loose=loose)
    elif not any(value == word and type(value) is type(word) for word in choices):
        wanted = " or ".join(dict.fromkeys([_name(kind) for kind in kinds]))
        yield problem_at(steps, "wrong type", f"must be {wanted}, not {_shown(value)}")


def _flat(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        [
            inner
            for kind in kinds
            for inner in (_flat(get_args(kind)) if get_origin(kind) in (Union, UnionType) else (kind,))
        ]
    )


def _name(kind: Any) -> str:
    if kind in _SCALARS:
        return _SCALARS[kind][0]
    if get_origin(kind) is Literal:
        return _listed(get_args(kind))
    return "a list" if get_origin(kind) is list else "an object"


def _misnamed(value: Mapping[str, Any], kinds: list[Any]) -> tuple[str, tuple[Any, ...]] | None:
    """Return the discriminator of an object and its values, if none of them is there."""
    known = [keys_of(kind).constants for kind in kinds]
    for key in known[0]:
        words = tuple([word for constants in known for word in constants.get(key, ())])
        if all(key in constants for constants in known) and key in value and value[key] not in words:
            return key, words
    return None


def _named_alike(value: Mapping[str, Any], kinds: list[Any]) -> list[Any]:
    """Return the types whose constants match a value best."""
    scores = [
        sum(
            [
                # a key that says what an object is tells something even where its word is wrong
                (2 if value[key] in words else 0) if key in value else -1
                for key, words in keys_of(kind).constants.items()
                if key in value or key in keys_of(kind).required
            ]
        )
        for kind in kinds
    ]
    best = max(scores)
    return [kind for kind, score in zip(kinds, scores, strict=True) if score == best]


def _likeliest(value: Any, kinds: list[Any], steps: Steps, *, loose: bool) -> Iterator[Problem]:
    """Yield the problems of the type with the fewest; a probable typo counts half."""
    rows: list[list[Problem]] = []
    for kind in kinds:
        row = list(type_problems(value, kind, steps, loose=loose))
        if not row:
            return
        rows.append(row)
    yield from min(rows, key=lambda row: len(row) - 1.5 * sum(map(_is_typo, row)))


def _is_typo(problem: Problem) -> bool:
    return problem.what == "unknown key" and bool(problem.suggestion)
