"""Show one request as a wire would get it, with placeholders for credentials."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from promptwire_text.escaping import one_line

from .generated import CommandError, own_errors, wire_module, with_toolkits
from .inputs import Loaded

if TYPE_CHECKING:
    from promptwire_runtime import Api, Built


def build_one(
    wire: str, request: Any, *, settings: Sequence[str] = (), policies: str = "strict"
) -> Built[Any]:
    """Build a request on a wire; settings are `name=value` texts.

    Raises CommandError for unknown wires, settings and policies, and for requests that the wire cannot carry.
    """
    module = wire_module(wire)
    with own_errors():
        return module.build(request, settings=public_settings(module, settings), policies=policies)


class Seen(NamedTuple):
    """A request prepared for one wire, the notes so far, and text to show below it."""

    request: Any
    notes: Sequence[Any] = ()
    below: str = ""


def seen_by(wire: str, loaded: Loaded, model: str | None = None) -> Seen:
    """Apply the toolkits of a request for a wire; the text below is a table of their token costs.

    `model` overrides the request's own. Raises CommandError for an unknown wire, and for toolkits that fail.
    """
    request = loaded.request if model is None else replace(loaded.request, model=model)
    if loaded.toolkits is None:
        return Seen(request, loaded.notes)
    own, notes, table = with_toolkits(loaded.toolkits, request, wire)
    return Seen(own, (*loaded.notes, *notes), f"\n\n{table}")


def explain_one(wire: str, request: Any, *, settings: Sequence[str] = (), policies: str = "strict") -> Any:
    """Return where each value of a request goes on a wire. Raises CommandError as `build_one`."""
    module: Any = wire_module(wire)
    with own_errors():
        return module.explain(request, settings=public_settings(module, settings), policies=policies)


def settings_of_each(wires: Sequence[str], settings: Sequence[str]) -> dict[str, list[str]]:
    """Return for each wire the `name=value` texts that it has; a single wire gets all of them.

    Raises CommandError for an unknown wire, and for a setting that no wire has.
    """
    known = {name: wire_module(name).WIRE.settings for name in wires}
    if len(wires) == 1:
        return {wires[0]: list(settings)}
    for text in settings:
        if not any(text.partition("=")[0] in names for names in known.values()):
            raise CommandError(f'"{text}" is a setting of none of {", ".join(wires)}')
    return {name: [text for text in settings if text.partition("=")[0] in known[name]] for name in wires}


def public_settings(module: Api, settings: Sequence[str]) -> dict[str, Any] | None:
    """Parse `name=value` texts into the settings of a build.

    Credentials are left out, so that placeholders are shown. Raises CommandError for other texts.
    """
    values = parsed_settings(module, settings)
    return {name: value for name, value in values.items() if name not in module.WIRE.secrets} or None


def parsed_settings(module: Api, settings: Sequence[str], base_url: str | None = None) -> dict[str, Any]:
    """Parse `name=value` texts into settings; a repeated name, or a list setting, gives a list.

    Raises CommandError for a text of another form, and for a second address beside `base_url`.
    """
    values: dict[str, list[str]] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise CommandError(f'"{text}" is not a setting: write name=value')
        values.setdefault(name, []).append(value)
    if base_url is not None:
        if "base_url" in values:
            raise CommandError("--base-url and --setting base_url= both give the address; give one of them")
        values["base_url"] = [base_url]
    listed = {name for name, setting in module.WIRE.settings.items() if setting.listed}
    return {name: texts if name in listed or len(texts) > 1 else texts[0] for name, texts in values.items()}


def as_text(built: Built[Any], before: Sequence[Any] = ()) -> str:
    """Return method, URL, headers, body and notes, after the notes `before`; a local runtime has no URL and headers."""
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


def as_object(built: Built[Any], before: Sequence[Any] = ()) -> dict[str, Any]:
    """Return the same as plain JSON: method, url, headers, body, notes; `signing` if the caller must sign."""
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


def _signing(built: Built[Any]) -> dict[str, str]:
    return {name: getattr(built.signing, name) for name in ("scheme", "service", "region")}


def as_notes(built: Built[Any], before: Sequence[Any] = ()) -> str:
    """Return the notes, one a line."""
    return "\n".join([one_line(str(note)) for note in (*before, *built.notes)]) or "no notes"


def as_curl(built: Built[Any], before: Sequence[Any] = ()) -> str:
    """Return the request as a curl command, without notes."""
    del before
    with _sending(built):
        return built.curl()


@contextmanager
def _sending(built: Built[Any]) -> Generator[None]:
    """Access the address of a request; a missing setting is named as a command-line option."""
    try:
        with own_errors():
            yield
    except CommandError as error:
        missing = getattr(error.__cause__, "missing", None)
        if missing is None:
            raise
        raise CommandError(
            f"{built.wire.name}: the URL needs the setting {missing}: --setting {missing}=..."
        ) from error


def oddities(reading: Any) -> list[str]:
    """Return the deviations and the unread content of a reading, one a line."""
    return [
        *[f"  deviation: {note}" for note in reading.deviations],
        *[f"  unread: {note}" for note in reading.unread],
    ]


def note_rows(notes: Sequence[Any]) -> list[dict[str, str]]:
    """Return notes as plain JSON: action, path, field, why."""
    return [{name: getattr(note, name) for name in ("action", "path", "field", "why")} for note in notes]


def notes_below(notes: Sequence[Any]) -> list[str]:
    """Return the lines that list notes below a body; none if there are no notes."""
    return ["", "notes:", *(f"  {one_line(str(note))}" for note in notes)] if notes else []


def pretty(value: Any) -> str:
    """Format JSON for reading."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    raise CommandError(f"the body holds a {type(value).__name__}, which is not JSON")
