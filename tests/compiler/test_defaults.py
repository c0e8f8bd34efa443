"""Defaults of an API: a value equal to the default is left out with a note, any other has no place."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from promptwire import Message, Options, Request, ResponseFormat
from promptwire.errors import NoPlace
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC

USER = Message("user", "hi")
IMPLIED = """\
defaults: {n: 1, stream_usage: true, presence_penalty: 0, response_format.strict: true, response_format.kind: text}
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path: Path = tmp_path_factory.mktemp("defaults")
    return load_wire(
        path,
        "ruled_chat",
        SPEC.partition("rules:\n")[0].replace("{schema: $schema, strict?: $strict}", "{schema: $schema}")
        + IMPLIED,
    )


def _formatted(kind: str, **fields: Any) -> Request:
    return Request("m", [USER], response_format=ResponseFormat(kind, **fields))


SAID: list[tuple[Request, str, dict[str, Any]]] = [
    (Request("m", [USER], options=Options(n=1)), "options.n", {}),
    (Request("m", [USER], stream_usage=True), "stream_usage", {}),
    (Request("m", [USER], options=Options(presence_penalty=0.0)), "options.presence_penalty", {}),
    (_formatted("json_schema", schema={}, strict=True), "response_format.strict", {"format": {"schema": {}}}),
    (_formatted("text"), "response_format.kind", {}),
]


@pytest.mark.parametrize(("request_", "field", "more"), SAID)
def test_what_is_so_anyway_is_left_out_with_a_note(
    wire: ModuleType, request_: Request, field: str, more: dict[str, Any]
) -> None:
    built = wire.build(request_)
    said = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
    assert built.body == said | more
    assert [str(note) for note in built.notes] == [f"dropped {field}: Ruled Chat does this by default"]


@pytest.mark.parametrize(
    "other",
    [
        Request("m", [USER], options=Options(n=2)),
        Request("m", [USER], stream_usage=False),
        Request("m", [USER], options=Options(presence_penalty=0.5)),
        Request("m", [USER], options=Options(frequency_penalty=0)),
        _formatted("json_schema", schema={}, strict=False),
        _formatted("json"),
    ],
)
def test_any_other_value_has_no_place(wire: ModuleType, other: Request) -> None:
    with pytest.raises(NoPlace):
        wire.build(other)
