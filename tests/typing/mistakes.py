"""Never executed: mistakes that type checkers must find; an ignore that ignores nothing is an error itself."""

from __future__ import annotations

from promptwire import Message, Options, Policies, Request, Text, ToolCall, ToolChoice, openai_chat, user
from promptwire.anthropic_messages import types as blocks
from promptwire.openai_chat import types as chat
from promptwire.parts import ToolGroup, image_url

request = Request("some-model", [user("hi")])
built = openai_chat.build(request)

openai_chat.build("hi")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
openai_chat.build(request, {"api_key": "key"})  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
openai_chat.build(request, policies=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
built.body["mesages"] = []  # type: ignore[typeddict-unknown-key]  # pyright: ignore[reportGeneralTypeIssues]
built.body["model"] = 3  # type: ignore[typeddict-item]  # pyright: ignore[reportGeneralTypeIssues]
built.url = "https://example.com"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
request.model = "other"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
request.replace(modle="x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
user(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
user("hi", nmae="ann")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
image_url("https://example.com", detial="low")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Options(8)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Options(max_token=8)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Options(stop=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Policies(loss=True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Text()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
ToolCall("c1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Message("user", [3])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
Request("some-model", "hi")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Request("some-model", [], tools=["search"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
ToolGroup("maps", tools=["route"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
ToolChoice("several", names=[3])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]

key: chat.Body = {"model": "m", "messages": [], "temprature": 0.5}  # type: ignore[typeddict-unknown-key]  # pyright: ignore[reportAssignmentType]
role: chat.Item = {"role": "usr", "content": "hi"}  # type: ignore[misc, assignment]  # pyright: ignore[reportAssignmentType]
call: chat.AssistantMessage = {"role": "assistant", "tool_calls": [3]}  # type: ignore[list-item]  # pyright: ignore[reportAssignmentType]
refusal: chat.AssistantMessage = {"role": "assistant", "refusal": 3}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
result: chat.ToolResultPart = {"role": "tool", "tool_call_id": "c1", "content": [3]}  # type: ignore[list-item]  # pyright: ignore[reportAssignmentType]
picture: blocks.ImageDataPartSource = {"type": "base64", "media_type": "bmp", "data": ""}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
thinking: blocks.BodyThinkingBudget = {"type": "enabled", "budget_tokens": "all"}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
