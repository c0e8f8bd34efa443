"""One request as a wire would get it, credentials always as placeholders."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, cast

from .generated import Built, ReplayError, WireModule, own_errors, wire_module, with_toolkits
from .inputs import Loaded


def build_one(wire: str, request: Any, *, settings: Sequence[str] = (), policies: str = "strict") -> Built:
    """Build a request on a wire; settings are `name=value` texts.

    Raises ReplayError for unknown wires, settings and policies, and for requests that the wire cannot carry.
    """
    module = wire_module(wire)
    with own_errors():
        return module.build(request, settings=public_settings(module, settings), policies=policies)


class Seen(NamedTuple):
    """A request as it is for one wire, what was noted until then, and what else is to be shown below."""

    request: Any
    notes: Sequence[Any] = ()
    below: str = ""


def seen_by(wires: Sequence[str], loaded: Loaded, model: str | None = None) -> dict[str, Seen]:
    """Give what was loaded as it is for each wire: toolkits show what that can take, and a table of what it costs.

    `model` is a name instead of the request's own. Raises ReplayError for unknown wires, and for toolkits that fail.
    """
    request = loaded.request if model is None else replace(loaded.request, model=model)
    if loaded.toolkits is None:
        return dict.fromkeys(wires, Seen(request, loaded.notes))
    rows = {name: with_toolkits(loaded.toolkits, request, name) for name in wires}
    return {
        name: Seen(own, (*loaded.notes, *notes), f"\n\n{table}") for name, (own, notes, table) in rows.items()
    }


def build_each(
    requests: Mapping[str, Seen], *, settings: Sequence[str] = (), policies: str = "strict"
) -> dict[str, Built]:
    """Build a request on several wires, each with those of the settings that it has: name -> what was built.

    Args:
        requests: the name of each wire to its request.
        settings: `name=value` texts; one that no wire has is an error.
        policies: as `build` takes them.

    Raises:
        ReplayError: as `build_one`.
    """
    alone = len(requests) == 1
    known = {name: wire_module(name).WIRE.settings for name in requests}
    for text in settings:
        if not alone and not any(text.partition("=")[0] in names for names in known.values()):
            raise ReplayError(f'"{text}" is a setting of none of {", ".join(requests)}')
    return {
        name: build_one(
            name,
            seen.request,
            settings=[text for text in settings if alone or text.partition("=")[0] in known[name]],
            policies=policies,
        )
        for name, seen in requests.items()
    }


def public_settings(module: WireModule, settings: Sequence[str]) -> dict[str, Any] | None:
    """Turn `name=value` texts into the settings of a build.

    Credentials among them are left out, so that placeholders stand in their place. Raises ReplayError for other texts.
    """
    values = _parse(settings, module.WIRE.settings)
    return {name: value for name, value in values.items() if name not in module.WIRE.secrets} or None


def as_text(built: Built, before: Sequence[Any] = ()) -> str:
    """Show method, URL, headers, body and notes; of a local runtime, the last two; `before` are earlier notes."""
    notes = [*before, *built.notes]
    if built.local:
        return "\n".join([pretty(built.body), *notes_below(notes)])
    with _sending(built):
        head = [
            f"{built.method} {built.shown_url}",
            *(f"{name}: {value}" for name, value in built.shown_headers.items()),
        ]
        if built.signing is not None:
            head.append(
                "signed by the caller: "
                + ", ".join(f"{header} {text}" for header, text in _signing(built).items())
            )
        return "\n".join([*head, "", pretty(built.body), *notes_below(notes)])


def as_object(built: Built, before: Sequence[Any] = ()) -> dict[str, Any]:
    """Give the same as plain JSON: method, url, headers, body, notes; signing where the caller must sign."""
    if built.local:
        return {"body": built.body, "notes": note_rows([*before, *built.notes])}
    with _sending(built):
        return {
            "method": built.method,
            "url": built.shown_url,
            "headers": built.shown_headers,
            **({"signing": _signing(built)} if built.signing is not None else {}),
            "body": built.body,
            "notes": note_rows([*before, *built.notes]),
        }


def _signing(built: Built) -> dict[str, str]:
    return {name: getattr(built.signing, name) for name in ("scheme", "service", "region")}


def as_notes(built: Built, before: Sequence[Any] = ()) -> str:
    """Give the notes, one a line."""
    return "\n".join(map(str, [*before, *built.notes])) or "no notes"


def as_curl(built: Built, before: Sequence[Any] = ()) -> str:
    """Give the request as a curl command; notes have no place there."""
    del before
    with _sending(built):
        return built.curl()


@contextmanager
def _sending(built: Built) -> Generator[None]:
    """Look at where a request goes; a setting that is missing is named as the command line takes it."""
    try:
        with own_errors():
            yield
    except ReplayError as error:
        missing = getattr(error.__cause__, "missing", None)
        if missing is None:
            raise
        raise ReplayError(
            f"{built.wire.name}: the URL needs the setting {missing}: --setting {missing}=..."
        ) from error


def oddities(reading: Any) -> list[str]:
    """Return the deviations and problems of a reading, a line each."""
    return [
        *[f"  deviation: {note}" for note in reading.deviations],
        *[f"  problem: {note}" for note in reading.problems],
    ]


def note_rows(notes: Sequence[Any]) -> list[dict[str, str]]:
    """Give notes as plain JSON: action, path, field, why."""
    return [{name: getattr(note, name) for name in ("action", "path", "field", "why")} for note in notes]


def notes_below(notes: Sequence[Any]) -> list[str]:
    """Give the lines that list notes below a body; none where there are no notes."""
    return ["", "notes:", *(f"  {note}" for note in notes)] if notes else []


def pretty(value: Any) -> str:
    """Write JSON for reading."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    raise ReplayError(f"the body holds a {type(value).__name__}, which is not JSON")


def _parse(settings: Sequence[str], settings_of: Mapping[str, Any]) -> dict[str, Any]:
    """Turn `name=value` texts into settings; a repeated name, or a setting that is a list, gives a list."""
    values: dict[str, list[str]] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ReplayError(f'"{text}" is not a setting: write name=value')
        values.setdefault(name, []).append(value)
    listed = {name for name, setting in settings_of.items() if setting.listed}
    return {name: texts if name in listed or len(texts) > 1 else texts[0] for name, texts in values.items()}
