"""A URL that is read can be built again, or is reported as not one of the wire's; any URL may be given."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import promptwire
from promptwire import Reading
from promptwire.errors import MissingField, SettingError
from tests.laws.strategies import example_bodies
from tests.laws.test_spellings import choices, url_of
from tests.laws.traces import module
from tests.searching import TESTED_WIRES

ODD = (
    "\n",
    "\r\n",
    "\x00",
    "\x7f",
    "\t",
    " ",
    "\ud800",
    "é",
    "#x",
    "?",
    "&",
    "%",
    "%0a",
    "\\",
    "@",
    "//",
    "..",
)


def urls(wire: str) -> Iterator[str]:
    """Every URL of a wire with something odd at its start, inside its host, its path and its query, and at its end."""
    for settings in choices(wire):
        url = url_of(wire, "m", settings)
        for odd in ODD if url is not None else ():
            assert url is not None
            host, slash, path = url.partition("/v1")
            yield from (odd + url, url[:12] + odd + url[12:], url + odd, f"{host}{odd}{slash}{path}")
            yield from (f"{url}{'&' if '?' in url else '?'}a={odd}", url.replace("://", f"://{odd}"))


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_what_a_url_says_is_taken_by_a_build(wire: str) -> None:
    body = example_bodies(wire)[0]
    for url in urls(wire):
        reading: Reading = module(wire).read(body, url)
        built = module(wire).build(reading.request, policies="verbatim", settings=reading.settings or None)
        trouble: str | None = None
        try:
            assert built.url
        except MissingField:
            continue
        except SettingError as error:
            trouble = None if error.missing else str(error)
        assert trouble is None, (url, reading.settings)


def test_what_no_build_takes_is_left_out_with_a_note() -> None:
    body = example_bodies("openai_chat")[0]
    reading = promptwire.openai_chat.read(body, "https://host.example/v1/chat/completions?a=1\n")
    assert reading.settings == {}
    assert [str(note) for note in reading.notes if note.field == "url"] == [
        "dropped url: a build takes no settings such as it shows: they are left out"
    ]
