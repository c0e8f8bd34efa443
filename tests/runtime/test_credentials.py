"""No credential is seen: not in a URL, command, repr, error or pickle, wherever it came from and whatever its name."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import promptwire
from promptwire import Built, Options, PromptwireError, Request, openai_chat, user
from promptwire.errors import SettingError
from tests.internals.runtime import Sent, is_credential, settings_of
from tests.laws.specimens import base

SECRET = "s3cret-pa55"
REQUEST = Request("m", (user("hi"),), options=Options(max_tokens=8))
NAMES = Path(__file__).parents[1] / "cases" / "names"
CREDENTIALS = (NAMES / "credentials.txt").read_text(encoding="utf-8").split()
HARMLESS = (NAMES / "harmless.txt").read_text(encoding="utf-8").split()


def test_a_name_speaks_of_a_credential_or_not() -> None:
    assert [name for name in CREDENTIALS if not is_credential(name)] == []
    assert [name for name in HARMLESS if is_credential(name)] == []


parts = st.sampled_from(["x", "my", "hf", "azure", "functions", "db", "prod", "2", "v1"])
secret_parts = st.sampled_from(
    ["key", "token", "secret", "password", "pwd", "assertion", "sig", "credential", "auth"]
)
spelled = st.sampled_from([str.lower, str.upper, str.title])


@given(before=st.lists(parts), part=secret_parts, separator=st.sampled_from("-_. "), spell=spelled)
def test_whatever_stands_around_such_a_part(before: list[str], part: str, separator: str, spell: Any) -> None:
    assert is_credential(separator.join([*map(spell, before), spell(part)]))
    assert is_credential("".join([*map(str.title, before), part.title()]))


def seen(built: Built[Any]) -> str:
    """Return all that a caller may print, log or store of a build."""
    said = [repr(built), repr(built.report), repr(built.settings), str(built.settings), repr(built.notes)]
    try:
        said += [built.shown_url, repr(built.shown_headers), built.curl(), repr(built.transport.sent())]
        said.append(repr(pickle.dumps(built.transport.sent())))
    except PromptwireError as error:
        said += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]
    return " ".join(
        [
            *said,
            repr(pickle.dumps(built)),
            repr(pickle.dumps(built.report)),
            repr(pickle.dumps(built.settings)),
        ]
    )


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_nothing_of_a_build_shows_its_credentials(wire: str) -> None:
    module = getattr(promptwire, wire)
    addresses = {
        "base_url": f"https://me:{SECRET}@h.example/v1",
        "endpoint": f"https://me:{SECRET}@h.example",
    }
    places = addresses | dict.fromkeys(("region", "project", "resource"), "x")
    known = module.WIRE.settings
    settings: dict[str, str] = {
        name: value for name, value in places.items() if name in known and not known[name].choices
    }
    settings |= dict.fromkeys(module.WIRE.secrets, SECRET)
    settings |= {"query": f"beta=1&x-functions-key={SECRET};sas={SECRET}"} if "query" in known else {}
    for name in ({}, *({key: "own"} for key in known if "own" in known[key].choices)):
        assert SECRET not in seen(module.build(base(wire), settings={**settings, **name}))


USERS = [f"me:{SECRET}@", f"{SECRET}@", f"me:{SECRET}@x@", f"me:{SECRET}/@", f"me:{SECRET}?@", f"me:{SECRET}#@", f"me:{SECRET}\\@"]  # fmt: skip


@pytest.mark.parametrize("user_part", USERS)
@pytest.mark.parametrize(
    "scheme", ["", "//", "https:", "https:/", "https://", "https:///", "ftp://", "://", "h ttp://"]
)
def test_no_error_shows_the_user_of_an_address(scheme: str, user_part: str) -> None:
    url = f"{scheme}{user_part}host.example/v1"
    built = openai_chat.build(REQUEST, settings={"base_url": url})
    # a name without a password, as in model@001, may be anything
    if scheme or ":" in user_part:
        assert SECRET not in seen(built)
    try:
        said = built.shown_url
    except SettingError as error:
        said = str(error)
    assert SECRET not in said


@pytest.mark.parametrize("scheme", ["", "//", "https:/", "https://", "https:///"])
@pytest.mark.parametrize("user_part", [f"me:{SECRET}@", f"{SECRET}@", f"me:{SECRET}@x@"])
def test_a_reading_does_not_repeat_the_user_of_an_address(scheme: str, user_part: str) -> None:
    body = openai_chat.build(REQUEST).body
    reading = openai_chat.read(
        body, f"{scheme}{user_part}host.example/v1/chat/completions#access_token={SECRET}"
    )
    assert SECRET not in repr(reading.settings) and SECRET not in str(dict(reading.settings)) + repr(
        reading.notes
    )


def test_a_reading_does_not_repeat_a_parameter() -> None:
    body = openai_chat.build(REQUEST).body
    address = "https://h.example/v1/chat/completions"
    for name in CREDENTIALS:
        reading = openai_chat.read(body, f"{address}?beta=1&{name}={SECRET}&x=1;{name}={SECRET}")
        assert dict(reading.settings) == {"base_url": "https://h.example/v1", "query": "beta=1"}, name


@pytest.mark.parametrize(
    ("wire", "name", "value", "shown"),
    [
        ("anthropic_bedrock", "endpoint", "https://me:s3cret@h.example/v1", "https://h.example/v1"),
        ("gemini_generate", "platform", "https://h.example?key=s3cret", "https://h.example?key=$KEY"),
        ("openai_chat", "base_url", "api_key=s3cret", "api_key=$API_KEY"),
    ],
)
def test_an_address_under_a_wrong_name_is_shown_without_its_credentials(
    wire: str, name: str, value: str, shown: str
) -> None:
    with pytest.raises(SettingError) as refused:
        _ = getattr(promptwire, wire).build(REQUEST, settings={name: value}).url
    assert shown in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_a_pickled_build_asks_for_its_credentials_again() -> None:
    settings = {
        "api_key": SECRET,
        "query": f"sig={SECRET}&beta=1",
        "base_url": f"https://me:{SECRET}@h.example",
    }
    built = openai_chat.build(REQUEST, settings=settings)
    again: Built[Any] = pickle.loads(pickle.dumps(built))  # noqa: S301  # our own
    assert again.headers["authorization"] == "Bearer $OPENAI_API_KEY"
    assert again.url == "https://h.example/chat/completions?sig=$SIG&beta=1"
    assert (again.body, again.request, again.notes) == (built.body, built.request, built.notes)
    assert (copy.deepcopy(built).url, copy.deepcopy(built).headers) == (built.url, built.headers)


def test_settings_are_what_was_given_and_are_shown_without_credentials() -> None:
    built = openai_chat.build(REQUEST, settings={"api_key": SECRET, "base_url": "https://h.example"})
    assert built.settings == {"api_key": SECRET, "base_url": "https://h.example"}
    assert repr(built.settings) == "{'api_key': '$OPENAI_API_KEY', 'base_url': 'https://h.example'}"
    assert (
        repr(settings_of({"hf_token": SECRET, "max_tokens": "7"}, {}))
        == "{'hf_token': '$HF_TOKEN', 'max_tokens': '7'}"
    )


def test_a_header_of_such_a_name_is_not_shown() -> None:
    for name in CREDENTIALS:
        sent = Sent("https://h.example", {name: SECRET, "x-tenant": "north"}, frozenset())
        assert SECRET not in repr(sent), name
        assert "north" in repr(sent), name
        assert SECRET not in repr(sent.marked().headers), name


# ---- headers


@pytest.mark.parametrize("value", ["ключ", "schlüssel", "sk-1\u2028", "sk-😀", " sk-1", "sk-1 ", "sk\ud800"])
def test_a_header_that_no_client_sends_is_refused_by_its_name(value: str) -> None:
    built = openai_chat.build(REQUEST, settings={"api_key": f"{value}"})
    if value == " sk-1":
        assert built.headers["authorization"] == "Bearer  sk-1"
        return
    with pytest.raises(
        SettingError, match=r"^openai_chat: the header authorization must be ASCII"
    ) as refused:
        _ = built.headers
    assert "sk" not in str(refused.value)


@pytest.mark.parametrize("value", ["a\n", "a\rb", "a\x00", "a\x7f", "a\x85b"])
def test_a_control_character_is_refused_when_it_is_given(value: str) -> None:
    with pytest.raises(SettingError, match="openai_chat: api_key has a control character"):
        openai_chat.build(REQUEST, settings={"api_key": value})


@given(value=st.text(min_size=1))
def test_what_a_header_holds_can_be_sent(value: str) -> None:
    try:
        headers = openai_chat.build(REQUEST, settings={"api_key": value, "organization": value}).headers
    except SettingError:
        return
    for text in headers.values():
        assert text == text.strip()
        assert all(32 <= ord(letter) < 127 for letter in text)
