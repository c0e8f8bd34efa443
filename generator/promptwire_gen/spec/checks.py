"""What one field of a spec says against another: checks that pydantic's per-field view cannot make."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from ..problems import Problem, Span, did_you_mean, quote
from .explain import Path, dotted, node_at
from .nodes import Scalar, Table, part_of, span_at
from .schema import Setting, Spec

# policies of a build, each with its values
POLICIES = {
    "loss": ("raise", "note"),
    "refusals": ("raise", "note", "ignore"),
    "missing": ("raise", "omit"),
    "neighbours": ("merge", "keep"),
    "ids": ("replace", "keep"),
}
# names that generated code uses beside the names of slots
_TAKEN = frozenset({
    "alone", "before", "built", "fresh", "found", "item", "kind", "message", "messages", "now", "out", "part", "parts",
    "previous", "reader", "repeats", "role", "value", "vendor",
})  # fmt: skip
_WIRE_NAME = re.compile("[a-z][a-z0-9_]{1,63}")
_HOLE = re.compile(r"\$\$|\$\{([a-z_][a-z0-9_]*)\}|\$([a-z_][a-z0-9_]*)")


# path, rule, message, hint, and where: at the key, at the value, or at a piece of the value's text
_Found = tuple[Path, str, str, str | None, bool | tuple[int, int]]


def check(spec: Spec, tree: Table, wire: str, invalid: Collection[str] = ()) -> Iterator[Problem]:
    """Find contradictions in a spec; `wire` is the name that its file has.

    Sections in `invalid` hold placeholders: nothing is said about them, nor about what depends on them.
    """
    for find, needed in _CHECKS:
        if set(needed).isdisjoint(invalid):
            for path, rule, message, hint, where in find(spec):
                yield Problem(_span(tree, path, where), rule, message, hint)
    if "wire" not in invalid and spec.wire != wire:
        message = f"wire is {quote(spec.wire)}, and the file is named {quote(wire)}"
        hint = f"rename the file to {spec.wire}.yaml"
        hint = f"write wire: {wire}, or {hint}" if _WIRE_NAME.fullmatch(wire) else hint
        yield Problem(span_at(tree, ("wire",)), "wire-name", message, hint)


def _span(tree: Table, path: Path, where: bool | tuple[int, int]) -> Span:
    if isinstance(where, bool):
        return span_at(tree, path, key=where)
    node = node_at(tree, path)
    return part_of(node, where) if isinstance(node, Scalar) else span_at(tree, path)


def _wire(spec: Spec) -> Iterator[_Found]:
    if keyword.iskeyword(spec.wire):
        message = f"{quote(spec.wire)} is a word of Python's own: choose another name"
        yield ("wire",), "wire-name", message, None, False


def _instructions(spec: Spec) -> Iterator[_Found]:
    if spec.instructions.native is True and spec.instructions.placement is None:
        yield ("instructions",), "missing-key", 'native instructions need "placement"', None, True
    if spec.instructions.placement == "top_level" and spec.instructions.field is None:
        yield ("instructions",), "missing-key", 'top_level instructions need "field"', None, True


def _continuation(spec: Spec) -> Iterator[_Found]:
    is_server = spec.continuation.mode == "server"
    if is_server and not spec.continuation.fields:
        yield ("continuation",), "missing-key", 'continuation on the server needs "fields"', None, True
    if spec.continuation.fields and not is_server:
        yield ("continuation", "fields"), "bad-value", "resend has no fields: they are for server", None, True


def _tools(spec: Spec) -> Iterator[_Found]:
    if spec.tools is not None:
        yield from _twice(("tools", "choice"), spec.tools.choice)


def _slots(spec: Spec) -> Iterator[_Found]:
    for name in spec.slots:
        if keyword.iskeyword(name) or hasattr(builtins, name) or name in _TAKEN:
            message = f"a slot cannot be named {quote(name)}: generated code uses that word"
            yield ("slots", name), "bad-value", message, f"write {name}_parts", True


def _passes(spec: Spec) -> Iterator[_Found]:
    yield from _twice(("passes",), spec.passes)


def _twice(path: Path, words: tuple[str, ...]) -> Iterator[_Found]:
    for index, word in enumerate(words):
        if word in words[:index]:
            yield (
                (*path, index),
                "duplicate-value",
                f"{quote(word)} stands in {dotted(path)} twice",
                None,
                False,
            )


def _transport(spec: Spec) -> Iterator[_Found]:
    transport = spec.transport
    for name, setting in transport.settings.items():
        path = ("transport", "settings", name)
        if keyword.iskeyword(name):
            yield path, "bad-value", f"the setting {quote(name)} is a word of Python's own", None, True
        yield from _setting(path, setting)
    credentials = {hole for auth in transport.auth for hole in _holes(auth.value)}
    for index, auth in enumerate(transport.auth):
        if len(set(_holes(auth.value))) != 1:
            at: Path = ("transport", "auth", index, "value")
            yield at, "bad-value", f"{dotted(at)} must have one hole, the credential", None, False
    known = {"model", *transport.settings, *credentials}
    texts: list[tuple[Path, str]] = [(("transport", "url"), transport.url)]
    texts += [(("transport", "headers", name), value) for name, value in transport.headers.items()]
    for place, text in texts:
        for found in _HOLE.finditer(text):
            hole = found[found.lastindex or 0]
            if found.lastindex and hole not in known:
                message = f"{quote(hole)} is not a setting of this spec"
                hint = did_you_mean(hole, known) or f"write it in transport.settings: {hole}: {{}}"
                yield place, "unknown-setting", message, hint, found.span()


def _setting(path: Path, setting: Setting) -> Iterator[_Found]:
    here = dotted(path)
    if setting.default is None:
        return
    values = (setting.default,) if isinstance(setting.default, str) else setting.default
    if isinstance(setting.default, str) is not (setting.type == "text"):
        wanted = "text" if setting.type == "text" else "a list"
        yield (
            (*path, "default"),
            "wrong-type",
            f"{here}.default must be {wanted}, as its type says",
            None,
            False,
        )
    if setting.required:
        yield (*path, "required"), "bad-value", f"{here} has a default, so it cannot be required", None, False
    for value in values:
        if setting.choices is not None and value not in setting.choices:
            message = f"the default {quote(value)} is none of the choices"
            yield (*path, "default"), "bad-value", message, did_you_mean(value, setting.choices), False


def _rules(spec: Spec) -> Iterator[_Found]:
    for index, rule in enumerate(spec.rules):
        if not (rule.reject or rule.allow or rule.rename or rule.set):
            message = f"rules[{index}] needs reject, allow, rename or set"
            yield ("rules", index), "missing-key", message, None, False
        for name, values in rule.when.settings.items():
            path = ("rules", index, "when", "settings", name)
            yield from _use_of_setting(spec, path, name, values)


def _use_of_setting(spec: Spec, path: Path, name: str, values: tuple[str, ...]) -> Iterator[_Found]:
    """Check that a setting exists, and that the values are among its choices."""
    setting = spec.transport.settings.get(name)
    credentials = {hole for auth in spec.transport.auth for hole in _holes(auth.value)}
    if setting is None:
        if name not in credentials:
            hint = did_you_mean(name, {*spec.transport.settings, *credentials})
            yield path, "unknown-setting", f"{quote(name)} is not a setting of this spec", hint, True
        return
    for value in values:
        if setting.choices is not None and value not in setting.choices:
            message = f"{quote(value)} is none of the choices of {name}"
            yield path, "bad-value", message, did_you_mean(value, setting.choices), False


def _examples(spec: Spec) -> Iterator[_Found]:
    first: dict[str, int] = {}
    for index, example in enumerate(spec.examples):
        path = ("examples", index)
        if example.name in first:
            message = f"there is another example {quote(example.name)}"
            yield (
                (*path, "name"),
                "duplicate-name",
                message,
                f"the first is examples[{first[example.name]}]",
                False,
            )
        first.setdefault(example.name, index)
        if (example.body is None) is (example.error is None):
            has = "neither" if example.body is None else "both"
            hint = (
                "write body: {...} or error: {kind: ...}" if example.body is None else "leave one of them out"
            )
            yield path, "body-or-error", f"{dotted(path)} needs body or error, and has {has}", hint, False
        yield from _policies(example.policies, (*path, "policies"))
        for name, value in example.settings.items():
            # a refused value is what an example may be about
            values = () if example.error else (value,) if isinstance(value, str) else value
            yield from _use_of_setting(spec, (*path, "settings", name), name, values)


def _policies(given: Mapping[str, str], path: Path) -> Iterator[_Found]:
    for name, value in given.items():
        choices = POLICIES.get(name)
        if choices is None:
            hint = did_you_mean(name, POLICIES) or f"the policies are {', '.join(POLICIES)}"
            yield (*path, name), "unknown-policy", f"{quote(name)} is not a policy", hint, True
        elif value not in choices:
            hint = did_you_mean(value, choices) or f"the values are {', '.join(choices)}"
            yield (
                (*path, name),
                "bad-value",
                f"{quote(value)} is not a value of the policy {name}",
                hint,
                False,
            )


def _holes(text: str) -> Iterator[str]:
    return (found[found.lastindex] for found in _HOLE.finditer(text) if found.lastindex)


_CHECKS: tuple[tuple[Callable[[Spec], Iterator[_Found]], tuple[str, ...]], ...] = (
    (_wire, ("wire",)),
    (_instructions, ("instructions",)),
    (_continuation, ("continuation",)),
    (_tools, ("tools",)),
    (_slots, ("slots",)),
    (_passes, ("passes",)),
    (_transport, ("transport",)),
    (_rules, ("rules", "transport")),
    (_examples, ("examples", "transport")),
)
