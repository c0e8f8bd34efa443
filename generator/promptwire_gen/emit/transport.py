"""The transport of a wire as code: one function that gives URL, headers and the names of secret headers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..model.filters import ShapeFilter
from ..model.wire import WireModel
from .imports import Imports
from .nodes import Function
from .python import Expression, Statement, call, code, frozen_words, interpolation, literal, name

_INSIDE = re.compile(r"\$\{([^{}]*)\}")
_HOLE = re.compile(r"\$([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)")


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
            for name in _INSIDE.findall(auth.value)
        }
        return dict(sorted(found.items()))

    def settings(self) -> str:
        """The table of settings as a display of `Setting` rows."""
        self.imports.use("promptwire_runtime", "Setting")
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
        return "{" + ", ".join(rows) + "}"

    def batch(self) -> str:
        """The keys of one request of a batch, as a display of key to word."""
        batch: dict[str, str] = self.transport.batch or {}
        return code(literal({key: word.removeprefix("$") for key, word in batch.items()}))

    def function(self) -> Function:
        """`_transport(built) -> (url, headers, names of secret headers)`."""
        header = "def _transport(built: Built[Any]) -> tuple[str, dict[str, str], frozenset[str]]:"
        body: list[Statement] = ["headers: dict[str, str] = {}"]
        for key, value in self.transport.headers.items():
            body += self._header(key, value)
        body += self._auth()
        secret = sorted({auth.header for auth in self.transport.auth})
        url = self._text(self.transport.url)
        body.append(f"return {url}, headers, {code(frozen_words(secret))}")
        return Function(header, "Give URL, headers and which of them are secret.", body)

    def _text(self, template: str) -> str:
        pieces = _INSIDE.split(template)
        values: list[Expression] = [call("built.url_setting", literal(name)) for name in pieces[1::2]]
        return code(interpolation(pieces[::2], values)) if values else code(literal(template))

    def _header(self, key: str, value: str) -> list[Statement]:
        header = key.removesuffix("?")
        target = f"headers[{code(literal(header))}]"
        hole = _HOLE.fullmatch(value)
        if hole is None:
            return [f"{target} = {self._text(value)}"]
        found: Expression = call("built.setting", literal(hole[1]))
        shown: Expression = name("value")
        for used in filter(None, hole[2].split("|")):
            shown = call(self.imports.function(self.filters[used].writes), shown)
        test = f"if (value := {code(found)}) is not None and value != ():"
        return [(test, [f"{target} = str({code(shown)})" if not hole[2] else f"{target} = {code(shown)}"])]

    def _auth(self) -> list[Statement]:
        """The first credential that is given; when none is, the first one's placeholder."""
        out: list[Statement] = []
        word = "if"
        for auth in self.transport.auth:
            name = _INSIDE.findall(auth.value)[0]
            test = f"{word} built.setting({code(literal(name))}) is not None:"
            out.append((test, [f"headers[{code(literal(auth.header))}] = {self._text(auth.value)}"]))
            word = "elif"
        if self.transport.auth:
            first = self.transport.auth[0]
            pieces = _INSIDE.split(first.value)
            placeholder = f"${first.env or pieces[1].upper()}".join(pieces[::2])
            out.append(("else:", [f"headers[{code(literal(first.header))}] = {code(literal(placeholder))}"]))
        return out
