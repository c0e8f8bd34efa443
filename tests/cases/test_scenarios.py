"""The scenarios of the five documents that the packages of instructions, toolkits, prompts and calls began with, by id.

A scenario says what goes in and what must come out, in the words of its document; `KINDS` runs each kind.
`test_requirements.py` has the table of all requirements.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from promptwire import (
    Answer,
    Request,
    ToolCall,
    ToolResult,
    aptix_responses,
    assistant,
    load_request,
    openai_chat,
    user,
)
from promptwire.context import DEFAULT_PLAN_TEXT, ContextPolicies, Pipeline, PlanMode, instruction_path
from promptwire.execution import AgentExecuteRequest, ConversationContext, compose
from promptwire.prompts import ChatMessage, ProviderRequest, convert, deliver
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Session, Toolkit, Toolkits, skill
from tests.internals.runtime import container_description, names_of, text_of

FILE = Path(__file__).parent / "scenarios" / "scenarios.jsonl"
SCENARIOS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in map(json.loads, FILE.read_text("utf-8").splitlines())
}


def messages_of(rows: Any) -> list[dict[str, str]]:
    return [{"role": row.role, "content": row.content} for row in rows]


def converted(given: Mapping[str, Any]) -> ProviderRequest:
    return convert(
        given["messages"],
        files=given.get("files"),
        guideline_patterns=given.get("guideline_patterns", ()),
        guidelines=given.get("guideline_content", ()),
        system_prompt=given.get("metadata_system_prompt"),
        policies=ContextPolicies(**given.get("policy", {})),
    )


def run_convert(given: Mapping[str, Any], expected: Any) -> None:
    assert messages_of(converted(given).chat_prompt) == expected["chat_prompt"]


def run_build_request(given: Mapping[str, Any], expected: Any) -> None:
    request = converted(given)
    found = {
        "question": request.question,
        "chat_prompt": messages_of(request.chat_prompt),
        "guidelines": list(request.guidelines),
    }
    assert {name: found[name] for name in expected} == expected


def run_provider_messages(given: Mapping[str, Any], expected: Any) -> None:
    words = dict(given["request"])
    if words.get("chat_prompt"):
        words["chat_prompt"] = [ChatMessage(row["role"], row["content"]) for row in words["chat_prompt"]]
    policies = ContextPolicies(**{name: given[name] for name in ("default_system_prompt",) if name in given})
    channel = given.get("provider", {}).get("prompt_channel", "structured")
    messages = messages_of(deliver(ProviderRequest(**words), policies, channel=channel).messages)
    if "messages" in expected:
        assert messages == expected["messages"]
    if "messages_tail" in expected:
        assert messages[-len(expected["messages_tail"]) :] == expected["messages_tail"]
        assert expected["not_contains"] not in json.dumps(messages)
    if "prompt" in expected:
        assert [row["content"] for row in messages] == [expected["prompt"]]


def run_prepend_instructions(given: Mapping[str, Any], expected: Any) -> None:
    request = load_request({"messages": [{row["role"]: row["content"]} for row in given["messages"]]})
    agent = Pipeline(base=given["instructions"], native=False, policies="seed")
    prepared = agent.prepare(request).request
    assert [{"role": row.role, "content": text_of(row)} for row in prepared.messages] == expected


def run_openai_chat_request(given: Mapping[str, Any], expected: Any) -> None:
    messages = load_request(
        {"messages": [{row["role"]: row["content"]} for row in given["messages"]]}
    ).messages
    for path in given.get("path_values", [given.get("path")]):
        agent = Pipeline(native=path == "native_option")
        request = Request(given["model"], messages, instructions=given["instructions"])
        assert openai_chat.build(agent.prepare(request).request).body == expected


def run_instruction_merge(given: Mapping[str, Any], expected: Any) -> None:
    plan = None
    if "plan" in given:
        plan = PlanMode(enabled=given["plan"]["enabled"], text=given["plan"].get("custom"))
    agent = Pipeline(
        base=given.get("base"),
        plan=plan,
        dynamic=[lambda _, text=text: text for text in given.get("dynamic", ())],
        native=given.get("provider", {}).get("native_instructions"),
        policies=ContextPolicies(**given.get("policy", {})),
    )
    report = agent.prepare(Request("m", user("Hi"), instructions=given.get("per_request"))).report
    if isinstance(expected, dict):
        assert report.text == expected["starts_with"] + DEFAULT_PLAN_TEXT
    else:
        assert report.text == expected
    assert bool(report.notes) == ("policy" in given)


def run_instruction_path(given: Mapping[str, Any], expected: Any) -> None:
    assert instruction_path(given["provider"]["native_instructions"]) == expected


def run_container_description(given: Mapping[str, Any], expected: Any) -> None:
    config = CollapsingConfig(max_function_names_in_description=given["max_names"], **given.get("policy", {}))
    assert container_description("Kit", given["description"], given["functions"], config) == expected


def functions(names: Any) -> list[Any]:
    tools: Any = load_request({"tools": [{"name": name} for name in names]}).tools
    return list(tools)


def run_visible_tools(given: Mapping[str, Any], expected: Any) -> None:
    kits = [Toolkit(row["container"], "x", functions(row["functions"])) for row in given["plugins"]]
    session = Session(
        Toolkits(kits, CollapsingConfig(**given.get("collapsing", {}))), Request("m", user("Hi"))
    )
    session = session.expand(*given["expanded"])
    assert list(names_of(session.request.tools or ())) == expected


def calling(session: Session, name: str) -> Session:
    answer = Answer(candidates=(Candidate(message=assistant(ToolCall(f"c_{name}", name))),))
    return session.after(answer)


def result_text(session: Session) -> str:
    (result,) = session.request.messages[-1].parts
    assert isinstance(result, ToolResult)
    return "".join([getattr(part, "text", "") for part in result.parts])


def run_container_prompt(given: Mapping[str, Any], expected: Any) -> None:
    kits = [
        Toolkit(
            row["name"],
            "x",
            functions(["Read"]),
            system_prompt="\n    " + row["system_prompt"].replace("\n", "\n    "),
        )
        for row in given["containers"]
    ]
    session = Session(
        Toolkits(kits, CollapsingConfig(**given["policy"])),
        Request("m", user("Hi"), instructions=given["instructions"]),
    )
    for kit in kits:
        session = calling(session, kit.name)
    assert session.request.instructions == expected["result"]


def run_container_lifecycle(given: Mapping[str, Any], expected: Any) -> None:
    kit = Toolkit("FilePlugin", "x", functions(["ReadFile"]), system_prompt=given["system_prompt"])
    config = CollapsingConfig(
        persist_system_prompt_injections=given.get("persist_system_prompt_injections", False)
    )
    first = Session(Toolkits([kit], config), Request("m", user("Hi"), instructions=given["instructions"]))
    second = calling(first, "FilePlugin")
    third = second.turn(user("Another topic"))
    sessions = (first, second, third)
    assert [given["system_prompt"] in str(session.request.instructions) for session in sessions] == expected[
        "prompt_present_in_system_of_call"
    ]
    assert ["ReadFile" in session.shown for session in sessions] == expected["functions_visible_in_call"]


def run_skill_activation(given: Mapping[str, Any], expected: Any) -> None:
    mode = {"Both": "both", "PromptMiddlewareOnly": "prompt_only"}[given["mode"]]
    kits = [skill(given["skill"], "x", given["instructions"], tools=functions(["Find"]))]
    session = Session(Toolkits(kits, CollapsingConfig(skill_instruction_mode=mode)), Request("m", user("Hi")))
    session = calling(session, given["skill"])
    result = result_text(session)
    assert expected["system_contains"] in str(session.request.instructions)
    assert expected.get("function_result_contains", "") in result
    assert expected.get("function_result_not_contains", "never said") not in result


def run_container_expand(given: Mapping[str, Any], expected: Any) -> None:
    kit = Toolkit(
        given["name"],
        "x",
        functions(given["functions"]),
        function_result=lambda: given["function_result"]["returns"],
        system_prompt=given["system_prompt"],
    )
    session = calling(Session(Toolkits([kit]), Request("m", user("Hi"), instructions="I")), given["name"])
    result = result_text(session)
    assert result == expected["tool_result"]
    assert list(names_of(session.request.tools or ())) == expected["tools"]
    assert str(session.request.instructions).endswith(expected["system_ends_with"])


def run_config_defaults(_: Mapping[str, Any], expected: Any) -> None:
    config = CollapsingConfig()
    words = {**expected, "skill_instruction_mode": expected["skill_instruction_mode"].lower()}
    assert {name: getattr(config, name) for name in words} == words


def run_agn003_build(given: Mapping[str, Any], expected: Any) -> None:
    words = dict(given["request"])
    if "continuation_id" in words:
        words["response_continuation_id"] = words.pop("continuation_id")
    context = given["context"]
    composed = compose(
        ConversationContext(context["model"], context["system"], context["temperature"]),
        AgentExecuteRequest(**words),
        rag_context_block=given["rag_context_block"],
        tool_usage_metadata_block=given["tool_usage_metadata_block"],
        stream=given["stream"],
        policies=given["policy"]["dialect"],
    )
    body: Any = aptix_responses.build(composed.request, settings={"base_url": "https://x.test"}).body
    checks = {"absent", "user_items", "user_item_3_starts_with"}
    assert {name: body[name] for name in expected.keys() - checks} == {
        name: value for name, value in expected.items() if name not in checks
    }
    assert not [name for name in expected.get("absent", ()) if name in body]
    items = body["input"][-1]["content"]
    assert len(items) == expected.get("user_items", len(items))
    if "user_item_3_starts_with" in expected:
        assert items[2]["text"].startswith(expected["user_item_3_starts_with"])


KINDS: dict[str, Callable[[Mapping[str, Any], Any], None]] = {
    name.removeprefix("run_"): function for name, function in globals().items() if name.startswith("run_")
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    scenario = SCENARIOS[name]
    KINDS[scenario["kind"]](scenario["input"], scenario["expected"])


def test_every_kind_is_run() -> None:
    assert {row["kind"] for row in SCENARIOS.values()} == set(KINDS)
    assert len(SCENARIOS) == 74
