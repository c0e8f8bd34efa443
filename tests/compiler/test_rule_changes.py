"""Rules that change a request: they fill in settings, and spell keys as they were read."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import promptwire
from promptwire import Image, Message, Options, Policies, Request, Tool
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC

USER = Message("user", "hi")
HEAD = SPEC.partition("rules:\n")[0].replace(
    'url: "https://example.com/chat"}',
    'url: "https://example.com/chat", headers: {"x-beta?": "$betas|comma"}, settings: {betas: {type: list}}}',
)
ADDING = """\
asks:
  betas:
    vendor.robots: {word: robots-2026-11-01, because: robots are in beta, source: "the vendor's page, 2026-11"}
"""
LOOKING = """\
asks:
  betas:
    user.part=image: {word: pictures-2026-01-01, source: &page "the vendor's page, 2026-11"}
    user.image.vendor.crop: {word: cropping, source: *page}
    message.name=ann*: {word: names, source: *page}
    vendor.robots.arms.joints=elbow: {word: elbows, source: *page}
    tools.name=draw*: {word: pens-2026-02-02, source: *page}
    tools[strict=true].parameters.title=Pen: {word: strict-pens, source: *page}
"""
SPELLING = """\
rules:
  - when: {model: [new*]}
    rename: {max_tokens: limit}
    because: the older word is gone
    source: the vendor's page, 2026-11
"""
SPELLING_MESSAGES = """\
rules:
  - when: {model: [new*]}
    rename: {"messages[].name": speaker}
    because: the older word is gone
    source: the vendor's page, 2026-11
