"""The path of one value through a build is the one that runtime/README.md describes."""

from __future__ import annotations

import re
import sys
from types import FrameType

from promptwire import Cache, Options, Request, Text, anthropic_messages, user
from tests.checkout import ROOT


def callers_of(function: str, request: Request) -> list[str]:
    """The functions between a build and the first call of a function, both included."""
    found: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == function and not found:
            caller: FrameType | None = frame
            while caller is not None and "build" not in found:
                found.append(caller.f_code.co_name)
                caller = caller.f_back

    sys.setprofile(watch)
    try:
        anthropic_messages.build(request)
    finally:
        sys.setprofile(None)
    return found[::-1]


def test_a_cache_mark_goes_the_way_that_is_described() -> None:
    page = (ROOT / "runtime" / "README.md").read_text("utf-8")
    described = re.search(r"`anthropic_messages` through (.*?)\. ", page, re.DOTALL)
    assert described is not None
    names = [name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", described[1])]
    marked = Request(
        "claude-sonnet-4-5", user(Text("hi", cache=Cache(ttl="5m"))), options=Options(max_tokens=8)
    )
    assert callers_of("write_cache_mark", marked) == names
