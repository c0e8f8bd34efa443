"""Rules about hosted tools: keys of their config, numbers among them, and keys of which one must be there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import HostedTool, Request, Tool
from promptwire.errors import Refused
from tests.compiler.compiled import load_wire
from tests.compiler.rule_cases import USER
from tests.compiler.ruled_spec import SPEC, in_words

HOSTED = SPEC.replace("  cache: {mark:", "    hosted: {type: $type, ...: $config}\n  cache: {mark:")
CASES: list[tuple[str, list[dict[str, Any] | None], list[dict[str, Any] | None]]] = [
    ("tools[type=maps].config.city!=*", [None, {}, {"area": "x"}], [{"city": "Oslo"}]),
    ("tools[type=maps].config.city!=Oslo|Rome", [None, {"city": "Bonn"}], [{"city": "Rome"}]),
    ("tools[type=maps].config.radius>50", [{"radius": 51}], [None, {}, {"radius": 50}, {"radius": "far"}]),
    ("tools[type=maps].config.city|area!=*", [None, {}, {"name": "x"}], [{"area": "x"}, {"city": "x"}]),
]


@pytest.mark.parametrize(("entry", "refused", "taken"), CASES, ids=[row[0] for row in CASES])
def test_a_key_of_a_config_is_asked_of_the_tools_that_are_meant(
    tmp_path: Path, entry: str, refused: list[dict[str, Any] | None], taken: list[dict[str, Any] | None]
) -> None:
    made = load_wire(tmp_path, "ruled_chat", HOSTED.replace("ENTRY", in_words(entry)))
    others: list[Tool | HostedTool] = [Tool("a"), HostedTool("search")]
    for config in refused:
        with pytest.raises(Refused) as caught:
            made.build(Request("m", [USER], tools=[*others, HostedTool("maps", config=config)]))
        assert caught.value.path == "tools[2]"
        assert entry.startswith(caught.value.field)
    for config in taken:
        made.build(Request("m", [USER], tools=[*others, HostedTool("maps", config=config)]))
