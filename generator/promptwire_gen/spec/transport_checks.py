"""Checks of the transport section: settings, URL forms, credentials, conditions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..problems import did_you_mean, quote
from .nodes import Path, format_path
from .schema import Auth, SettingSpec, Spec, TransportCondition, UrlFormSpec


class Clash(NamedTuple):
    """A problem at a path of the spec: at its value, at its key, or at a piece (from, to) of the value's text."""

    path: Path
    rule: str
    message: str
    hint: str | None = None
    at_key: bool = False
    piece: tuple[int, int] | None = None


_HOLE = re.compile(r"\$\$|\$\{([a-z_][a-z0-9_]*(?:\.[a-z]+)?)(?:\|[^{}]*)?\}|\$([a-z_][a-z0-9_]*)")
# a value is ASCII, as at the build of a request
_HEADER_TEXT = re.compile(r"[ -~]*")
_URL: Path = ("transport", "url")
# continuation fields that a URL form may contain; such a form is only written if the field is given
_CONTINUED = frozenset({"continuation.id", "continuation.conversation"})
# a setting of every wire that has a URL
_QUERY = "query"
_TAKEN = (
    f"every wire with an address has a setting {quote(_QUERY)}: parameters of the caller's own in the URL"
)
_ANOTHER = "give yours another name"


def check_transport(spec: Spec) -> Iterator[Clash]:
    """Yield the contradictions inside the transport section."""
    transport = spec.transport
    yield from _check_way(spec)
    for name, setting in transport.settings.items():
        path = ("transport", "settings", name)
        if keyword.iskeyword(name):
            yield Clash(
                path, "bad-value", f"the setting {quote(name)} is a word of Python's own", at_key=True
            )
        if name == _QUERY and not transport.local:
            yield Clash(path, "bad-value", _TAKEN, _ANOTHER, at_key=True)
        yield from _check_setting(path, setting)
    yield from _check_stand_ins(spec)
    yield from _check_headers(spec)
    for index, auth in enumerate(transport.auth):
        yield from _check_auth(("transport", "auth", index), auth)
        yield from _check_condition(spec, auth.when, ("transport", "auth", index, "when"))
    yield from _check_batches(spec)
    yield from _check_forms(spec)
    known_holes = {"model", *transport.settings, *list_credentials(spec)}
    for place, text in _list_texts(spec):
        known = {*known_holes, *_CONTINUED} if place[:2] == _URL else known_holes
        for match in _HOLE.finditer(text):
            hole = match[match.lastindex or 0]
            if match.lastindex and hole not in known:
                message = f"{quote(hole)} is not a setting of this spec"
                hint = did_you_mean(hole, known_holes) or f"write it in transport.settings: {hole}: {{}}"
                yield Clash(place, "unknown-setting", message, hint, piece=match.span())


def _check_way(spec: Spec) -> Iterator[Clash]:
    """Check that there is a method and a URL, or neither for a local runtime."""
    names = spec.transport.model_fields_set
    if not spec.transport.local:
        for name in ("method", "url"):
            if not getattr(spec.transport, name):
                yield Clash(("transport",), "missing-key", f'transport lacks "{name}"', at_key=True)
        return
    for name in ("method", "url", "headers", "stream_headers", "auth", "batches"):
        if name in names:
            message, hint = f"a local runtime has no {name}", f'leave out "{name}", or local'
            yield Clash(("transport", name), "bad-value", message, hint, at_key=True)


