"""Reading a URL: which form of its wire it has, and what it says of model, stream flag and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .built import start
from .errors import PromptwireError
from .policies import VERBATIM
from .request import Request
from .wire import Wire

_HOLE = re.compile(r"\$\{([a-z_][a-z0-9_]*)((?:\|[a-z_]+)*)\}")
_ADDRESS, _SEGMENT, _VALUE = "[^?#]+", "[^/?#]+", "[^&#]+"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a URL says: the model, whether it streams, and the settings that differ from their defaults.

    exact  whether a build with these writes the very same URL
    """

    model: str | None
    stream: bool | None
    settings: Mapping[str, Any]
    exact: bool


def read_url(wire: Wire, url: str, model: str | None = None) -> Shown | None:
    """Match a URL against all forms of a wire; None when it has none of them. `model` is the one of the body.

    The best match builds the same URL again; else it is the one that leaves out the fewest parameters, then the one
    with the least text that no default explains.
    """
    best: tuple[tuple[bool, int, int], Shown] | None = None
    for text, stream, conditions in wire.urls:
        found = _Form(wire, text).match(url)
        if found is None:
            continue
        settings = _settled(wire, found.values, conditions)
        if settings is None:
            continue
        said = found.values.get("model")
        shown = Shown(said, stream or None, settings, _builds(wire, url, model or said, stream, settings))
        rank = (not shown.exact, found.ignored, found.free)
        if best is None or rank < best[0]:
            best = (rank, shown)
    return None if best is None else best[1]


def _settled(
    wire: Wire, values: Mapping[str, Any], conditions: Mapping[str, tuple[str, ...]]
) -> dict[str, Any] | None:
    """Combine what the text and the conditions of a form say; None where they exclude each other."""
    found = {name: value for name, value in values.items() if name != "model"}
    for name, choices in conditions.items():
        default = wire.settings[name].default
        value = found.get(name, default if default in choices else choices[0])
        if value not in choices:
            return None
        found[name] = value
    return {name: value for name, value in found.items() if value != wire.settings[name].default}


def _builds(wire: Wire, url: str, model: str | None, stream: bool | None, settings: dict[str, Any]) -> bool:
    """Tell whether a build with these values writes this URL."""
    built = start(wire, Request(model, stream=stream))
    try:
        built.configure(settings or None, VERBATIM)
        again = built.url
    except PromptwireError:
        return False
    return again == url


@dataclass(frozen=True, slots=True)
class _Match:
    """The values of a form's holes; how many parameters it does not know, and how much text no default explains."""

    values: Mapping[str, Any]
    ignored: int
    free: int


class _Form:
    """One form of the URL, taken backwards."""

    def __init__(self, wire: Wire, text: str) -> None:
        """Prepare to match `text` with its holes."""
        self.wire = wire
        self.text = text
        self.holes: list[tuple[str, str]] = []

    def match(self, url: str) -> _Match | None:
        """Match a whole URL, its parameters in any order."""
        address, _, query = self.text.partition("?")
        given, _, given_query = url.partition("?")
        found = re.fullmatch(self._pattern(address, _SEGMENT), given)
        if found is None:
            return None
        texts = list(found.groups())
        left = [parameter.partition("=") for parameter in given_query.split("&") if parameter]
        for parameter in filter(None, query.split("&")):
            key, equals, value = parameter.partition("=")
            pattern = re.compile(self._pattern(value, _VALUE))
            at = next(
                (i for i, row in enumerate(left) if row[:2] == (key, equals) and pattern.fullmatch(row[2])),
                None,
            )
            if at is None:
                return None
            matched = pattern.fullmatch(left.pop(at)[2])
            texts += matched.groups() if matched else ()
        return self._values(texts, len(left))

    def _pattern(self, text: str, value: str) -> str:
        """Write a pattern with one group a hole; a default is tried before any other text."""
        out: list[str] = []
        end = 0
        for found in _HOLE.finditer(text):
            out.append(re.escape(text[end : found.start()]))
            end = found.end()
            name, used = found[1], found[2]
            self.holes.append((name, used))
            several = value is _SEGMENT and (found.start() == 0 or used.endswith("|path"))
            out.append(f"({self._alternatives(name, used, _ADDRESS if several else value)})")
        return "".join(out) + re.escape(text[end:])

    def _alternatives(self, name: str, used: str, free: str) -> str:
        setting = self.wire.settings.get(name) if name != "model" and not used else None
        if setting is None:
            return free
        default = [setting.default] if type(setting.default) is str else []
        known = [*default, *(word for word in setting.choices if word not in default)]
        return "|".join([*map(re.escape, known), *(() if setting.choices else (free,))])

    def _values(self, texts: list[str], ignored: int) -> _Match | None:
        """Undo the filters; a name that stands in two places has one value."""
        values: dict[str, Any] = {}
        free = 0
        for (name, used), text in zip(self.holes, texts, strict=True):
            value: Any = text
            for read in self._readers(used):
                value = read(value)
            setting = self.wire.settings.get(name) if name != "model" else None
            if setting is not None and setting.listed and type(value) is str:
                value = tuple(value.split(","))
            if value is None or values.setdefault(name, value) != value:
                return None
            if setting is not None and setting.choices and value not in setting.choices:
                return None
            free += len(text) if setting is not None and value != setting.default else 0
        return _Match(values, ignored, free)

    def _readers(self, used: str) -> Iterator[Callable[[Any], Any]]:
        return (self.wire.url_filters[word] for word in reversed(used.split("|")) if word)
