"""Writing modules of dialects: definitions taken from the parent, changed, and defined again."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import Image, Options, ReasoningOptions, Request, user
from promptwire.errors import NoPlace, Refused

from .compiled import forget, load_dialects

PARENT = """
wire: parent_wire
title: Parent
transport: {method: POST, url: "https://parent.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: parent, choice: []}
body:
  model: $model
  messages: $messages
  top_k?: $top_k
  seed?: $seed
  speed?: $vendor.speed
  seal?: $vendor.seal
  thinking?: {depth?: $vendor.depth, effort?: $reasoning.effort, level?: $vendor.level}
  tier?: $service_tier
  store?: $store
  stream?: $stream
  user?: $user_id
  trace?: $vendor.trace
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
  image.data: {type: image, data: $data, media: $media_type(image/png|image/gif)}
  image.url: {type: image, url: $url}
  image.file_id: {type: image, file: $file_id}
"""

# what each dialect says, beside the line that names its parent
DIALECTS = {
    # only options of the API are gone: a key, a key inside an object, the last key of all
    "fewer": "body: {seal: null, thinking?: {depth: null}, trace: null}",
    # the first page has lost another key beside that, and the second nothing
    "other": "body: {seal: null, seed: null}",
    # the option is still read, and not written
    "reading": "body: {seal?: =$vendor.seal}",
    # a rule looks at an option of the first page
    "ruled": """
body: {seal: null}
rules:
  - when: {}
    reject: {top_k: {exclusiveMinimum: 40}}
    because: the parent takes more
    source: the vendor's page, 2026-11
""",
    # keys of its own stand among the parent's
    "more": "body: {store?: $store, region?: $vendor.region}",
    "none": "body: {top_k: null, seed: null, speed: null, seal: null, thinking: null, tier: null, store: null,"
    " stream: null, user: null, trace: null}",
    "pictures": "parts: {image.file_id: null}",
    # the same shape with another key
    "links": "parts: {image.url: {type: image_url, url: $url}}",
}
GRANDCHILD = "wire: grand_wire\nextends: fewer_wire\ntitle: Grand\nbody: {speed: null}"
SPECS = {"parent_wire": PARENT, "grand_wire": GRANDCHILD} | {
    f"{name}_wire": f"wire: {name}_wire\nextends: parent_wire\ntitle: {name}\n{text}"
    for name, text in DIALECTS.items()
}
FULL: dict[str, Any] = {
    "model": "m",
    "messages": [user("hi")],
    "options": Options(top_k=3, seed=4, service_tier="flex", store=True),
    "reasoning": ReasoningOptions(effort="low"),
    "stream": False,
    "user_id": "ann",
}
VENDOR = {"speed": "fast", "seal": "s", "depth": 2, "level": 1, "trace": "t"}
BODY: dict[str, Any] = {
    "model": "m",
    "top_k": 3,
    "seed": 4,
    "speed": "fast",
    "seal": "s",
    "thinking": {"depth": 2, "effort": "low", "level": 1},
    "tier": "flex",
    "store": True,
    "stream": False,
    "user": "ann",
    "trace": "t",
    "messages": [{"role": "user", "content": "hi"}],
}


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    yield load_dialects(tmp_path_factory.mktemp("dialects"), "dialects_of_a_test", SPECS)
    forget("dialects_of_a_test")


def writing(wire: Any) -> Any:
    """The module of the functions that write."""
    return sys.modules[f"{wire.__name__}.writing"]


def pages(wire: Any) -> tuple[Any, ...]:
    """The functions that write what most requests leave out."""
    return tuple(writing(wire).WRITERS.optional_keys)


def full(name: str) -> Request:
    """A request that fills every key of the parent."""
    return Request(**FULL, vendor={name: dict(VENDOR)})


def without(*paths: str) -> dict[str, Any]:
    """The parent's body without some keys."""
    body = {**BODY, "thinking": dict(BODY["thinking"])}
    for path in paths:
        head, _, tail = path.partition(".")
        if tail:
            del body[head][tail]
        else:
            del body[head]
    return body


# wire -> what of the parent's body it does not write, and what is dropped where the policy says so
LACKING: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "parent_wire": ((), ()),
    "fewer_wire": (("seal", "thinking.depth", "trace"), ("vendor.seal", "vendor.depth", "vendor.trace")),
    "grand_wire": (
        ("speed", "seal", "thinking.depth", "trace"),
        ("vendor.speed", "vendor.seal", "vendor.depth", "vendor.trace"),
    ),
    "other_wire": (("seal", "seed"), ("vendor.seal", "seed")),
    "reading_wire": (("seal",), ("vendor.seal",)),
    "ruled_wire": (("seal",), ("vendor.seal",)),
    "more_wire": ((), ()),
    "none_wire": (
        ("top_k", "seed", "speed", "seal", "thinking", "tier", "store", "stream", "user", "trace"),
        (
            *("top_k", "seed", "service_tier", "store", "stream", "user_id"),
            *("effort", *[f"vendor.{option}" for option in VENDOR]),
        ),
    ),
    "pictures_wire": ((), ()),
    "links_wire": ((), ()),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_dialect_writes_the_parents_body_without_what_it_lacks_and_says_so(
    wires: dict[str, Any], name: str
) -> None:
    keys, dropped = LACKING[name]
    request = full(name)
    built = wires[name].build(request, policies="lenient")
    assert list(built.body.items()) == list(without(*keys).items())
    paths = sorted(note.field for note in built.notes)
    assert paths == sorted(path.replace("vendor.", f"vendor.{name}.") for path in dropped)
    if dropped:
        with pytest.raises(NoPlace):
            wires[name].build(request)


@pytest.mark.parametrize("option", ["seal", "depth", "trace"])
def test_an_option_that_a_dialect_lacks_is_an_error_though_the_page_would_write_it(
    wires: dict[str, Any], option: str
) -> None:
    request = Request("m", [user("hi")], vendor={"fewer_wire": {option: 1}})
    with pytest.raises(NoPlace) as caught:
        wires["fewer_wire"].build(request)
    assert caught.value.field == f"vendor.fewer_wire.{option}"
    built = wires["fewer_wire"].build(request, policies="lenient")
    assert built.body == {"model": "m", "messages": BODY["messages"]}


def test_a_dialect_that_lacks_only_options_of_the_api_has_its_parents_pages(wires: dict[str, Any]) -> None:
    assert len(pages(wires["parent_wire"])) == 2
    for name in ("fewer_wire", "grand_wire", "pictures_wire"):
        assert pages(wires[name]) == pages(wires["parent_wire"])
        assert "def " not in inspect.getsource(writing(wires[name]))


@pytest.mark.parametrize("name", ["other_wire", "reading_wire", "ruled_wire"])
def test_a_page_with_another_change_is_written_again_without_what_is_gone(
    wires: dict[str, Any], name: str
) -> None:
    first, *rest = pages(wires[name])
    parents = pages(wires["parent_wire"])
    assert first.__name__ == parents[0].__name__ and first is not parents[0]
    assert "seal" not in inspect.getsource(first) and "seal" in inspect.getsource(parents[0])
    assert rest == list(parents[1:])


def test_a_rule_of_a_dialect_looks_at_the_option_of_its_page(wires: dict[str, Any]) -> None:
    request = Request("m", [user("hi")], options=Options(top_k=41))
    assert wires["fewer_wire"].build(request).body["top_k"] == 41
    with pytest.raises(Refused):
        wires["ruled_wire"].build(request)


def test_keys_of_a_dialect_join_the_page_of_the_key_before_them(wires: dict[str, Any]) -> None:
    request = Request("m", [user("hi")], options=Options(store=True), vendor={"more_wire": {"region": "eu"}})
    assert list(wires["more_wire"].build(request).body) == ["model", "store", "region", "messages"]
    own, parents = pages(wires["more_wire"]), pages(wires["parent_wire"])
    assert [page.__name__ for page in own] == [page.__name__ for page in parents]
    assert [page is other for page, other in zip(own, parents, strict=True)].count(False) == 1


def test_a_dialect_without_such_keys_has_no_pages(wires: dict[str, Any]) -> None:
    assert pages(wires["none_wire"]) == ()


def shown(wire: Any, image: Image, **policies: str) -> Any:
    """The JSON of an image that is not a plain one."""
    return wire.build(Request("m", [user("hi", image)]), **policies).body["messages"][0]["content"][1:]


# how an image is given -> what the parent writes
IMAGES = {
    "data": (Image(data="aGk=", media_type="image/png"), {"data": "aGk=", "media": "image/png"}),
    "url": (Image(url="https://x.example/a.png"), {"url": "https://x.example/a.png"}),
    "file_id": (Image(file_id="f1"), {"file": "f1"}),
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("source", IMAGES)
def test_a_dialect_takes_the_sources_that_it_has(wires: dict[str, Any], name: str, source: str) -> None:
    image, keys = IMAGES[source]
    if (name, source) == ("pictures_wire", "file_id"):
        with pytest.raises(NoPlace, match="this API does not accept it by file_id here"):
            shown(wires[name], image)
        return
    kind = "image_url" if (name, source) == ("links_wire", "url") else "image"
    assert shown(wires[name], image) == [{"type": kind, **keys}]


def test_a_type_that_a_source_does_not_take_is_named(wires: dict[str, Any]) -> None:
    for name in ("parent_wire", "pictures_wire"):
        with pytest.raises(NoPlace, match="its media_type must match image/png, image/gif for this API"):
            shown(wires[name], Image(data="aGk=", media_type="image/tiff"))


def test_a_source_less_changes_one_table_and_no_function(wires: dict[str, Any]) -> None:
    parent, child = (writing(wires[name]).WRITERS for name in ("parent_wire", "pictures_wire"))
    assert child.roles == parent.roles and child.contents == parent.contents
    assert child.sources["image"] == {
        source: write for source, write in parent.sources["image"].items() if source != "file_id"
    }
    links = writing(wires["links_wire"]).WRITERS.sources["image"]
    assert {source for source in links if links[source] is not parent.sources["image"][source]} == {"url"}


def test_a_dialect_that_writes_the_same_has_tables_and_no_function() -> None:
    from promptwire.anthropic_foundry import writing as foundry

    assert "def " not in inspect.getsource(foundry)
