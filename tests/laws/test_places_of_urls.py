"""Law: whatever stands in the holes of a URL, clients send it to the host and path that the spec says."""

from __future__ import annotations

import posixpath
import re
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import Continuation, Options, PromptwireError, Request, user
from tests.laws.strategies import law
from tests.laws.traces import module

HOLE = re.compile(r"\$\{([a-z_.]+)(?:\|[a-z_]+)*\}")
PIECES = (
    ".",
    "..",
    "%2e",
    "%2E",
    "%252e",
    "/",
    "%2f",
    "\\",
    "%5c",
    ";",
    "?",
    "#",
    "@",
    ":",
    "a",
    "%",
    "&",
    " ",
    "\n",
    "é",
)
ODD = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
CONVERSATION = "continuation.conversation"
FORMS = [(wire, form) for wire in promptwire.WIRES for form in range(len(module(wire).WIRE.urls))]


def settings_of_form(wire: Any, form: int, data: st.DataObject) -> tuple[dict[str, str], str]:
    """Draw settings with which a form is written, some of its holes odd, and a model."""
    text, _, conditions = wire.urls[form]
    settings = {name: values[0] for name, values in conditions.items()}
    plain = {"base_url": "https://gate.example/v1", "endpoint": "https://gate.example/v1"}
    for name in sorted({*HOLE.findall(text)} - {*settings, "model", CONVERSATION}):
        if not wire.settings[name].choices:
            odd = plain.get(name) or data.draw(ODD | st.just("plain"), name)
            settings[name] = odd
    return settings, data.draw(ODD | st.just("m"), "model") if "${model" in text else "m"


def spec_pattern(text: str) -> str:
    """Return the pattern of a URL of this form: a hole is one segment, or as many as its filter lets through."""
    pieces = re.split(r"\$\{[a-z_.]+((?:\|[a-z_]+)*)\}", text)
    holes = ["https://gate.example/v1" if index == 1 and not pieces[0] else
             "[^?#]+" if pieces[index].endswith("path") else "[^/?#]+" for index in range(1, len(pieces), 2)]  # fmt: skip
    texts = [re.escape(piece) for piece in pieces[::2]]
    return "".join(piece for pair in zip(texts, [*holes, ""], strict=True) for piece in pair)


@pytest.mark.parametrize(("wire", "form"), FORMS)
@law(60)
def test_a_url_leads_where_its_spec_says(wire: str, form: int, data: st.DataObject) -> None:
    facts = module(wire).WIRE
    text, stream, _ = facts.urls[form]
    settings, model = settings_of_form(facts, form, data)
    known = data.draw(ODD | st.just("c"), CONVERSATION) if CONVERSATION in HOLE.findall(text) else None
    continued = None if known is None else Continuation(conversation=known)
    request = Request(
        model, (user("hi"),), stream=stream, options=Options(max_tokens=8), continuation=continued
    )
    named = [*HOLE.findall(text), "model"]
    try:
        url = module(wire).build(request, settings=settings, policies="lenient").url
    except PromptwireError as error:
        if any(f": {name} " in str(error) for name in named):
            return
        raise
    pattern = spec_pattern(text)
    sent = str(httpx.URL(url))
    assert re.fullmatch(pattern, sent), (pattern, sent)
    path = unquote(unquote(urlsplit(sent).path)).replace("\\", "/")
    assert posixpath.normpath(path).strip("/") == re.sub("/+", "/", path).strip("/")
    assert urlsplit(sent).netloc == httpx.URL(url).netloc.decode()