def _list_texts(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Yield every text with holes that must be known; a credential makes its own hole known."""
    for index, form in enumerate(spec.transport.url):
        yield (*_URL, index, "url"), form.url
    for name, value in spec.transport.headers.items():
        yield ("transport", "headers", name), value
    for index, auth in enumerate(spec.transport.auth):
        if auth.region is not None:
            yield ("transport", "auth", index, "region"), auth.region


def _check_setting(path: Path, setting: SettingSpec) -> Iterator[Clash]:
    here = format_path(path)
    if setting.stands_for is not None and setting.type != "text":
        yield Clash((*path, "stands_for"), "bad-value", f"{here} stands for text, so it cannot be a list")
    if setting.default is None:
        return
    values = (setting.default,) if isinstance(setting.default, str) else setting.default
    if isinstance(setting.default, str) is not (setting.type == "text"):
        type_name = "text" if setting.type == "text" else "a list"
        message = f"{here}.default must be {type_name}, as its type says"
        yield Clash((*path, "default"), "wrong-type", message)
    if setting.required:
        yield Clash((*path, "required"), "bad-value", f"{here} has a default, so it cannot be required")
    for value in values:
        if setting.choices is not None and value not in setting.choices:
            message = f"the default {quote(value)} is none of the choices"
            yield Clash((*path, "default"), "bad-value", message, did_you_mean(value, setting.choices))


def _check_headers(spec: Spec) -> Iterator[Clash]:
    """Check that header values only have characters allowed by HTTP; the names are checked by their type."""
    rows: list[tuple[Path, str]] = [
        (("transport", "headers", name), text) for name, text in spec.transport.headers.items()
    ]
    rows += [
        (("transport", "auth", index, "value"), auth.value or "")
        for index, auth in enumerate(spec.transport.auth)
    ]
    for path, text in rows:
        if not _HEADER_TEXT.fullmatch(text):
            yield Clash(
                path, "bad-value", f"{quote(text)} cannot be sent in a header", "it takes ASCII letters"
            )


def _check_batches(spec: Spec) -> Iterator[Clash]:
    """Check that a line of a batch holds the body and has one place for the id."""
    for name, service in spec.transport.batches.items():
        path: Path = ("transport", "batches", name)
        pieces = tuple(service.line.values())
        if "$body" not in pieces:
            yield Clash(
                (*path, "line"), "missing-key", f"{format_path((*path, 'line'))} has no key for $body"
            )
        if ("$id" in pieces) is (service.id_in is not None):
            has = "no place" if service.id_in is None else "two places"
            hint = "give the line a key for $id, or say with id_in where it stands in the body"
            yield Clash(
                (*path, "line"), "bad-value", f"{format_path((*path, 'line'))} has {has} for the id", hint
            )
        if service.path is not None and "$path" not in pieces:
            message = f"{format_path((*path, 'path'))} is never written: the line has no key for $path"
            yield Clash((*path, "path"), "never-written", message)
        for setting, value in service.when.items():
            yield from use_of_setting(spec, (*path, "when", setting), setting, (value,))


def _check_stand_ins(spec: Spec) -> Iterator[Clash]:
    first = ""
    for name, setting in spec.transport.settings.items():
        if setting.stands_for is not None and first:
            path = ("transport", "settings", name, "stands_for")
            yield Clash(
                path, "duplicate-value", f"{quote(first)} stands for the {setting.stands_for} already"
            )
        elif setting.stands_for is not None:
            first = name


def _check_auth(path: Path, auth: Auth) -> Iterator[Clash]:
    """Check that a row is a header with one hole, or a signature with its service and region."""
    here = format_path(path)
    if (auth.header is None) is (auth.sign is None):
        has = "neither" if auth.sign is None else "both"
        hint = "write header and value, or sign, service and region"
        yield Clash(path, "missing-key", f"{here} needs header or sign, and has {has}", hint)
        return
    owners = {"value": "header", "service": "sign", "region": "sign"}
    kind = "header" if auth.sign is None else "sign"
    for name, owner in owners.items():
        is_given = getattr(auth, name) is not None
        if owner == kind and not is_given:
            yield Clash(path, "missing-key", f'{here} lacks "{name}"')
        elif owner != kind and is_given:
            yield Clash(
                (*path, name), "bad-value", f"{here} has {quote(name)}, which goes with {owner}", at_key=True
            )
    if auth.value is not None and auth.sign is None and len(set(find_holes(auth.value))) != 1:
        at: Path = (*path, "value")
        yield Clash(at, "bad-value", f"{format_path(at)} must have one hole, the credential")
    if _QUERY in find_holes(auth.value or ""):
        yield Clash((*path, "value"), "bad-value", _TAKEN, _ANOTHER)


def _check_forms(spec: Spec) -> Iterator[Clash]:
    """Check that each form can be reached, and that the last one has no condition."""
    forms = spec.transport.url
    for index, form in enumerate(forms):
        path: Path = (*_URL, index)
        yield from _check_condition(spec, form.when, (*path, "when"))
        last = index == len(forms) - 1
        if last and form.continued is not None:
            message, hint = "the last form must hold always", "add a form without a continuation after it"
            yield Clash((*path, "url"), "missing-form", message, hint)
        if last and not form.when.always:
            hint = "add a form without when after it"
            yield Clash((*path, "when"), "missing-form", "the last form must hold always", hint, at_key=True)
        earlier = next((candidate for candidate in forms[:index] if _covers(candidate, form)), None)
        if earlier is not None:
            message = f"{format_path(path)} is never written: an earlier form holds wherever it does"
            yield Clash(path, "never-written", message, f"the earlier one is {earlier.url}")


def _covers(earlier: UrlFormSpec, form: UrlFormSpec) -> bool:
    """Return whether a form is written wherever a later one would be."""
    return earlier.continued in (None, form.continued) and earlier.when.covers(form.when)


def _check_condition(spec: Spec, when: TransportCondition, path: Path) -> Iterator[Clash]:
    for name, values in when.settings.items():
        yield from use_of_setting(spec, (*path, "settings", name), name, values)


def use_of_setting(spec: Spec, path: Path, name: str, values: tuple[str, ...]) -> Iterator[Clash]:
    """Check that a setting exists, and that the values are among its choices."""
    setting = spec.transport.settings.get(name)
    if setting is None:
        credentials = list_credentials(spec)
        if name not in credentials:
            hint = did_you_mean(name, {*spec.transport.settings, *credentials})
            yield Clash(
                path, "unknown-setting", f"{quote(name)} is not a setting of this spec", hint, at_key=True
            )
        return
    for value in values:
        if setting.choices is not None and value not in setting.choices:
            message = f"{quote(value)} is none of the choices of {name}"
            yield Clash(path, "bad-value", message, did_you_mean(value, setting.choices))


def list_credentials(spec: Spec) -> set[str]:
    """Return the names of the credentials."""
    return {hole for auth in spec.transport.auth for hole in find_holes(auth.value or "")}


def find_holes(text: str) -> Iterator[str]:
    """Return an iterator over the names of the holes in a text."""
    return (match[match.lastindex] for match in _HOLE.finditer(text) if match.lastindex)
