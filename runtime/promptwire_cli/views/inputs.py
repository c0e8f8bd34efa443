"""Read input files: one JSON or YAML document, or JSON lines; `-` is standard input."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from promptwire_text.files import MOST_BYTES, open_file, read_file
from promptwire_text.strict_json import StrictJson

from .generated import (
    CommandError,
    check_json,
    compose_call,
    delivery_of,
    load_case,
    load_request,
    load_with_toolkits,
    unknown_wire,
)
from .json_values import is_object


@dataclass(frozen=True, slots=True)
class Wires:
    """Maps rows to wires.

    Attributes:
        names: The existing wires.
        aliases: Recorded name -> wire.
        forced: The mapping that the caller asked for, which takes precedence; the key `*` matches every row.
    """

    names: Sequence[str]
    aliases: Mapping[str, str]
    forced: Mapping[str, str]

    def find_wire(self, api: str | None, wire: str | None) -> str | None:
        """Return the wire of a row: the first known one of its `api/wire`, its `api` and its `wire`.

        A prefix of the API's name that ends with a colon (`other:vllm`) is optional.
        """
        wires = {name: name for name in self.names} | dict(self.aliases)
        apis = [api, api.rpartition(":")[2]] if api else []
        recorded = [*(f"{name}/{wire}" for name in apis if wire), *apis, *([wire] if wire else [])]
        for table in (self.forced, wires):
            for name in recorded:
                if name in table:
                    return table[name]
            if "*" in table:
                return table["*"]
        return wire


def choose_wires(names: Sequence[str], forced: Sequence[str], aliases: Mapping[str, str]) -> Wires:
    """Combine known aliases with the given ones: `WIRE` for every row, `RECORDED=WIRE` for some.

    Raises CommandError for an unknown wire.
    """
    asked: dict[str, str] = {}
    for text in forced:
        recorded, _, wire = text.rpartition("=")
        if wire not in names:
            raise CommandError(unknown_wire(wire, names))
        asked[recorded or "*"] = wire
    return Wires(names, aliases, asked)


STDIN = "-"
_STDIN_NAME = "standard input"
# keys allowed beside those of a request
_TOOLKITS = frozenset({"toolkits", "collapsing"})
# a list, or an object with a quoted first key or none; `{model: m}` is YAML
_JSON = re.compile(r'\s*(\[|\{\s*("|\}|\Z))')


@dataclass(frozen=True, slots=True)
class Loaded:
    """A neutral request, its toolkits, and the notes from converting an evaluation case."""

    request: Any
    notes: Sequence[Any] = ()
    toolkits: Any = None


def request_from(
    file: str,
    *,
    case: str | None = None,
    root: str | None = None,
    channel: str | None = None,
    wires: Sequence[str] = (),
) -> Loaded:
    """Load a neutral request, an evaluation case, or the call of an agent, from a YAML or JSON file.

    A file with the key `input_messages` or `cases` is a case; then `case` selects one by its id, `root` is the folder
    of its files, and `channel` is `structured` or `transcript`; by default it is what the `wires` take. A file with the
    keys `context` and `request` is a call.
    Raises CommandError with every problem and its place.
    """
    text = _text(file) if file == STDIN else None
    keys = _keys_of(text_of(file) if text is None else text)
    if "input_messages" in keys or ("cases" in keys and "messages" not in keys):
        source = _as_document(text) if text is not None else file
        loaded = load_case(
            source, id=case, root=root, channel=channel or delivery_of(wires), name=_STDIN_NAME
        )
        return Loaded(loaded.request, loaded.notes)
    if (case, root, channel) != (None, None, None):
        raise CommandError(
            "--case, --root and --channel are for evaluation cases: files with input_messages or cases"
        )
    if {"context", "request"} <= keys:
        composed = compose_call(_as_document(text) if text is not None else file, name=_STDIN_NAME)
        return Loaded(composed.request, composed.notes)
    beside = not _TOOLKITS.isdisjoint(keys)
    return _loaded(file, beside) if text is None else _loaded_from_text(text, beside)


def _loaded(path: str, beside: bool) -> Loaded:
    """Load a request; with `beside`, the file also has toolkits."""
    if not beside:
        return Loaded(load_request(path))
    request, toolkits = load_with_toolkits(path)
    return Loaded(request, toolkits=toolkits)


def _loaded_from_text(text: str, beside: bool) -> Loaded:
    with TemporaryDirectory() as folder:
        # pass a file, so that problems have line numbers
        path = Path(folder) / ("request.json" if _JSON.match(text) else "request.yaml")
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return _loaded(str(path), beside)
        except CommandError as error:
            raise CommandError(str(error).replace(str(path), _STDIN_NAME)) from error


def _as_document(text: str) -> str:
    """Append a line break, so that the text is not taken for a path."""
    return text if text.endswith("\n") else f"{text}\n"


def _keys_of(text: str) -> set[str]:
    """Return the top-level keys of a text; none if it cannot be read."""
    try:
        return set(map(str, json.loads(text))) if _JSON.match(text) else set(_first_keys(text))
    except (ValueError, RecursionError):
        return set()


def _first_keys(text: str) -> set[str]:
    """Return the top-level keys of a YAML text from its events, without expanding aliases."""
    import yaml

    from promptwire_text.composing import yaml_loader

    depth = nodes = 0
    keys: set[str] = set()
    try:
        for event in yaml.parse(text, Loader=yaml_loader()):
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.NodeEvent):
                if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                    break
                if depth == 1:
                    if nodes % 2 == 0 and isinstance(event, yaml.ScalarEvent):
                        keys.add(event.value)
                    nodes += 1
                depth += isinstance(event, yaml.CollectionStartEvent)
    except yaml.YAMLError:
        return keys
    return keys


def text_of(file: str) -> str:
    """Return the text of a file; None if it cannot be read, which the loader reports."""
    try:
        return read_file(file).decode("utf-8-sig")
    except (OSError, ValueError):
        return ""


def body_in(raw: bytes, name: str) -> tuple[Mapping[str, Any], str | None]:
    """Parse a wire body and the URL that it was sent to, if known; `name` is that of the file.

    The file holds the body itself, or an object with the keys `body` and `url`.
    """
    value = parse_json(_decoded(raw, name), name)
    if not is_object(value):
        raise CommandError(f"{name}: a body is a JSON object")
    body, url = value.get("body"), value.get("url")
    if is_object(body) and isinstance(url, str):
        return body, url
    return value, None


def name_of(file: str) -> str:
    """Return the name of a file for errors."""
    return _STDIN_NAME if file == STDIN else file


def bytes_from(file: str) -> bytes:
    """Read a file or standard input."""
    try:
        raw = sys.stdin.buffer.read(MOST_BYTES + 1) if file == STDIN else read_file(file)
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    if len(raw) > MOST_BYTES:
        raise CommandError(f"{_STDIN_NAME}: it is larger than {MOST_BYTES:,} bytes")
    return raw


def lines_from(file: str) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, including blank ones."""
    try:
        with _open(file) as stream:
            lines = iter(partial(stream.readline, MOST_BYTES + 1), b"")
            for number, line in enumerate(lines, start=1):
                if len(line) > MOST_BYTES:
                    raise CommandError(f"{file}:{number}: a line is larger than {MOST_BYTES:,} bytes")
                yield number, line
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error


def parse_json(text: str | bytes, file: str, line: int = 1) -> Any:
    """Parse JSON text that begins at a line of a file. Raises CommandError that names the place.

    Duplicate keys are errors too, because only the last value would be used.
    """
    strict = StrictJson()
    try:
        value = strict.decode(text)
    except json.JSONDecodeError as error:
        place = f"{file}:{line + error.lineno - 1}:{error.colno}"
        raise CommandError(f"{place}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{file}:{line}: not JSON: {error}") from error
    if strict.odd:
        check_json(text if isinstance(text, str) else text.decode(json.detect_encoding(text)), file, line)
    return value


def _text(file: str) -> str:
    return _decoded(bytes_from(file), name_of(file))


def _decoded(raw: bytes, name: str) -> str:
    """Decode UTF-8, regardless of the locale."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{name}: not UTF-8: {error}") from error


def _open(file: str) -> IO[bytes]:
    return sys.stdin.buffer if file == STDIN else open_file(file)
