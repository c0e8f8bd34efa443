"""The transport of a wire: the parts of its two functions, for the macros of `templates/macros/wire.j2`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

from ...model.offers import ShapeFilter
from ...model.transport import INSIDE
from ...spec.schema import Auth, TransportCondition
from ..imports import get_function_name

_HOLE = re.compile(r"\$([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)")
_ALWAYS = TransportCondition()


@dataclass(frozen=True, slots=True)
class SettingHole:
    """The place of a setting in a text.

    Attributes:
        method: The method of the transport that returns its text.
        functions: The functions that convert it, the first one first.
    """

    method: str
    key: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingText:
    """A text with settings: texts and holes alternate, beginning and ending with text."""

    texts: Sequence[str]
    holes: Sequence[SettingHole] = ()


@dataclass(frozen=True, slots=True)
class TransportTest:
    """A test of the request and the settings.

    Attributes:
        continued: The field of the continuation that must be given, or None.
        credential: The setting that must be given, or None.
    """

    when: TransportCondition = _ALWAYS
    continued: str | None = None
    credential: str | None = None

    @property
    def always(self) -> bool:
        """Return whether nothing is tested."""
        return self.when.always and self.continued is None and self.credential is None


@dataclass(frozen=True, slots=True)
class Header:
    """One header.

    Attributes:
        text: The value; None for a row that sends nothing, or for the value of `setting`.
        test: The test that it is sent.
        setting: The setting that is the whole value; the header is sent if it is given.
    """

    name: str
    text: SettingText | None
    test: TransportTest = TransportTest()
    setting: SettingHole | None = None

    @property
    def always(self) -> bool:
        """Return whether every request has it."""
        return self.test.always and self.setting is None


@dataclass(frozen=True, slots=True)
class UrlCase:
    """A form of the URL, written when `test` holds; the last has none."""

    url: SettingText
    test: TransportTest | None


@dataclass(frozen=True, slots=True)
class SigningCase:
    """A signature that the caller must make if `test` holds.

    Attributes:
        texts: The scheme, the service and the region.
        env: The environment variable with the id of the key.
    """

    texts: tuple[SettingText, ...]
    env: str | None
    test: TransportTest


@dataclass(frozen=True, slots=True)
class TransportFunction:
    """`_transport(transport) -> Sent`: URL, headers, and which of them are secret.

    Attributes:
        first: Headers that every request has, up to the first that depends on a setting.
        others: The headers after them, in order.
        credentials: Cases of which the first that holds gives a header.
        local: Whether nothing is sent, so that the function refuses.
    """

    first: tuple[Header, ...] = ()
    others: tuple[Header, ...] = ()
    credentials: tuple[Header, ...] = ()
    urls: tuple[UrlCase, ...] = ()
    secret: Sequence[str] = ()
    local: bool = False


@dataclass(frozen=True, slots=True)
class SigningFunction:
    """`_signing(transport) -> Signing | None`: what the caller must sign; nothing where one of `credentials` holds."""

    credentials: tuple[TransportTest, ...]
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
        headers = [self._make_header(key, value) for key, value in self.transport.headers.items()]
        streams = TransportTest(TransportCondition(stream=True))
        headers += [
            Header(key, SettingText([text]), streams) for key, text in self.transport.stream_headers.items()
        ]
        *cases, last = self.transport.url
        urls = [
            UrlCase(self._parse_text(form.url), TransportTest(form.when, form.continued)) for form in cases
        ]
        secret = {auth.header for auth in self.transport.auth if auth.header is not None}
        return TransportFunction(
            first=tuple(takewhile(_is_always_sent, headers)),
            others=tuple(dropwhile(_is_always_sent, headers)),
            credentials=tuple(self._list_credentials()),
            urls=(*urls, UrlCase(self._parse_text(last.url), None)),
            secret=sorted(secret),
        )

    def signing(self) -> SigningFunction | None:
        """Return the parts of `_signing`, or None where no row of `auth` signs."""
        cases: list[SigningCase] = []
        for auth in self.transport.auth:
            if auth.sign is not None and not (cases and cases[-1].test.always):
                texts = [self._parse_text(text or "") for text in (auth.sign, auth.service, auth.region)]
                cases.append(SigningCase(tuple(texts), auth.env, TransportTest(auth.when)))
        if not cases:
            return None
        secrets = [_test_credential(auth) for auth in self.transport.auth if auth.header is not None]
        return SigningFunction(tuple(secrets), tuple(cases))

    def _parse_text(self, template: str) -> SettingText:
        pieces = INSIDE.split(template)
        holes = [
            SettingHole(_choose_setting_method(index, pieces), key, self._list_functions(used))
            for index, (key, used) in enumerate(zip(pieces[1::3], pieces[2::3], strict=True))
        ]
        return SettingText(pieces[::3], holes)

    def _list_functions(self, used: str) -> tuple[str, ...]:
        writes = [self.filters[word].writes for word in used.split("|") if word]
        return tuple([get_function_name(function) for function in writes if function is not None])

    def _make_header(self, key: str, value: str) -> Header:
        """Return a header; one that is a whole setting is sent where the setting is given."""
        header = key.removesuffix("?")
        hole = _HOLE.fullmatch(value)
        if hole is None:
            return Header(header, self._parse_text(value))
        functions = self._list_functions(hole[2]) if hole[2] else ("str",)
        return Header(header, None, setting=SettingHole("setting", hole[1], functions))

    def _list_credentials(self) -> list[Header]:
        """Return a credential that is given; else nothing if the caller signs; else the placeholder of a credential."""
        auths = self.transport.auth
        shown = [auth for auth in auths if auth.header is not None]
        cases = [
            Header(auth.header or "", self._parse_text(auth.value or ""), _test_credential(auth))
            for auth in _drop_covered(shown)
        ]
        signed = [TransportTest(auth.when) for auth in auths if auth.sign is not None]
        if shown and not any(test.always for test in signed):
            cases += [Header("", None, test) for test in signed]
            cases += [
                Header(auth.header or "", _make_placeholder(auth), TransportTest(auth.when))
                for auth in shown
                if not auth.optional
            ]
        # a case without a condition ends the chain
        always = next((index for index, case in enumerate(cases) if case.always), len(cases))
        return cases[: always + 1]


def _test_credential(auth: Auth) -> TransportTest:
    """Return the test that the credential of a row is given and the row applies."""
    return TransportTest(auth.when, credential=_name_credential(auth))


def _is_always_sent(header: Header) -> bool:
    return header.always


def _make_placeholder(auth: Auth) -> SettingText:
    """Return the placeholder for a missing credential: the variable that usually holds it."""
    pieces = INSIDE.split(auth.value or "")
    return SettingText([f"${auth.env or pieces[1].upper()}".join(pieces[::3])])


def _name_credential(auth: Auth) -> str:
    return str(INSIDE.findall(auth.value or "")[0][0])


def _drop_covered(auths: Sequence[Auth]) -> list[Auth]:
    """Return the credentials, without a row that an earlier one covers: that one is there for its placeholder."""
    return [
        auth
        for index, auth in enumerate(auths)
        if not any(
            (earlier.header, earlier.value) == (auth.header, auth.value) and earlier.when.covers(auth.when)
            for earlier in auths[:index]
        )
    ]


def _choose_setting_method(index: int, pieces: Sequence[str]) -> str:
    """Return the method for the text of a hole, which depends on its position in the URL; a header has no slash."""
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
