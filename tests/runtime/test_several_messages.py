"""An answer of several messages: each goes back as it came, with its id and its phase."""

from __future__ import annotations

from typing import Any

from promptwire import Answer, Request, Text, openai_responses, tool_result, user
from tests.internals.runtime import replace


def message(number: int, phase: str, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "phase": phase,
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    }


COMMENT, FINAL = message(1, "commentary", "Looking."), message(2, "final_answer", "Cold.")
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "now",
    "arguments": "{}",
    "status": "completed",
}


def answered(*items: dict[str, Any]) -> Answer:
    body = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5.4"}
    body["output"] = list(items)
    answer = openai_responses.read_answer(body)
    assert openai_responses.write_answer(answer) == body
    return answer


def sent(request: Request) -> Any:
    return openai_responses.build(request).body.get("input")


ASKED = Request("gpt-5.4", [user("How warm?")])


def test_both_messages_go_back_with_their_phases() -> None:
    answer = answered(COMMENT, REASONING, FINAL)
    assert answer.text == "Looking.Cold."
    following = sent(ASKED.after(answer, user("Thanks.")))
    assert following[1:] == [COMMENT, REASONING, FINAL, {"role": "user", "content": "Thanks."}]


def test_a_call_stands_in_the_last_message() -> None:
    answer = answered(COMMENT, message(2, "commentary", "One moment."), CALL)
    following = sent(ASKED.after(answer, tool_result("call_1", "12 C")))
    output = {"type": "function_call_output", "call_id": "call_1", "output": "12 C"}
    assert following[1:] == [COMMENT, message(2, "commentary", "One moment."), CALL, output]


def test_a_message_that_was_changed_goes_back_as_it_is_now() -> None:
    answer = answered(COMMENT, FINAL)
    (candidate,) = answer.candidates
    assert candidate.message is not None
    edited = replace(candidate, message=replace(candidate.message, parts=(Text("Warm."),)))
    following = ASKED.after(replace(answer, candidates=(edited,)), user("Thanks."))
    assert [each.parts for each in following.messages[1:]] == [(Text("Warm."),), (Text("Thanks."),)]
