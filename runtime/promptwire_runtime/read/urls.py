"""Read a URL: its form, and the model, stream flag and settings that it states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..build.transport import Transport
from ..build.wire import Wire
from ..errors import PromptwireError, SettingError
from ..model.options import Continuation
from ..model.request import Request
from ..reporting.redaction import mark_query, without_user
from ..reporting.settings import settings_of

_HOLE = re.compile(r"\$\{([a-z_][a-z0-9_]*(?:\.[a-z]+)?)((?:\|[a-z_]+)*)\}")
_CONTINUED = "continuation."
# half of a pair of UTF-16, which no URL can hold
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_URLS = 256
# the port that a scheme means anyway, as some clients write it
_DEFAULT_PORT = re.compile(r"((?i:https)://[^/?#]*):443(?=[/?#]|$)|((?i:http)://[^/?#]*):80(?=[/?#]|$)")
# no credential is so short
_FLAGS = frozenset({"true", "false", "1", "0"})
_ADDRESS, _SEGMENT, _VALUE = "[^?#]+", "[^/?#]+", "[^&#]+"


@dataclass(frozen=True, slots=True)
class Shown:
    """The contents of a URL: the model, whether it streams, and the settings that differ from their defaults.

    refused       a build takes no such settings, so they are left out
    continuation  what the request continues
    """

    model: str | None
    stream: bool | None
    settings: Mapping[str, Any]
    refused: bool = False
    continuation: Continuation | None = None

    def request(self, model: str | None) -> Request:
        """Return a request for this URL; `model` is the one of the body."""
        return Request(model or self.model, stream=self.stream, continuation=self.continuation)


def read_url(wire: Wire, url: str, model: str | None = None) -> Shown | None:
    """Match a URL against all forms of a wire; None when it has none of them. `model` is the one of the body.

    The default port of the scheme is left out. The best match builds the same URL again; else it is the one with the
    fewest parameters too many or too few, then the one with the least text that no default explains.
    """
    if not url.isascii() and _SURROGATE.search(url):
        return None
    if "@" in url or ("?" in url and _holds_unknown(wire, url)):
        # other parameters and a user may be credentials, which nothing remembers
        return _match(wire, url, model)
    known: dict[tuple[str, str | None], Shown | None] = wire.urls_read
    key = (url, model)
    if key not in known:
        if len(known) >= _MOST_URLS:
            known.clear()
        known[key] = _match(wire, url, model)
    return known[key]


def repeats_held(wire: Wire, shown: Shown | None, fields: Mapping[str, Any]) -> bool:
    """Return whether a URL continues a conversation, and its body repeats what a build leaves to the server."""
    if shown is None or shown.continuation is None or wire.state is None:
        return False
    vendor: Mapping[str, Mapping[str, Any]] = fields.get("vendor") or {}
    options = {f"vendor.{name}" for name in vendor.get(wire.name, ())}
    given = options.union(key for key in fields if fields[key] is not None)
    return not given.isdisjoint(wire.state.omits)


def _holds_unknown(wire: Wire, url: str) -> bool:
    """Return whether a URL has parameters, flags aside, that no form of the wire names, or names as a credential."""
    parameters = [word.partition("=") for word in url.partition("#")[0].partition("?")[2].split("&")]
    keys = {key for key, _, value in parameters if value not in _FLAGS}
    return not any(form_of(wire, text).open.issuperset(keys) for text, _, _ in wire.urls)


def _match(wire: Wire, url: str, model: str | None) -> Shown | None:
    matches: list[tuple[UrlMatch, Shown]] = []
    # a fragment is never sent
    url = _DEFAULT_PORT.sub(r"\1\2", without_user(url.partition("#")[0]), count=1)
    for text, stream, conditions in wire.urls:
        match = form_of(wire, text).match(url)
        settings = None if match is None else _combine(wire, match.values, conditions)
        if match is not None and settings is not None:
            named = {name[len(_CONTINUED) :]: value for name, value in match.values.items() if "." in name}
            continuation = Continuation(**named, wire=wire.name) if named else None
            shown = Shown(match.values.get("model"), stream or None, settings, continuation=continuation)
            matches.append((match, shown))
    matches.sort(key=lambda row: (row[0].apart, row[0].free))
    if len(matches) > 1:
        for _, shown in matches:
            if _builds(wire, url, model, shown):
                return shown
    best = matches[0][1] if matches else None
    if best is None or _takes(wire, model, best):
        return best
    return Shown(best.model, best.stream, {}, refused=True, continuation=best.continuation)


def _combine(
    wire: Wire, values: Mapping[str, Any], conditions: Mapping[str, tuple[str, ...]]
) -> dict[str, Any] | None:
    """Combine the values of a form's text and its conditions. Return None if they exclude each other."""
    # a credential is never repeated
    hidden = settings_of(values, wire.secrets).variables()
    settled = {
        name: value
        for name, value in values.items()
        if not (name == "model" or "." in name or name in hidden)
    }
    for name, choices in conditions.items():
        default = wire.settings[name].default
        value = settled.get(name, default if default in choices else choices[0])
        if value not in choices:
            return None
        settled[name] = value
    return {name: value for name, value in settled.items() if value != wire.settings[name].default}


