"""A form of a URL against URLs: what its holes hold, how many parameters only one side has, what no default explains."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Continuation, Request, openai_chat
from promptwire.errors import MissingField, SettingError
from promptwire.plugins import Setting, Wire
from tests.internals.runtime import Sent, Shown, UrlMatch, form_of, read_url

HOST = "https://h.example"
SETTINGS = {
    "base_url": Setting(HOST),
    "zone": Setting("a"),
    "area": Setting(),
    "kind": Setting("one", ("one", "two")),
    "shade": Setting(None, ("red", "blue")),
    "names": Setting(None, listed=True),
    "model": Setting("m", ("m",), listed=True),
    "query": Setting(),
    "key": Setting(),
}


def wire_of(*urls: Any, transport: Any = None, **changes: Any) -> Wire:
    """A wire with these forms of its URL, each a text or a row, and no others."""
    rows = tuple([(form, None, {}) if isinstance(form, str) else form for form in urls])
    stated: dict[str, Any] = {
        "settings": SETTINGS,
        "urls": rows,
        "secrets": {"key": "KEY"},
        "url_filters": {},
    }
    return openai_chat.WIRE.dialect(
        transport=transport or (lambda _: Sent("/x", {}, frozenset())), **stated | changes
    )


FILTERS = {"upper": str.upper, "split": lambda text: tuple(text.split("."))}
# form, URL, the values of its holes, parameters apart, letters that no default explains
MATCHED: dict[str, tuple[str, str, dict[str, Any], int, int]] = {
    "defaults": ("${base_url}/${zone}", f"{HOST}/a", {"base_url": HOST, "zone": "a"}, 0, 0),
    "another text": ("${base_url}/${zone}", f"{HOST}/bcd", {"base_url": HOST, "zone": "bcd"}, 0, 3),
    "no setting": ("/${area}/${model}", "/xyz/some", {"area": "xyz", "model": "some"}, 0, 3),
    "a default comes before longer text": ("/${zone}-${area}", "/a-b-c", {"zone": "a", "area": "b-c"}, 0, 3),
    "without it the longest": ("/${zone}-${area}", "/x-b-c", {"zone": "x-b", "area": "c"}, 0, 4),
    "a filter knows no default": ("/${zone|upper}-${area}", "/a-b-c", {"zone": "A-B", "area": "c"}, 0, 4),
    "a choice": ("/${kind}-${area}", "/two-x", {"kind": "two", "area": "x"}, 0, 4),
    "a choice without a default": ("/${shade}", "/blue", {"shade": "blue"}, 0, 4),
    "a model is no setting": ("/${model}", "/a,b", {"model": "a,b"}, 0, 0),
    "a list": ("/${names}", "/x,y", {"names": ("x", "y")}, 0, 3),
    "a list of one": ("/${names}", "/x", {"names": ("x",)}, 0, 1),
    "a list of a filter": ("/${names|split}", "/x.y,z", {"names": ("x", "y,z")}, 0, 5),
    "no list": ("/${area}", "/x,y", {"area": "x,y"}, 0, 3),
    "parameters in any order": ("/x?a=${zone}&b=${area}", "/x?b=q&a=r", {"zone": "r", "area": "q"}, 0, 2),
    "empty ones": ("/x?&a=${area}&", "/x?&&a=r", {"area": "r"}, 0, 1),
    "one is missing": ("/x?a=${zone}&b=${area}", "/x?b=q", {"area": "q"}, 1, 1),
    "two are missing": ("/x?a=${zone}&b=${area}&c=1", "/x?c=1", {}, 2, 0),
    "one of another value": ("/x?a=1&b=${area}", "/x?a=2&b=q", {"area": "q"}, 2, 1),
    "a value under another key": ("/x?a=1", "/x?b=1", {"query": "b=1"}, 2, 0),
    "some are the caller's": ("/x?a=${area}", "/x?p=1&a=q&z", {"area": "q", "query": "p=1&z"}, 2, 1),
    "a credential is not": ("/x", "/x?api_key=s3cret&p=1", {"query": "p=1"}, 2, 0),
    "said twice": ("/${zone}/${zone}", "/b/b", {"zone": "b"}, 0, 2),
    "several segments": ("/${area|path}/x", "/b/c/x", {"area": "b/c"}, 0, 3),
}  # fmt: skip


@pytest.mark.parametrize("case", MATCHED)
def test_what_a_url_of_a_form_holds(case: str) -> None:
    form, url, values, apart, free = MATCHED[case]
    wire = wire_of(url_filters={**FILTERS, "path": str})
    assert form_of(wire, form).match(url) == UrlMatch(values, apart, free)
    assert form_of(wire, form) is form_of(wire, form)


def test_a_wire_without_a_place_for_parameters_keeps_none() -> None:
    wire = wire_of(settings={name: SETTINGS[name] for name in SETTINGS if name != "query"})
    assert form_of(wire, "/x").match("/x?p=1") == UrlMatch({}, 1, 0)


@pytest.mark.parametrize(
    ("form", "url"),
    [
        ("/x", "/y"),
        ("/x", "/x/"),
        ("/${area}", "/b/c"),
        ("/${kind}", "/three"),
        ("/${shade}", "/green"),
        ("/${kind|upper}", "/one"),
        ("/${zone}/${zone}", "/b/c"),
        ("/${area|nothing}", "/b"),
    ],
)
def test_what_is_no_url_of_a_form(form: str, url: str) -> None:
    wire = wire_of(url_filters={**FILTERS, "nothing": lambda _: None})
    assert form_of(wire, form).match(url) is None


def test_what_a_url_says_stands_in_the_request_of_a_build() -> None:
    held = Continuation(conversation="c1", wire="openai_chat")
    shown = Shown("m", True, {}, continuation=held)
    assert shown.request(None) == Request("m", stream=True, continuation=held)
    assert shown.request("other").model == "other"


def test_a_url_says_what_a_request_continues() -> None:
    wire = wire_of(("/c/${continuation.conversation}/${zone}", True, {}))
    held = Continuation(conversation="c1", wire="openai_chat")
    assert read_url(wire, "/c/c1/b") == Shown(None, True, {"zone": "b"}, continuation=held)


def test_what_no_build_takes_is_left_out_and_what_is_continued_stays() -> None:
    wire = wire_of("/c/${continuation.conversation}/${zone}")
    held = Continuation(conversation="c1", wire="openai_chat")
    assert read_url(wire, "/c/c1/b\n") == Shown(None, None, {}, refused=True, continuation=held)


def test_a_form_holds_only_where_its_conditions_do() -> None:
    wire = wire_of(("/${kind}/x", None, {"kind": ("two",)}), ("/${area}/x", None, {"kind": ("two",)}))
    assert read_url(wire, "/two/x") == Shown(None, None, {"kind": "two"})
    assert read_url(wire, "/one/x") == Shown(None, None, {"area": "one", "kind": "two"})
    assert read_url(wire_of(("/${kind}/x", None, {"kind": ("two",)})), "/one/x") is None


def test_a_credential_of_the_url_is_no_setting() -> None:
    assert read_url(wire_of("/x?k=${key}&z=${zone}"), "/x?k=s3cret&z=b") == Shown(None, None, {"zone": "b"})


def test_urls_are_remembered_but_for_what_may_be_a_credential() -> None:
    wire = wire_of("${base_url}/${zone}?z=${area}", "${base_url}/${zone}?z=${area}&k=${key}")
    for url in (
        f"{HOST}/b?z=n",
        f"{HOST}/b?z=n&k=s3cret",
        f"{HOST}/b?beta=true",
        f"{HOST}/b",
        f"{HOST}/b",
        f"{HOST}/c",
        f"{HOST}/b?token=s3cret",
        "https://u:s3cret@h.example/b",
    ):
        read_url(wire, url, "m")
    read_url(wire, f"{HOST}/b", "other")
    assert [*wire.urls_read] == [
        (f"{HOST}/b?z=n", "m"),
        (f"{HOST}/b?beta=true", "m"),
        (f"{HOST}/b", "m"),
        (f"{HOST}/c", "m"),
        (f"{HOST}/b", "other"),
    ]
    assert wire.dialect().urls_read == {}


def test_no_more_urls_are_remembered_than_fit() -> None:
    wire = wire_of("${base_url}/${zone}")
    for number in range(300):
        assert read_url(wire, f"{HOST}/{number}") == Shown(None, None, {"zone": f"{number}"})
    assert len(wire.urls_read) == 300 - 256


def refusing(error: Exception) -> Any:
    """A transport that knows no URL."""

    def transport(_: Any) -> Sent:
        raise error

    return transport


MISSING = SettingError("area is needed")
MISSING.missing = "area"


@pytest.mark.parametrize(
    ("error", "settings"),
    [(MissingField("model"), {"zone": "b"}), (MISSING, {"zone": "b"}), (SettingError("no such zone"), {})],
)
def test_settings_are_left_out_where_a_build_refuses_them(error: Exception, settings: dict[str, str]) -> None:
    shown = read_url(wire_of("/${zone}", transport=refusing(error)), "/b")
    assert shown == Shown(None, None, settings, refused=not settings)


def test_settings_that_a_build_takes_stay() -> None:
    assert read_url(wire_of("/${zone}"), "/b") == Shown(None, None, {"zone": "b"})


def writing(context: Any) -> Sent:
    """A transport that writes the zone, and fails without one."""
    if "zone" not in (context.settings or {}):
        raise MissingField("zone")
    return Sent(f"/{context.settings['zone']}/{context.request.model}", {}, frozenset())


@pytest.mark.parametrize(
    ("urls", "url", "settings"),
    [
        # what a build writes again comes first, though another form explains more
        (("/b/${area}", "/${zone}/${area}"), "/b/m", {"zone": "b", "area": "m"}),
        (("/${zone}/${area}", "/b/${area}"), "/b/m", {"zone": "b", "area": "m"}),
        # then the fewest parameters apart, then the least text that no default explains
        (("/x?a=${area}&b=1", "/x?a=${shade}"), "/x?a=red", {"shade": "red"}),
        (("/x?a=${shade}", "/x?a=${area}&b=1"), "/x?a=red", {"shade": "red"}),
        (("/${area}-${names}/x", "/${area}-a/x"), "/q-a/x", {"area": "q"}),
        (("/${area}-a/x", "/${area}-${names}/x"), "/q-a/x", {"area": "q"}),
    ],
)
def test_of_several_forms_the_best_is_read(urls: tuple[str, ...], url: str, settings: dict[str, Any]) -> None:
    wire = wire_of(*urls, transport=writing)
    assert read_url(wire, url, "m") == Shown(None, None, settings)