"""


@pytest.fixture(scope="module")
def adding(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    body = HEAD.replace("  model: $model\n", "  model: $model\n  robots?: $vendor.robots\n")
    return load_wire(tmp_path_factory.mktemp("adding"), "ruled_chat", body + ADDING)


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    body = HEAD.replace(
        "  model: $model\n", "  model: $model\n  robots?: $vendor.robots\n  betas?: $settings.betas\n"
    )
    return load_wire(tmp_path_factory.mktemp("looking"), "ruled_chat", body + LOOKING)


@pytest.fixture(scope="module")
def spelling(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    body = HEAD.replace("  max_tokens?: $max_tokens\n", "  limit|max_tokens?: $max_tokens\n")
    return load_wire(tmp_path_factory.mktemp("spelling"), "ruled_chat", body + SPELLING)


ROBOTS = {"ruled_chat": {"robots": 2}}


@pytest.mark.parametrize(
    ("request_", "given", "sent"),
    [
        (Request("m", [USER], vendor=ROBOTS), None, "robots-2026-11-01"),
        (Request("m", [USER], vendor=ROBOTS), ["x", "y"], "x,y,robots-2026-11-01"),
        (Request("m", [USER], vendor=ROBOTS), "x", "x,robots-2026-11-01"),
        (Request("m", [USER]), ["x"], "x"),
        (Request("m", [USER]), None, None),
        (Request("m", [USER], vendor=ROBOTS), ["robots-2025-01-01"], "robots-2025-01-01"),
        (Request("m", [USER], vendor=ROBOTS), "x, robots-2025-01-01", "x, robots-2025-01-01"),
    ],
)
def test_a_list_gets_the_word_that_it_lacks(
    adding: ModuleType, request_: Request, given: Any, sent: str | None
) -> None:
    settings = None if given is None else {"betas": given}
    # a second build meets what the first has remembered
    for _ in range(2):
        built = adding.build(request_, settings=settings)
        assert built.headers.get("x-beta") == sent
        assert ("x-beta: " + (sent or "")) in built.curl() or sent is None
    assert settings == (None if given is None else {"betas": given})


def test_what_is_added_is_noted_and_a_verbatim_build_adds_nothing(adding: ModuleType) -> None:
    request = Request("m", [USER], vendor=ROBOTS)
    noted = [str(note) for note in adding.build(request).notes]
    assert noted == ["added settings.betas: robots-2026-11-01: robots are in beta"]
    verbatim = adding.build(request, policies="verbatim")
    assert (verbatim.headers.get("x-beta"), len(verbatim.notes)) == (None, 0)


PICTURE = Image(data="aGk=")
PEN = Tool("write", parameters={"title": "Pen"}, strict=True)
LOOSE_PEN = Tool("write", parameters={"title": "Pen"})
CROPPED = Image(data="aGk=", vendor={"ruled_chat": {"crop": 2}})
ARMS: Any = {"ruled_chat": {"robots": {"arms": [{"joints": ["wrist"]}, {"joints": ["elbow", "wrist"]}]}}}


@pytest.mark.parametrize(
    ("request_", "sent"),
    [
        (Request("m", [USER]), ()),
        (Request("m", [USER, Message("user", PICTURE), Message("user", PICTURE)]), ("pictures-2026-01-01",)),
        (Request("m", [Message("assistant", PICTURE), USER]), ()),
        (Request("m", [Message("user", CROPPED)]), ("pictures-2026-01-01", "cropping")),
        (Request("m", [Message("assistant", CROPPED)]), ()),
        (Request("m", [Message("user", "hi", name="anna")]), ("names",)),
        (Request("m", [Message("user", "hi", name="bob")]), ()),
        (Request("m", [USER], vendor=ARMS), ("elbows",)),
        (Request("m", [USER], vendor={"ruled_chat": {"robots": {"arms": [{"joints": []}, 3]}}}), ()),
        (Request("m", [USER], tools=[Tool("write")]), ()),
        (Request("m", [USER], tools=[Tool("write"), Tool("draw"), Tool("draw_on")]), ("pens-2026-02-02",)),
        (
            Request("m", [Message("user", PICTURE)], tools=[Tool("draw")]),
            ("pens-2026-02-02", "pictures-2026-01-01"),
        ),
        (Request("m", [USER], tools=[PEN]), ("strict-pens",)),
        (Request("m", [USER], tools=[LOOSE_PEN]), ()),
    ],
)
def test_what_stands_inside_messages_and_options_is_looked_for(
    looking: ModuleType, request_: Request, sent: tuple[str, ...]
) -> None:
    built = looking.build(request_)
    assert looking.build(request_).body == built.body
    assert tuple(built.body.get("betas", ())) == sent
    assert built.headers.get("x-beta") == (",".join(sent) or None)
    assert [note.action for note in built.notes] == ["added"] * len(sent)
    assert list(built.body)[-1] == "messages"
    assert "betas" not in looking.build(request_, policies="verbatim").body
    given = looking.build(request_, settings={"betas": ["pictures-2025-12-31"]})
    assert given.body["betas"] == [
        "pictures-2025-12-31",
        *(word for word in sent if word != "pictures-2026-01-01"),
    ]


def test_a_request_without_tools_pays_nothing_for_what_is_added_for_them(looking: ModuleType) -> None:
    looking.build(Request("m", [USER]))
    known = {names for names, _ in looking.WIRE.decide("m", None).known_plain}
    assert frozenset() in known


def test_a_limit_of_pictures_holds_after_requests_with_few_of_them() -> None:
    picture = promptwire.Image(data="AAAA", media_type="image/png")

    def build(*numbers: int) -> int:
        turns = [Message("user", [picture] * number) for number in numbers]
        return len(promptwire.cohere_chat.build(Request("command-a-vision-07-2025", turns)).body["messages"])

    for _ in range(2):
        assert build(1) == 1
        assert build(10, 10) == 2
        with pytest.raises(promptwire.errors.Refused, match="20"):
            build(10, 11)


def test_a_request_of_old_goes_to_a_model_that_knows_the_new_word_only() -> None:
    old = {"model": "o3", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    request = promptwire.openai_chat.read(old).request
    new = {"model": "o3", "max_completion_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    assert promptwire.openai_chat.build(request).body == new
    assert promptwire.openai_chat.build(request, policies="verbatim").body == old


def test_a_key_of_old_is_read_and_written_as_the_model_wants_it(spelling: ModuleType) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    old = {"model": "new-1", "max_tokens": 5, "messages": [message]}
    request = spelling.read(old).request
    assert spelling.build(request).body == {"model": "new-1", "limit": 5, "messages": [message]}
    assert spelling.build(request, policies="verbatim").body == old
    assert spelling.build(request, policies=Policies(refusals="send")).body["limit"] == 5
    other = {**old, "model": "older"}
    assert spelling.build(spelling.read(other).request).body == other
    assert list(spelling.build(Request("new-1", [USER], options=Options(max_tokens=5))).body) == [
        "model", "limit", "messages",
    ]  # fmt: skip


def test_a_key_of_messages_is_written_as_the_model_wants_it(tmp_path: Path) -> None:
    head = HEAD.replace("name?: $name, content", "name|speaker?: $name, content")
    spelling = load_wire(tmp_path, "ruled_chat", head + SPELLING_MESSAGES)

    def body(model: str, key: str, **more: str) -> dict[str, Any]:
        content = [{"type": "text", "text": "hi"}]
        says = {"role": "user", key: "ann", **more, "content": content}
        return {"model": model, "messages": [says, {"role": "assistant", "content": content}, says]}

    ann = [Message("user", "hi", name="ann"), Message("assistant", "hi"), Message("user", "hi", name="ann")]
    for model, key in (("new-1", "speaker"), ("older", "name")):
        built = spelling.build(Request(model, ann))
        assert built.body == body(model, key)
        assert spelling.build(spelling.read(body(model, "speaker")).request).body == body(model, "speaker")
        assert spelling.check(body(model, key)) == ()
    old = body("new-1", "name")
    request = spelling.read(old).request
    assert spelling.build(request).body == body("new-1", "speaker")
    assert spelling.build(request, policies="verbatim").body == old
    places = ["messages[0].name", "messages[2].name"]
    assert [finding.path for finding in spelling.check(old)] == places
    both = body("new-1", "name", speaker="bob")
    assert [
        message.get("name") for message in spelling.build(spelling.read(both).request).body["messages"]
    ] == ["ann", None, "ann"]
