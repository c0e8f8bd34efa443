"""Recognise and write bodies of errors by their forms, which specs declare.

A form is JSON with holes: the text `"$code"` stands for a field of an error. A key `"name?"` may be absent. A list
matches if one of its elements does. An object of which all keys are optional matches any that is not empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..wire_json.kinds import is_list, is_object
from .answer_shapes import ABSENT, as_word

Form = Mapping[str, Any]
# codes that say that there is no error
_NO_ERROR = frozenset({"0"})


def words_of_error(body: Any, forms: Iterable[Form]) -> dict[str, str] | None:
    """Return the fields of an error by the first form that its body has; None if the body is no error.

    A list of one object, as Gemini sends it, is that object.
    """
    if is_list(body) and len(body) == 1:
        body = body[0]
    if is_object(body):
        for form in forms:
            words: dict[str, str] = {}
            if _has_object(body, form, words):
                return words
    return None


def words_of_form(body: Any, form: Form) -> dict[str, str]:
    """Return the fields of an error that its body has where a form says, also if it lacks others."""
    words: dict[str, str] = {}
    if is_object(body):
        _has_object(body, form, words)
    return words


def error_alone(body: Any, forms: Iterable[Form]) -> dict[str, Any] | None:
    """Return the error of a body; None if the body is no error. An object or a list of errors stands alone."""
    form = next((form for form in forms if is_object(body) and _has_object(body, form, {})), None)
    if form is None:
        return None
    key = key_of(form)
    inner = form[key]
    if is_list(inner) and is_object(inner[0]):
        return next(filter(None, [error_alone(element, inner) for element in body[key]]), None)
    if not (is_object(inner) or is_list(inner)):
        return dict(body)
    return {name: body[name] for name in names_of(form) if name in body}


def names_of(form: Form) -> list[str]:
    """Return the keys of a form."""
    return [key.removesuffix("?") for key in form]


def key_of(form: Form) -> str:
    """Return a key that every body of a form has."""
    needed = [key for key, inner in form.items() if not key.endswith("?") and not _is_constant(inner)]
    return needed[0]


def write_form(form: Any, error: Any) -> Any:
    """Return the JSON of an error; ABSENT for what says nothing of it."""
    if is_object(form):
        rows = {key.removesuffix("?"): write_form(inner, error) for key, inner in form.items()}
        item = {key: value for key, value in rows.items() if value is not ABSENT}
        says = any(not _is_constant(form.get(key, "$")) for key in item)
        return item if says else ABSENT
    if is_list(form):
        inner = write_form(form[0], error)
        return ABSENT if inner is ABSENT else [inner]
    return form if _is_constant(form) else _written(getattr(error, form[1:]))


def _written(value: Any) -> Any:
    """Return the value of a hole: a code of digits is written as a number."""
    if value is None:
        return ABSENT
    is_number = type(value) is str and len(value) < 10 and value.isascii() and value.isdigit()
    return int(value) if is_number else value


def _is_constant(form: Any) -> bool:
    return not (is_object(form) or is_list(form) or (isinstance(form, str) and form.startswith("$")))


def _has(value: Any, form: Any, words: dict[str, str]) -> bool:
    """Return whether a value has a form; its words are added to those of the error."""
    if is_object(form):
        return is_object(value) and _has_object(value, form, words)
    if is_list(form):
        return is_list(value) and any(_has(element, form[0], words) for element in value)
    if _is_constant(form):
        return bool(value == form)
    word = as_word(value)
    if not word or (form == "$code" and word in _NO_ERROR):
        return False
    words.setdefault(form[1:], word)
    return True


def _has_object(value: Mapping[str, Any], form: Form, words: dict[str, str]) -> bool:
    found = [
        (key.endswith("?"), _has(value.get(key.removesuffix("?")), inner, words))
        for key, inner in form.items()
    ]
    return bool(value) and all(has or is_optional for is_optional, has in found)
