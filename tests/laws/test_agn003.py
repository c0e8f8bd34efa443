"""The document AGN-003, version 1.2, once more in plain code: the preset and the wire of its name say the same."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from promptwire import aptix_responses
from promptwire.execution import AgentExecuteRequest, ConversationContext, compose
from tests.laws.strategies import searching

TEXTS = st.text(st.sampled_from('a \n\t"`\\<>[]é'), max_size=6)
ABSENT = st.none() | st.just("")
OBJECTS = st.dictionaries(
    st.sampled_from(["type", "name", "x"]), st.integers() | TEXTS | st.none(), max_size=3
)
# text that is no JSON, JSON that is no list, lists of anything
LISTS = (
    st.sampled_from(["nope", "{}", "[", "[]"])
    | st.lists(OBJECTS | st.integers() | st.none() | st.just([])).map(json.dumps)
)  # fmt: skip
RESULTS = st.fixed_dictionaries(
    {"CallId": TEXTS, "Name": TEXTS, "WasExecuted": st.booleans(), "ResultJson": TEXTS}
)


def by_the_document(
    context: ConversationContext,
    request: AgentExecuteRequest,
    rag: str | None,
    usage: str | None,
    stream: bool | None,
) -> dict[str, Any]:
    """Sections 3 to 7, line by line; the block of results, whose words are not given there, as its heading."""
    continues = bool(request.response_continuation_id)
    said = [f"[MODE: {request.mode or ''}]\n\n[INSTRUCTION]\n{request.instruction}"]
    said += [rag] if rag else []
    said += ["[TOOL_RESULTS]"] if request.tool_results_json else []
    prompt = request.system_prompt
    told = [
        context.system or "",
        *([prompt] if prompt and not prompt.isspace() else []),
        *([usage] if usage else []),
    ]
    messages = [] if continues else [item("system", told)]
    body: dict[str, Any] = {"model": context.model_name, "input": [*messages, item("user", said)]}
    body |= {} if context.temperature is None else {"temperature": context.temperature}
    body |= {} if stream is None else {"stream": stream}
    body |= {"previous_response_id": request.response_continuation_id} if continues else {}
    tools = [] if continues else objects(request.tools_json)
    body |= {"tools": tools} if tools else {}
    choice = request.tool_choice_name
    return body | ({"tool_choice": {"type": "tool", "name": choice}} if choice else {})


def item(role: str, texts: list[str]) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


def objects(text: str | None) -> list[Any]:
    """The objects of a JSON array; none of text that is no such array."""
    try:
        value = json.loads(text or "[]")
    except ValueError:
        return []
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def headed(body: dict[str, Any]) -> dict[str, Any]:
    """A body whose block of results, the last text of the user, is its heading alone."""
    last = body["input"][-1]["content"][-1]
    last["text"] = "[TOOL_RESULTS]" if last["text"].startswith("[TOOL_RESULTS]\n\n") else last["text"]
    return body


@searching(300)
@given(
    context=st.builds(ConversationContext, st.just("m"), TEXTS, st.none() | st.floats(0, 2, allow_nan=False)),
    request=st.builds(
        AgentExecuteRequest,
        st.none() | TEXTS,
        TEXTS,
        response_continuation_id=ABSENT | TEXTS,
        tools_json=ABSENT | LISTS,
        tool_choice_name=ABSENT | TEXTS,
        tool_results_json=ABSENT | st.lists(RESULTS, min_size=1, max_size=3).map(json.dumps),
        system_prompt=ABSENT | TEXTS,
    ),
    rag=ABSENT | TEXTS,
    usage=ABSENT | TEXTS,
    stream=st.none() | st.booleans(),
)
def test_every_call_is_the_one_of_the_document(
    context: ConversationContext,
    request: AgentExecuteRequest,
    rag: str | None,
    usage: str | None,
    stream: bool | None,
) -> None:
    composed = compose(
        context,
        request,
        rag_context_block=rag,
        tool_usage_metadata_block=usage,
        stream=stream,
        policies="agn003",
    )
    body: dict[str, Any] = json.loads(aptix_responses.build(composed.request).json())
    expected = by_the_document(context, request, rag, usage, stream)
    assert (headed(body) if request.tool_results_json else body) == expected
