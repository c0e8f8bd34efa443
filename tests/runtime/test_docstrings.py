"""The fields that a docstring lists are the fields that exist."""

from __future__ import annotations

import promptwire
from promptwire import ResponseFormat


def test_every_kind_of_response_format_that_an_api_takes_is_explained() -> None:
    kinds = {
        kind
        for wire in promptwire.WIRES
        for kind in getattr(promptwire, wire).WIRE.capabilities["response_formats"]
    }
    assert {"enum", "python"} <= kinds
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in (ResponseFormat.__doc__ or "")] == []
