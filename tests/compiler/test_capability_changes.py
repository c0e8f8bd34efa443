"""Capabilities of a dialect as changes of its parent's: applying the change gives the whole again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import example, given, strategies as st

from promptwire_gen.emit.wire.capabilities import capability_changes
from promptwire_runtime.build.wire import changed_capabilities

WORDS = st.lists(st.sampled_from(["auto", "named", "none", "text", "url"]), unique=True)
PARTS = st.dictionaries(st.sampled_from(["audio", "image", "text"]), WORDS)
CAPABILITIES = st.dictionaries(
    st.sampled_from(["options", "parts", "tools"]), WORDS | PARTS | st.sampled_from([None, True, "before"])
)


@given(own=CAPABILITIES, parent=CAPABILITIES)
@example(own={"tools": None}, parent={"tools": []})
@example(own={"options": ["b", "a", "c"]}, parent={"options": ["b", "a"]})
def test_a_change_gives_what_the_dialect_can_do_and_leaves_the_parent_alone(
    own: dict[str, Any], parent: dict[str, Any]
) -> None:
    before = deepcopy(parent)
    assert changed_capabilities(parent, **capability_changes(own, parent)) == own
    assert parent == before


def test_a_change_names_only_what_differs() -> None:
    parent: dict[str, Any] = {
        "continuation": {"mode": "server", "fields": ["thread"]},
        "parts": {"image": ["data", "url", "file_id"], "upload": []},
        "vendor": ["audio", "prediction", "web_search_options"],
    }
    own: dict[str, Any] = {
        "continuation": {"mode": "resend", "fields": []},
        "parts": {"image": ["data", "url"], "video": ["url"]},
        "vendor": ["audio", "data_sources", "prediction"],
    }
    assert capability_changes(own, parent) == {
        "less": ("parts.upload", "parts.image.file_id", "vendor.web_search_options"),
        "more": ("vendor.data_sources",),
        "other": {"continuation.mode": "resend", "continuation.fields": [], "parts.video": ["url"]},
    }
