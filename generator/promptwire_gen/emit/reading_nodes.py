"""Functions that read one shape each: a node with what it remembers, or None of JSON that has another shape."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.neutral import Kind
from ..model.wire import Alternative
from ..spec.shapes import Constant, Object
from .docs import read_doc
from .function import Function
from .places import Place
from .python import Expression, Statement, bracketed, call, code, literal, name, tuple_of, unpacked
from .python.conditions import either, fails
from .reading import Values
from .recognizing import Recognition

_POSITIONAL_IDS = {"tool_call", "tool_result", "custom_tool_call", "custom_tool_result"}


@dataclass(frozen=True, slots=True)
class NodeReader:
    """The function that reads one shape; `sure` where it never gives None."""

    function: Function
    sure: bool


def read_node(
    alternative: Alternative, place: Place, constants: dict[str, Expression], told: str | None
) -> NodeReader:
    """The reader of one shape, for objects whose key `told` holds one of its words."""
    kind, shape = alternative.kind, alternative.shape
    place.imports.use("promptwire_runtime", kind.cls)
    values = Recognition(place, told)
    if isinstance(shape, Object):
        values.object(shape, "found")
    elif not isinstance(shape, Constant) or not isinstance(shape.value, str):
        values.whole(shape)  # text was looked at before
    arguments = _arguments(alternative, values, place)
    for key, value in constants.items():
        arguments.setdefault(key, value)
    _fill(arguments, kind)
    test = fails(values.tests)
    body: list[Statement] = [*values.before]
    if test is not None:
        body.append((f"if {code(test)}:", ["return None"]))
    body += [*values.after, f"return {code(_remembering(alternative, call(kind.cls, **arguments)))}"]
    found = "dict[str, Any]" if isinstance(shape, Object) else "Any"
    returns = kind.cls if test is None else f"{kind.cls} | None"
    header = f"def read_{alternative.label}(found: {found}, reader: Reader) -> {returns}:"
    return NodeReader(Function(header, read_doc(alternative, sure=test is None), body), test is None)


def _remembering(alternative: Alternative, node: Expression) -> Expression:
    """The node with what a fresh build would write differently."""
    variant = [] if alternative.variant is None else [literal(alternative.variant)]
    if isinstance(alternative.shape, Object) and alternative.union != "cache":
        written = name(f"write_{alternative.label}")
        return call("reader.remember", node, written, name("found"), *variant)
    return call("reader.spelled", node, *variant) if variant else node


def _arguments(alternative: Alternative, values: Recognition, place: Place) -> dict[str, Expression]:
    """The fields of the node that its shape holds, or that its key states."""
    kind = alternative.kind
    arguments = values.arguments({"content": "parts"})
    if alternative.keyed is not None:
        arguments |= _keyed(values, place)
    for field_name, value in list(arguments.items()):
        own = "content" if field_name == "parts" else field_name
        declared = kind.fields.get(own)
        if declared is not None and declared.always and (own,) not in values.certain:
            arguments[field_name] = _certain(declared.type, value)
    if kind.name == "json":
        arguments.setdefault("value", literal(None))
    vendor = values.vendor()
    if vendor is not None:
        arguments["vendor"] = vendor
    if alternative.named is not None:
        arguments.setdefault("type", literal(alternative.named))
    return arguments


def _fill(arguments: dict[str, Expression], kind: Kind) -> None:
    """Give every field that a node always has, and that its shape does not hold, a value that says nothing."""
    for field_name, declared in kind.fields.items():
        own = "parts" if field_name == "content" else field_name
        if own not in arguments and declared.always and declared.type in ("str", "arguments"):
            arguments[own] = literal("") if declared.type == "str" else literal({})
        elif own not in arguments and own in ("id", "call_id") and kind.name in _POSITIONAL_IDS:
            arguments[own] = literal(None)


def _keyed(values: Values, place: Place) -> dict[str, Expression]:
    """The parts of a result that is an object and media beside it, and whether the tool failed."""
    rows = values.found[("content",)]
    place.imports.use("promptwire_runtime.build.tool_results", "read_failed")
    error, found = values.keyed
    parts = rows[0] if len(rows) == 1 else unpacked([bracketed(either(row, tuple_of([]))) for row in rows])
    return {"parts": parts, "is_error": call("read_failed", found, literal(error))}


def _certain(kind: str, value: Expression) -> Expression:
    """Complete a value that the neutral field always has."""
    if kind in ("str", "arguments"):
        return either(value, literal("") if kind == "str" else literal({}))
    return either(value, tuple_of([])) if kind == "tools" else value
