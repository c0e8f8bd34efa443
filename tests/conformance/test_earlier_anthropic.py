"""The last SDK of Anthropic before version 1 speaks the earlier API version: its header, its form of a key, its sampling fields.

The newest one is the witness of `test_echo` and `test_examples`. Both cannot be installed under one name: this one stands
in a folder of its own, where `.ci/run install` puts it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.checkout import ROOT
from tests.conformance.sdk_echo import without_noise
from tests.examples import Example, examples

pytestmark = pytest.mark.slow

FOLDER: Final = Path(os.environ.get("PROMPTWIRE_EARLIER_SDKS", Path(sys.prefix) / "earlier_sdks"))
VERSION: Final = "2023-06-01"
ROWS: Final = [
    example
    for example in examples()
    if example.wire == "anthropic_messages"
    and (example.settings or {}).get("api_version", VERSION) == VERSION
]
KEY: Final = "test-key"
# what came after its types, and stands in those of the newest SDK: pattern of the finding -> what it is
NEWER: Final[Mapping[str, str]] = {
    r"messages\[\d+\]\.clear_at: unknown key of MessageParam": "an instruction that is cleared",
    r"messages\[\d+\]\.output_config: unknown key of MessageParam": "an effort from one message on",
    r"tools\[\d+\]\.url_sources: unknown key of .*": "where the fetch tool takes addresses from",
    r"messages\[.*\.type: '(mcp_tool_listing|compaction)' is none of .*": "blocks",
    r"messages\[.*\.tool\.type: 'tool_definition' is none of .*": "a tool that comes in mid-conversation",
    r"thinking\.type: 'between_tools' is none of .*": "thinking between calls",
    r"thinking\.display: 'updates' is none of .*": "notes on progress",
    r"thinking\.block_binding: unknown key of (Beta)?ThinkingConfigAdaptiveParam": "thinking that may be dropped",
    r"(thread|compaction|billing_policy|safeguards): unknown key of MessageCreateParamsNonStreaming": "fields",
}


def _credential(example: Example) -> dict[str, str]:
    given = example.settings or {}
    return {} if "api_key" in given or "auth_token" in given else {"api_key": KEY}


@pytest.fixture(scope="module")
def witnessed() -> dict[str, Any]:
    """Return the findings of the SDK for every example, by its name."""
    if not (FOLDER / "anthropic").is_dir():
        pytest.skip(f"no SDK in {FOLDER}: bash .ci/run install puts it there")
    rows = [
        {
            "body": row.build().body,
            "settings": {
                name: value
                for name, value in {"api_key": None, **row.said(), **_credential(row)}.items()
                if name != "api_version"
            },
        }
        for row in ROWS
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance.earlier_anthropic"],
        input=json.dumps(rows), capture_output=True, text=True, check=False, env=environment, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {str(row): said for row, said in zip(ROWS, json.loads(done.stdout), strict=True)}


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_earlier_sdk_sends_what_the_build_states(witnessed: dict[str, Any], example: Example) -> None:
    built = example.build(**_credential(example))
    said = witnessed[str(example)]
    # its method for beta features says so twice: in the header that the build states, and in the address
    address = said["url"].removesuffix("?beta=true")
    assert {**said, "url": address, "headers": without_noise(said["headers"])} == {
        "method": built.method,
        "url": built.url,
        "headers": {"accept": "application/json"} | without_noise(built.headers),
        "body": built.body,
        "problems": said["problems"],
    }


def test_its_types_refuse_only_what_is_newer(witnessed: dict[str, Any]) -> None:
    met: set[str] = set()
    others: dict[str, list[str]] = {}
    for name, said in witnessed.items():
        for line in said["problems"]:
            known = [pattern for pattern in NEWER if re.fullmatch(pattern, line)]
            met.update(known)
            if not known:
                others.setdefault(name, []).append(line)
    assert others == {}
    assert met == NEWER.keys()


def test_it_is_the_last_one_before_version_1(witnessed: dict[str, Any]) -> None:
    assert witnessed
    assert [path.name for path in FOLDER.glob("anthropic-*.dist-info")] == ["anthropic-0.125.0.dist-info"]
