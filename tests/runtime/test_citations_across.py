"""Citations of pages cross between the APIs that have a form for them, in whole answers and in streams."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Note
from tests.answers import module, read_stream

URL, TITLE = "https://oslo.example/", "2026"
PAGE = {"url": URL, "title": TITLE, "start_index": 4, "end_index": 8}
BODIES: dict[str, dict[str, Any]] = {
    "openai_responses": {
        "id": "r", "object": "response", "model": "m", "status": "completed",
        "output": [{"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": "See Oslo.", "annotations": [{"type": "url_citation", **PAGE}]},
        ]}],
    },
    "openai_chat": {
        "id": "c", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "See Oslo.",
            "annotations": [{"type": "url_citation", "url_citation": PAGE}],
        }}],
    },
    "anthropic_messages": {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "See Oslo.", "citations": [{
            "type": "web_search_result_location", "url": URL, "title": TITLE, "cited_text": "Oslo",
            "encrypted_index": "Eo8BCioIAhgB",
        }]}],
    },
}  # fmt: skip


def citations(answer: Any, wire: str) -> Any:
    """Return the citations of an answer: those of its text, or of its message on Chat Completions."""
    if wire == "openai_chat":
        return (answer.message.vendor or {}).get(wire, {}).get("annotations")
    return answer.parts[-1].citations


def cited(source: str, wire: str, *, start: int) -> dict[str, Any]:
    """Return the citation that an API has of the page in an answer of another one."""
    # Anthropic does not say where its citations are
    exact = source != "anthropic_messages"
    place = {"start_index": start + 4 * exact, "end_index": start + (8 if exact else 9)}
    page = {"url": URL, "title": TITLE, **place}
    if wire == "openai_responses":
        return {"type": "url_citation", **page}
    if wire == "openai_chat":
        return {"type": "url_citation", "url_citation": page}
    kind = {"type": "web_search_result_location", "url": URL, "title": TITLE}
    return {**kind, "cited_text": "Oslo", "encrypted_index": ""}


PAIRS = [(source, wire) for source in BODIES for wire in BODIES if source != wire]


@pytest.mark.parametrize(("source", "wire"), PAIRS)
def test_a_citation_of_a_page_crosses(source: str, wire: str) -> None:
    answer = module(source).read_answer(BODIES[source])
    notes: list[Note] = []
    body = module(wire).write_answer(answer, policies="lenient", notes=notes)
    raw = module(wire).write_stream(id="a", model="m", policies="lenient", notes=notes).answer(answer)
    expected = [cited(source, wire, start=0)]
    assert citations(module(wire).read_answer(body), wire) == expected
    assert citations(read_stream(wire, [raw])[1], wire) == expected
    assert not [note for note in notes if "citation" in note.field or "annotation" in note.field]


def test_places_of_citations_count_the_texts_before_them() -> None:
    body = BODIES["anthropic_messages"]
    answer = module("anthropic_messages").read_answer(
        {**body, "content": [{"type": "text", "text": "Hello. "}, *body["content"]]}
    )
    chat = module("openai_chat")
    expected = [cited("anthropic_messages", "openai_chat", start=7)]
    written = chat.write_answer(answer, policies="lenient")
    assert written["choices"][0]["message"]["annotations"] == expected
    raw = chat.write_stream(id="a", model="m", policies="lenient").answer(answer)
    assert citations(read_stream("openai_chat", [raw])[1], "openai_chat") == expected


@pytest.mark.parametrize("wire", ["gemini_generate", "deepseek_chat", "anthropic_messages"])
def test_other_citations_are_left_out_with_a_note(wire: str) -> None:
    body = BODIES["openai_responses"]
    (item,) = body["output"]
    file = {"type": "file_citation", "file_id": "f", "filename": "a.txt", "index": 3}
    content = [{"type": "output_text", "text": "See Oslo.", "annotations": [file]}]
    answer = module("openai_responses").read_answer({**body, "output": [{**item, "content": content}]})
    notes: list[Note] = []
    module(wire).write_answer(answer, policies="lenient", notes=notes)
    assert [note.action for note in notes if note.field == "citations"] == ["dropped"]
