"""The transport of a wire as code: one function that gives URL, headers and the names of secret headers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..model.filters import ShapeFilter
from ..model.transport import INSIDE
from ..model.wire import WireModel
from ..spec.schema import Auth, Condition
from .function import Function
from .imports import Imports
from .python import (
    Expression,
    Statement,
    attribute,
    call,
    code,
    display,
    frozen_words,
    interpolation,
    literal,
    name,
    tuple_of,
)
from .python.conditions import all_of, is_given, is_one_of, negated

_HOLE = re.compile(r"\$([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)")
_HEADER = "def _transport(build: BuildContext) -> Sent:"


class TransportEmitter:
    """Emits `_transport` and the table of settings."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter], imports: Imports) -> None:
        """Read the transport section."""
        self.transport = model.transport
        self.model = model
        self.filters = filters
        self.imports = imports

    @property
    def secrets(self) -> dict[str, str]:
        """The settings that authenticate, each with the environment variable that stands for it where it is shown."""
        found = {
            name: auth.env or name.upper()
            for auth in self.transport.auth
            for name, _ in INSIDE.findall(auth.value or "")
        }
        return dict(sorted(found.items()))

    @property
    def takes_query(self) -> bool:
        """Whether a caller may add parameters to the URL: a gateway's, or a switch that the API reads there."""
        return not self.transport.local

    def settings(self) -> str:
        """The table of settings as a display of `Setting` rows."""
        rows: list[str] = []
        for setting_name, setting in self.transport.settings.items():
            arguments: dict[str, Expression] = {}
            if setting.default is not None:
                arguments["default"] = literal(setting.default)
            if setting.choices:
                arguments["choices"] = call("tuple", literal(list(setting.choices)))
            if setting.type == "list":
                arguments["listed"] = literal(True)
            rows.append(f"{code(literal(setting_name))}: {code(call('Setting', **arguments))}")
        rows += [
            f"{code(literal(setting_name))}: Setting()"
            for setting_name in self.secrets
            if setting_name not in self.transport.settings
        ]
        if self.takes_query:
            rows.append('"query": Setting()')
        if rows:
            self.imports.use("promptwire_runtime", "Setting")
        return "{" + ", ".join(rows) + "}"

    def batch(self) -> str:
        """The keys of one request of a batch, as a display of key to word."""
        batch: dict[str, str] = self.transport.batch or {}
        return code(literal({key: word.removeprefix("$") for key, word in batch.items()}))

    def urls(self) -> str:
        """The forms of the URL as rows of text, stream flag and settings, the first that holds first."""
        rows = [
            tuple_of([
                literal(form.url),
                literal(form.when.stream),
                display([(key, call("tuple", literal(list(values)))) for key, values in form.when.settings.items()]),
            ])
            for form in self.transport.url
        ]  # fmt: skip
        return code(tuple_of(rows))

    def url_filters(self) -> str:
        """The functions that read what a filter wrote into the URL, by the filter's name."""
        used = {
            word
            for form in self.transport.url
            for _, row in INSIDE.findall(form.url)
            for word in row.split("|")[1:]
        }
        reads = {word: self.filters[word].reads for word in sorted(used)}
        rows = [(word, name(self.imports.function(read))) for word, read in reads.items() if read is not None]
        return code(display(rows))

    def stand_in(self) -> str:
        """The setting that rules look at instead of the model."""
        found = [key for key, setting in self.transport.settings.items() if setting.stands_for == "model"]
        return code(literal(found[0] if found else None))

    def function(self) -> Function:
        """`_transport(build) -> Sent`: URL, headers, and which of them are secret."""
        self.imports.use("promptwire_runtime.build.wire", "Sent")
        if self.transport.local:
            return Function(_HEADER, "Refuse: nothing is sent.", ["raise build.unsent()"])
        body: list[Statement] = ["headers: dict[str, str] = {}"]
        for key, value in self.transport.headers.items():
            body += self._header(key, value)
        body += self._auth()
        *cases, last = self.transport.url
        for index, form in enumerate(cases):
            test = code(all_of(self._tests(form.when)) or literal(True))
            body.append((f"{'elif' if index else 'if'} {test}:", [f"url = {self._text(form.url)}"]))
        if cases:
            body.append(("else:", [f"url = {self._text(last.url)}"]))
        url = "url" if cases else self._text(last.url)
        secret = code(
            frozen_words(sorted({auth.header for auth in self.transport.auth if auth.header is not None}))
        )
        body.append(f"return Sent({url}, headers, {secret})")
        return Function(_HEADER, "Give URL, headers and which of them are secret.", body)

    def signing(self) -> Function | None:
        """`_signing(build) -> Signing | None`: what the caller must sign; None where no row of `auth` signs."""
        rows = [auth for auth in self.transport.auth if auth.sign is not None]
        if not rows:
            return None
        self.imports.use("promptwire_runtime.build.wire", "Signing")
        body: list[Statement] = [
            (f"if {code(self._given(auth))}:", ["return None"])
            for auth in self.transport.auth
            if auth.header is not None
        ]
        for auth in rows:
            test = all_of(self._tests(auth.when))
            texts = ", ".join(self._text(text or "") for text in (auth.sign, auth.service, auth.region))
            key = f", {code(literal(auth.env))}" if auth.env is not None else ""
            signed = f"return Signing({texts}{key})"
            body.append((f"if {code(test)}:", [signed]) if test is not None else signed)
            if test is None:
                break
        else:
            body.append("return None")
        header = "def _signing(build: BuildContext) -> Signing | None:"
        return Function(header, "Give what the caller must sign, unless a credential is given.", body)

    def _tests(self, when: Condition) -> list[Expression]:
        """What must hold, as expressions over `build`."""
        tests: list[Expression] = []
        if when.stream is not None:
            streams = attribute(attribute(name("build"), "request"), "stream")
            tests.append(streams if when.stream else negated(streams))
        for key, values in when.settings.items():
            tests.append(is_one_of(call("build.setting", literal(key)), [literal(value) for value in values]))
        return tests

    def _text(self, template: str) -> str:
        pieces = INSIDE.split(template)
        values = [
            self._filtered(call(f"build.{_setting_at(index, pieces)}", literal(key)), used)
            for index, (key, used) in enumerate(zip(pieces[1::3], pieces[2::3], strict=True))
        ]
        return code(interpolation(pieces[::3], values)) if values else code(literal(template))

    def _filtered(self, value: Expression, used: str) -> Expression:
        for word in filter(None, used.split("|")):
            value = call(self.imports.function(self.filters[word].writes), value)
        return value

    def _header(self, key: str, value: str) -> list[Statement]:
        header = key.removesuffix("?")
        target = f"headers[{code(literal(header))}]"
        hole = _HOLE.fullmatch(value)
        if hole is None:
            return [f"{target} = {self._text(value)}"]
        found: Expression = call("build.setting", literal(hole[1]))
        shown: Expression = name("value")
        for used in filter(None, hole[2].split("|")):
            shown = call(self.imports.function(self.filters[used].writes), shown)
        test = f"if value := {code(found)}:"
        return [(test, [f"{target} = str({code(shown)})" if not hole[2] else f"{target} = {code(shown)}"])]

    def _auth(self) -> list[Statement]:
        """A credential that is given; else nothing where the caller signs; else the placeholder of a credential."""
        rows = self.transport.auth
        shown = [auth for auth in rows if auth.header is not None]
        cases: list[tuple[Expression | None, list[Statement]]] = [
            (self._given(auth), self._shows(auth)) for auth in _distinct(shown)
        ]
        signed = [all_of(self._tests(auth.when)) for auth in rows if auth.sign is not None]
        if shown and None not in signed:
            nothing: list[Statement] = ["pass"]
            cases += [(test, nothing) for test in signed]
            cases += [
                (all_of(self._tests(auth.when)), self._placeholder(auth))
                for auth in shown
                if not auth.optional
            ]
        out: list[Statement] = []
        for test, then in cases:
            if test is None:
                out.append(("else:", then))
                break
            out.append((f"{'elif' if out else 'if'} {code(test)}:", then))
        return out

    def _given(self, auth: Auth) -> Expression:
        """That the credential of a row is given, and the row open."""
        given = is_given(call("build.setting", literal(_credential(auth))))
        return all_of([given, *self._tests(auth.when)]) or given

    def _shows(self, auth: Auth) -> list[Statement]:
        return [f"headers[{code(literal(auth.header))}] = {self._text(auth.value or '')}"]

    def _placeholder(self, auth: Auth) -> list[Statement]:
        pieces = INSIDE.split(auth.value or "")
        shown = f"${auth.env or pieces[1].upper()}".join(pieces[::3])
        return [f"headers[{code(literal(auth.header))}] = {code(literal(shown))}"]


def _credential(auth: Auth) -> str:
    return str(INSIDE.findall(auth.value or "")[0][0])


def _distinct(rows: Sequence[Auth]) -> list[Auth]:
    """The credentials, without a row that an earlier one covers: that one is there for its placeholder."""
    return [
        auth
        for index, auth in enumerate(rows)
        if not any(
            (row.header, row.value) == (auth.header, auth.value) and row.when.covers(auth.when)
            for row in rows[:index]
        )
    ]


def _setting_at(index: int, pieces: Sequence[str]) -> str:
    """The method that gives a hole's text: the address before a path, or any other piece of a URL or header."""
    if index == 0 and not pieces[0] and pieces[3].startswith("/"):
        return "address_setting"
    # what a filter writes is quoted; a header has no slash
    bare = any("/" in text for text in pieces[::3]) and not pieces[3 * index + 2]
    return "url_piece" if bare else "url_setting"
