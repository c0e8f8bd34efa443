"""The transport of a wire: what its two functions do, for the macros of `templates/macros/wire.j2`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

from ...model.filters import ShapeFilter
from ...model.transport import INSIDE
from ...spec.schema import Auth, TransportCondition, UrlFormSpec
from ..conditions import all_of, both, is_given, is_one_of, negated
from ..imports import function_name
from ..python import Expression, attribute, call, frozen_display, interpolation, literal, name

_HOLE = re.compile(r"\$([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)")
# the argument of the generated functions
TRANSPORT = "transport"


@dataclass(frozen=True, slots=True)
class Header:
    """One header; it is sent when `test` holds, or always. Without a `value`, the row sends nothing."""

    name: str
    value: Expression | None
    test: Expression | None = None
    constant: bool = False


@dataclass(frozen=True, slots=True)
class UrlCase:
    """A form of the URL, written when `test` holds; the last has none."""

    url: Expression
    test: Expression | None


@dataclass(frozen=True, slots=True)
class SigningCase:
    """A signature the caller must make if `test` holds: scheme, service, region and the variable of the key's id."""

    arguments: tuple[Expression, ...]
    test: Expression | None


@dataclass(frozen=True, slots=True)
class TransportFunction:
    """`_transport(transport) -> Sent`: URL, headers, and which of them are secret.

    first        headers that every request has, up to the first that depends on a setting
    others       those after them, in order
    credentials  cases of which the first that holds gives a header
    local        nothing is sent: it refuses
    """

    first: tuple[Header, ...] = ()
    others: tuple[Header, ...] = ()
    credentials: tuple[Header, ...] = ()
    urls: tuple[UrlCase, ...] = ()
    secret: Expression | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class SigningFunction:
    """`_signing(transport) -> Signing | None`: what the caller must sign; nothing where one of `credentials` holds."""

    credentials: tuple[Expression, ...]
    cases: tuple[SigningCase, ...]


