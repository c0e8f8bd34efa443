"""Input files of the trial commands: one JSON or YAML document, or JSON lines; `-` is standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from .generated import TrialError, load_request
from .json_values import is_object

STDIN = "-"


def request_from(file: str) -> Any:
    """Load a neutral request from a YAML or JSON file. Raises TrialError with every problem and its place."""
    if file != STDIN:
        return load_request(file)
    text = sys.stdin.read()
    with TemporaryDirectory() as folder:
        # a file, so that problems have their lines; JSON begins with its brace
        path = Path(folder) / ("request.json" if text.lstrip().startswith("{") else "request.yaml")
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return load_request(str(path))
        except TrialError as error:
            raise TrialError(str(error).replace(str(path), "standard input")) from error


def body_from(file: str) -> tuple[Mapping[str, Any], str | None]:
    """Load a wire body and the URL it was sent to, if known.

    The file holds the body itself, or an object whose keys `body` and `url` hold both.
    """
    name, text = ("standard input", sys.stdin.read()) if file == STDIN else (file, _text(file))
    value = parse_json(text, name)
    if not is_object(value):
        raise TrialError(f"{name}: a body is a JSON object")
    inner, url = value.get("body"), value.get("url")
    if is_object(inner) and isinstance(url, str):
        return inner, url
    return value, None


def lines_from(file: str) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, blank ones too."""
    try:
        with _open(file) as stream:
            yield from enumerate(stream, start=1)
    except OSError as error:
        raise TrialError(f"{file}: {error.strerror}") from error


def parse_json(text: str | bytes, where: str) -> Any:
    """Parse JSON text. Raises TrialError that names the place."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f":{error.lineno}:{error.colno}" if error.lineno > 1 else f", column {error.colno}"
        raise TrialError(f"{where}{place}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise TrialError(f"{where}: not JSON: {error}") from error


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise TrialError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TrialError(f"{file}: not UTF-8: {error}") from error


def _open(file: str) -> IO[bytes]:
    return sys.stdin.buffer if file == STDIN else Path(file).open("rb")
