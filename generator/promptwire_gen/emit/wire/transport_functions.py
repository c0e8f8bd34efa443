"""The transport of a wire: the parts of its two functions, for the macros of `templates/macros/wire.j2`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, takewhile
from typing import TypeAlias

from ...model.offers import ShapeFilter
from ...model.transport import INSIDE
from ...spec.schema import Auth, TransportCondition, TransportSection
from ..imports import get_function_name

_ALWAYS = TransportCondition()
_HOLE = re.compile(r"\$([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)")


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


# texts and settings alternate, beginning and ending with text
SettingText: TypeAlias = Sequence[str | SettingHole]


@dataclass(frozen=True, slots=True)
class TransportCase:
    """A header, a URL or a signature, and when it is used.

    Attributes:
        name: The header; empty for a URL and for a signature.
        texts: Its value; of a signature, the scheme, the service and the region. Nothing is sent without one.
        when: The condition on the request and the settings.
        continued: The field of the continuation that must be given, or None.
        credential: The setting that must be given, or None.
        setting: The setting that is the whole value; the header is sent if it is given.
        env: The environment variable with the id of the key that signs.
    """

    name: str = ""
    texts: tuple[SettingText, ...] = ()
    when: TransportCondition = _ALWAYS
    continued: str | None = None
    credential: str | None = None
    setting: SettingHole | None = None
    env: str | None = None

    @property
    def always(self) -> bool:
        """Return whether it is used for every request."""
        return self.when.always and (self.continued, self.credential, self.setting) == (None, None, None)


@dataclass(frozen=True)
class WireTransport:
    """The functions `_transport(transport) -> Sent` and `_signing(transport) -> Signing | None`."""

    section: TransportSection
    filters: Mapping[str, ShapeFilter]

    @cached_property
    def _headers(self) -> list[TransportCase]:
        stream, own = TransportCondition(stream=True), self.section.headers
        asking = [TransportCase(key, ([text],), stream) for key, text in self.section.stream_headers.items()]
        return [*[self._make_header(key, value) for key, value in own.items()], *asking]

    @property
    def first(self) -> list[TransportCase]:
        """The headers that every request has, up to the first that depends on a setting."""
        return list(takewhile(lambda header: header.always, self._headers))

    @property
    def others(self) -> list[TransportCase]:
        """The headers after them."""
        return list(dropwhile(lambda header: header.always, self._headers))

    @property
    def credentials(self) -> list[TransportCase]:
        """A credential that is given; else nothing if the caller signs; else the placeholder of a credential.

        The first case that holds gives the header.
        """
        auths = self.section.auth
        shown = [auth for auth in auths if auth.header is not None]
        cases = [
            TransportCase(
                auth.header or "",
                (self._parse_text(auth.value or ""),),
                auth.when,
                credential=_name_credential(auth),
            )
            for auth in _drop_covered(shown)
        ]
        signed = [TransportCase(when=auth.when) for auth in auths if auth.sign is not None]
        if shown and not any(case.always for case in signed):
            cases += signed
            cases += [
                TransportCase(auth.header or "", ([_make_placeholder(auth)],), auth.when)
                for auth in shown
                if not auth.optional
            ]
        # a case without a condition ends the chain
        always = next((index for index, case in enumerate(cases) if case.always), len(cases))
        return cases[: always + 1]

    @property
    def urls(self) -> list[TransportCase]:
        """The forms of the URL; the last has no condition."""
        return [
            TransportCase("", (self._parse_text(form.url),), form.when, form.continued)
            for form in self.section.url
        ]

    @property
    def secret(self) -> list[str]:
        """The headers that hold credentials."""
        return sorted({auth.header for auth in self.section.auth if auth.header is not None})

    @property
    def signatures(self) -> list[TransportCase]:
        """The signatures that the caller must make, of which the first that holds counts."""
        return list(self._list_signatures())

    @property
    def given_credentials(self) -> list[TransportCase]:
        """The conditions under which a credential is given, so that nothing is signed."""
        shown = [auth for auth in self.section.auth if auth.header is not None]
        return [TransportCase(when=auth.when, credential=_name_credential(auth)) for auth in shown]

    def _list_signatures(self) -> Iterator[TransportCase]:
        for auth in self.section.auth:
            if auth.sign is not None:
                texts = [self._parse_text(text or "") for text in (auth.sign, auth.service, auth.region)]
                yield TransportCase("", tuple(texts), auth.when, env=auth.env)
                if auth.when.always:
                    return

    def _parse_text(self, template: str) -> SettingText:
        pieces = INSIDE.split(template)
        holes = [
            SettingHole(_choose_setting_method(index, pieces), key, self._list_functions(used))
            for index, (key, used) in enumerate(zip(pieces[1::3], pieces[2::3], strict=True))
        ]
        first, *others = pieces[::3]
        return [first, *[each for pair in zip(holes, others, strict=True) for each in pair]]

    def _list_functions(self, used: str) -> tuple[str, ...]:
        writes = [self.filters[word].writes for word in used.split("|") if word]
        return tuple([get_function_name(function) for function in writes if function is not None])

    def _make_header(self, key: str, value: str) -> TransportCase:
        """Return a header; one that is a whole setting is sent if the setting is given."""
        header = key.removesuffix("?")
        hole = _HOLE.fullmatch(value)
        if hole is None:
            return TransportCase(header, (self._parse_text(value),))
        functions = self._list_functions(hole[2]) if hole[2] else ("str",)
        return TransportCase(header, setting=SettingHole("setting", hole[1], functions))


def _make_placeholder(auth: Auth) -> str:
    """Return the placeholder for a missing credential: the variable that usually holds it."""
    pieces = INSIDE.split(auth.value or "")
    return f"${auth.env or pieces[1].upper()}".join(pieces[::3])


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