class TransportReader:
    """Makes both functions of a transport section."""

    def __init__(self, transport: Any, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that URLs and headers may name."""
        self.transport = transport
        self.filters = filters

    def sending(self) -> TransportFunction:
        """Return the parts of `_transport`."""
        if self.transport.local:
            return TransportFunction(local=True)
        headers = [self._header(key, value) for key, value in self.transport.headers.items()]
        streams = attribute(attribute(name(TRANSPORT), "request"), "stream")
        headers += [
            Header(key, literal(text), streams, constant=True)
            for key, text in self.transport.stream_headers.items()
        ]
        *cases, last = self.transport.url
        urls = [
            UrlCase(self._text(form.url), all_of(self._tests_of(form)) or literal(True)) for form in cases
        ]
        secret = {auth.header for auth in self.transport.auth if auth.header is not None}
        return TransportFunction(
            first=tuple(takewhile(_is_always_sent, headers)),
            others=tuple(dropwhile(_is_always_sent, headers)),
            credentials=tuple(self._credentials()),
            urls=(*urls, UrlCase(self._text(last.url), None)),
            secret=frozen_display(sorted(secret)),
        )

    def signing(self) -> SigningFunction | None:
        """Return the parts of `_signing`, or None where no row of `auth` signs."""
        cases: list[SigningCase] = []
        for auth in self.transport.auth:
            if auth.sign is not None and (not cases or cases[-1].test is not None):
                texts = [self._text(text or "") for text in (auth.sign, auth.service, auth.region)]
                key = [] if auth.env is None else [literal(auth.env)]
                cases.append(SigningCase((*texts, *key), all_of(self._tests(auth.when))))
        if not cases:
            return None
        secrets = [self._given(auth) for auth in self.transport.auth if auth.header is not None]
        return SigningFunction(tuple(secrets), tuple(cases))

    def _tests_of(self, form: UrlFormSpec) -> list[Expression]:
        """Return the tests for a URL form; a form with a continuation in it requires that continuation."""
        continued = (
            []
            if form.continued is None
            else [is_given(call(f"{TRANSPORT}.continues", literal(form.continued)))]
        )
        return [*continued, *self._tests(form.when)]

    def _tests(self, when: TransportCondition) -> list[Expression]:
        """Return the tests for a condition, as expressions over the transport."""
        tests: list[Expression] = []
        if when.stream is not None:
            streams = attribute(attribute(name(TRANSPORT), "request"), "stream")
            tests.append(streams if when.stream else negated(streams))
        for key, values in when.settings.items():
            tests.append(is_one_of(_setting(key), [literal(value) for value in values]))
        return tests

    def _text(self, template: str) -> Expression:
        pieces = INSIDE.split(template)
        values = [
            self._filtered(call(f"{TRANSPORT}.{_setting_at(index, pieces)}", literal(key)), used)
            for index, (key, used) in enumerate(zip(pieces[1::3], pieces[2::3], strict=True))
        ]
        return interpolation(pieces[::3], values) if values else literal(template)

    def _filtered(self, value: Expression, used: str) -> Expression:
        for word in filter(None, used.split("|")):
            writes = self.filters[word].writes
            value = value if writes is None else call(function_name(writes), value)
        return value

    def _header(self, key: str, value: str) -> Header:
        """Return a header; one that is a whole setting is sent where the setting is given."""
        header = key.removesuffix("?")
        hole = _HOLE.fullmatch(value)
        if hole is None:
            return Header(header, self._text(value))
        shown = self._filtered(name("value"), hole[2])
        return Header(header, shown if hole[2] else call("str", shown), _setting(hole[1]))

    def _credentials(self) -> list[Header]:
        """Return a credential that is given; else nothing if the caller signs; else the placeholder of a credential."""
        auths = self.transport.auth
        shown = [auth for auth in auths if auth.header is not None]
        cases = [
            Header(auth.header or "", self._text(auth.value or ""), self._given(auth))
            for auth in _distinct(shown)
        ]
        signed = [all_of(self._tests(auth.when)) for auth in auths if auth.sign is not None]
        if shown and None not in signed:
            cases += [Header("", None, test) for test in signed]
            cases += [
                Header(auth.header or "", _placeholder(auth), all_of(self._tests(auth.when)))
                for auth in shown
                if not auth.optional
            ]
        # a case without a condition ends the chain
        always = next((index for index, case in enumerate(cases) if case.test is None), len(cases))
        return cases[: always + 1]

    def _given(self, auth: Auth) -> Expression:
        """Return the test that the credential of a row is given and the row applies."""
        return both(is_given(_setting(_credential(auth))), *self._tests(auth.when))


def _is_always_sent(header: Header) -> bool:
    return header.test is None


def _setting(key: str) -> Expression:
    return call(f"{TRANSPORT}.setting", literal(key))


def _placeholder(auth: Auth) -> Expression:
    """Return the placeholder for a missing credential: the variable that usually holds it."""
    pieces = INSIDE.split(auth.value or "")
    return literal(f"${auth.env or pieces[1].upper()}".join(pieces[::3]))


def _credential(auth: Auth) -> str:
    return str(INSIDE.findall(auth.value or "")[0][0])


def _distinct(auths: Sequence[Auth]) -> list[Auth]:
    """Return the credentials, without a row that an earlier one covers: that one is there for its placeholder."""
    return [
        auth
        for index, auth in enumerate(auths)
        if not any(
            (earlier.header, earlier.value) == (auth.header, auth.value) and earlier.when.covers(auth.when)
            for earlier in auths[:index]
        )
    ]


def _setting_at(index: int, pieces: Sequence[str]) -> str:
    """Return the method that gives a hole's text, which depends on where in a URL it stands; a header has no slash."""
    texts, filters = pieces[::3], pieces[2::3]
    if not any("/" in text for text in texts):
        return "url_setting"
    before = "".join(texts[: index + 1])
    if not before and texts[1].startswith("/"):
        return "address_setting"
    if "/" not in before.partition("://")[2] and "://" in before:
        return "host_piece"
    # the output of a filter is quoted except for dots
    return (
        "path_setting"
        if filters[index] and "?" not in before
        else "url_setting"
        if filters[index]
        else "url_piece"
    )
