"""A web search tool on Chat Completions, which has an option of the request instead of a tool."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import HostedTool, Request, Tool, azure_openai_chat, openai_chat, user
from promptwire.errors import NoPlace, Refused
from promptwire.plugins import RepairContext
from tests.internals.runtime import Origins, policies_of, repair_named
from tests.notes import refused

MODEL = "gpt-4o-search-preview"
LOCATION = {"type": "approximate", "city": "Oslo", "country": "NO", "region": None}
SEARCH = HostedTool(
    "web_search", config={"search_context_size": "low", "user_location": LOCATION, "filters": {"a": 1}}
)


def repaired(
    request: Request, wire: Any = openai_chat, **policies: Any
) -> tuple[Request, list[tuple[str, ...]]]:
    problems = tuple(wire.check(request))
    errors = [each.error if hasattr(each, "error") else each for each in problems]
    context = RepairContext(
        wire=wire.WIRE, origins=Origins(request), policies=policies_of(policies), problems=tuple(errors)
    )
    changed, edits = repair_named("map_hosted_tools", context.policies)(request, context)
    return changed, [(edit.action, edit.path, edit.field, edit.why) for edit in edits]


@pytest.mark.parametrize("kind", ["web_search", "web_search_preview", "web_search_20250305", "google_search"])
def test_the_tool_becomes_the_option(kind: str) -> None:
    request = Request(MODEL, user("News?"), tools=[HostedTool(kind, "web_search")])
    changed, edits = repaired(request)
    assert edits == [
        ("replaced", "tools[0]", "hosted", "OpenAI Chat Completions has web_search_options instead of a tool")
    ]
    body: Any = openai_chat.build(changed).body
    assert (body["web_search_options"], "tools" in body) == ({}, False)


def test_settings_that_both_have_are_kept() -> None:
    changed, edits = repaired(Request(MODEL, user("News?"), tools=[SEARCH]))
    assert edits[0][3].endswith("; settings are dropped: filters.a")
    assert openai_chat.build(changed).body["web_search_options"] == {
        "search_context_size": "low",
        "user_location": {"type": "approximate", "approximate": {"city": "Oslo", "country": "NO"}},
    }


def test_what_the_request_says_itself_counts() -> None:
    vendor: dict[str, Any] = {"openai_chat": {"web_search_options": {"search_context_size": "high"}}, "x": {}}
    changed, _ = repaired(Request(MODEL, user("News?"), tools=[SEARCH], vendor=vendor))
    assert changed.vendor == vendor


def test_it_is_an_error_by_default_and_by_policy() -> None:
    request = Request(MODEL, user("News?"), tools=[SEARCH, Tool("f")])
    instead = r"no tool \w+; set vendor\.openai_chat\.web_search_options instead(\n|$)"
    with pytest.raises(NoPlace, match=instead):
        openai_chat.build(request)
    assert repaired(request, hosted_tools="off") == (request, [])
    changed, _ = repaired(request)
    assert changed.tools == (Tool("f"),)


def test_other_hosts_do_not_have_the_option() -> None:
    request = Request(MODEL, user("News?"), tools=[SEARCH])
    assert repaired(request, azure_openai_chat) == (request, [])
    dropped, edits = repaired(request, azure_openai_chat, hosted_tools="drop")
    assert (dropped.tools, edits[0][0]) == (None, "dropped")


def test_where_the_model_refuses_the_option_the_error_is_about_the_tool() -> None:
    """The caller did not choose the option, so that nothing is said about it as if they had."""
    request = Request("gpt-5", user("News?"), tools=[HostedTool("web_search")])
    with pytest.raises(NoPlace) as raised:
        openai_chat.build(request, policies="portable")
    assert (raised.value.path, raised.value.field) == ("tools[0]", "hosted")
    assert "only search models search the web" in str(raised.value)
    assert "on purpose" not in str(raised.value)
    chosen = Request("gpt-5", user("News?"), vendor={"openai_chat": {"web_search_options": {}}})
    with refused(Refused, "vendor.web_search_options"):
        openai_chat.build(chosen, policies="portable")
