"""Checks of the section `defaults`: fields without a place in the body, and the API's fixed value for each."""

from __future__ import annotations

from ..problems import did_you_mean, quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.pages import same_spec
from .neutral import DOTTED, OPTIONS, REQUEST, RESPONSE_FORMAT
from .wire import WireModel

_PLAIN = frozenset({"int", "number", "bool", "str"})
_FIELDS = {name: field for name, field in (*OPTIONS.items(), *REQUEST.items()) if field.type in _PLAIN}
_INNER = {
    f"{head}.{name}": field
    for head, kind in (*DOTTED.items(), ("response_format", RESPONSE_FORMAT))
    for name, field in kind.fields.items()
    if field.type in _PLAIN and head != "continuation"
}


def check_defaults(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check that each is a field with a single plain value, and that the body has no place for it."""
    fields = {**_FIELDS, **_INNER}
    for name in model.defaults:
        span = spec.key_span_of(("defaults", name))
        if name not in fields:
            hint = (
                did_you_mean(name, fields)
                or "write a field of the request, such as n or response_format.strict"
            )
            message = f"{quote(name)} is not a field with one plain value"
            notation.problem(span, "unknown-field", message, hint)
        elif same_spec(span.file, model.file) and name in model.body.carried | model.body.carried_options:
            message = f"the body has a place for {quote(name)}: what is given is sent"
            notation.problem(span, "has-place", message, "leave it out here, or in body")