def _takes(wire: Wire, model: str | None, shown: Shown) -> bool:
    """Return whether a build accepts these settings; one that the URL does not show may be missing."""
    if not shown.settings:
        return True
    try:
        Transport(wire, wire.take_settings(shown.settings), shown.request(model)).sent()
    except SettingError as error:
        return error.missing is not None
    except PromptwireError:
        return True
    return True


def _builds(wire: Wire, url: str, model: str | None, shown: Shown) -> bool:
    """Return whether a build with these values writes this URL."""
    try:
        settings = wire.take_settings(shown.settings) if shown.settings else None
        again = Transport(wire, settings, shown.request(model)).sent().url
    except PromptwireError:
        return False
    return again == url


@dataclass(frozen=True, slots=True)
class UrlMatch:
    """The values of a form's holes; how many parameters only one side has, and how much text no default explains."""

    values: Mapping[str, Any]
    apart: int
    free: int


class UrlForm:
    """One form of the URL, taken backwards."""

    def __init__(self, wire: Wire, text: str) -> None:
        """Prepare to match `text` with its holes: its path, and each parameter by key and equals sign."""
        self.wire = wire
        self.holes: list[tuple[str, str]] = []
        address, _, query = text.partition("?")
        self.path = re.compile(self._pattern(address, _SEGMENT))
        words = [word.partition("=") for word in query.split("&") if word]
        self.parameters = [
            ((key, equals), re.compile(self._pattern(value, _VALUE))) for key, equals, value in words
        ]
        # the keys of parameters that are not credentials
        self.open = {
            key
            for key, _, value in words
            if wire.secrets.keys().isdisjoint([hole[1] for hole in _HOLE.finditer(value)])
        }

    def match(self, url: str) -> UrlMatch | None:
        """Match a whole URL, its parameters in any order, some of them missing or unknown."""
        path, _, query = url.partition("?")
        groups = self.path.fullmatch(path)
        if groups is None:
            return None
        texts: list[str | None] = list(groups.groups())
        apart = 0
        left = [parameter.partition("=") for parameter in query.split("&") if parameter]
        for key, pattern in self.parameters:
            at = next((i for i, row in enumerate(left) if row[:2] == key and pattern.fullmatch(row[2])), None)
            matched = None if at is None else pattern.fullmatch(left.pop(at)[2])
            apart += matched is None
            texts += [None] * pattern.groups if matched is None else matched.groups()
        own = {key for (key, _), _ in self.parameters}
        return self._values(texts, apart + len(left), [row for row in left if row[0] not in own])

    def _pattern(self, text: str, value: str) -> str:
        """Write a pattern with one group a hole; a default is tried before any other text."""
        pieces: list[str] = []
        end = 0
        for hole in _HOLE.finditer(text):
            pieces.append(re.escape(text[end : hole.start()]))
            end = hole.end()
            name, used = hole[1], hole[2]
            self.holes.append((name, used))
            several = value is _SEGMENT and (hole.start() == 0 or used.endswith("|path"))
            pieces.append(f"({self._alternatives(name, used, _ADDRESS if several else value)})")
        return "".join(pieces) + re.escape(text[end:])

    def _alternatives(self, name: str, used: str, free: str) -> str:
        setting = self.wire.settings.get(name) if name != "model" and not used else None
        if setting is None:
            return free
        default = [setting.default] if type(setting.default) is str else []
        known = [*default, *(word for word in setting.choices if word not in default)]
        return "|".join([*map(re.escape, known), *(() if setting.choices else (free,))])

    def _values(
        self, texts: list[str | None], apart: int, left: list[tuple[str, str, str]]
    ) -> UrlMatch | None:
        """Undo the filters; a name in two places has one value. The rest is the caller's own query."""
        values: dict[str, Any] = {}
        own = [parameter for parameter in map("".join, left) if "\0" not in mark_query(parameter)]
        if own and "query" in self.wire.settings:
            values["query"] = "&".join(own)
        free = 0
        for (name, used), text in zip(self.holes, texts, strict=True):
            if text is None:
                continue
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
        return UrlMatch(values, apart, free)

    def _readers(self, used: str) -> Iterator[Callable[[Any], Any]]:
        return (self.wire.url_filters[word] for word in reversed(used.split("|")) if word)


def form_of(wire: Wire, text: str) -> UrlForm:
    """Prepare each form of a wire once."""
    form = wire.forms.get(text)
    if form is None:
        form = wire.forms[text] = UrlForm(wire, text)
    return form
