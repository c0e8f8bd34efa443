"""APIs that take one system text: layers are joined, and parts of a message with a note; names of speakers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import Instruction, Message, Request, Text, user
from promptwire.errors import NoPlace, Refused
from tests.laws.specimens import base
from tests.notes import refused

JOINING = (
    "azure_openai_responses",
    "cohere_v1",
    "compatible_chat",
    "gemini_interactions",
    "mistral_conversations",
    "ollama_chat",
    "onnx_genai",
    "openai_responses",
    "yandex_completion",
)
# APIs that take a list of texts in a message of the system, too
LISTS = {"azure_openai_responses", "compatible_chat", "openai_responses"}
# APIs whose prompt is one text
ONE_MESSAGE = {"bedrock_meta", "bedrock_titan", "ollama_generate"}
WIRES_WITHOUT_NAMES = [
    wire for wire in promptwire.WIRES if wire.startswith(("anthropic", "bedrock", "gemini"))
]


def texts_of(body: Any) -> list[str]:
    """Return all texts of a body that hold the first system text."""
    if isinstance(body, str):
        return [body] if "One." in body else []
    inner = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return [text for value in inner for text in texts_of(value)]


def merged(built: Any) -> list[str]:
    return [f"{note.path}: {note.why}" for note in built.notes if note.action == "merged"]


@pytest.mark.parametrize("wire", JOINING)
def test_layers_are_joined(wire: str) -> None:
    api = getattr(promptwire, wire)
    built = api.build(replace(base(wire), instructions=(Instruction("One."), Instruction("Two."))))
    assert (texts_of(built.body), merged(built)) == (["One.\n\nTwo."], [])


@pytest.mark.parametrize("wire", [wire for wire in promptwire.WIRES if wire not in ONE_MESSAGE])
def test_parts_of_a_system_message_are_joined_with_a_note_where_one_text_is_wanted(wire: str) -> None:
    api, request = getattr(promptwire, wire), base(wire)
    message = Message("system", (Text("One."), Text("Two.")))
    built = api.build(replace(request, messages=(message, user("Hi"))))
    joined = texts_of(built.body) == ["One.\n\nTwo."]
    assert joined is (wire in JOINING and "responses" not in wire)
    # a message that becomes the instructions has a note of that
    moved = any(note.action == "moved" and note.path == "messages[0]" for note in built.notes)
    why = f"messages[0]: {api.WIRE.title} takes one text: 2 are joined with a blank line"
    assert merged(built) == ([why] if joined and not moved else [])
    single = api.build(replace(request, messages=(Message("system", (Text("One."),)), user("Hi"))))
    assert merged(single) == []


@pytest.mark.parametrize("wire", JOINING)
def test_a_policy_refuses_to_join_system_texts(wire: str) -> None:
    api, request = getattr(promptwire, wire), base(wire)
    message = Message("system", (Text("One."), Text("Two.")))
    layered = replace(request, instructions=(Instruction("One."), Instruction("Two.")))
    spoken = replace(request, messages=(message, user("Hi")))
    for several in (layered,) if wire in LISTS else (layered, spoken):
        with pytest.raises(NoPlace, match=r"has 2 texts; .* takes one\. .* system_texts=join"):
            api.build(several, policies="system_texts=off")
    if wire in LISTS:
        assert texts_of(api.build(spoken, policies="system_texts=off").body) == ["One."]
    api.build(replace(request, instructions=(Instruction("One."),)), policies="system_texts=off")


@pytest.mark.parametrize("wire", [*WIRES_WITHOUT_NAMES, "openai_responses", "ollama_chat", "mistral_chat"])
def test_a_speaker_has_a_name_only_where_the_api_has_a_place_for_it(wire: str) -> None:
    api = getattr(promptwire, wire)
    request = replace(base(wire), messages=(Message("user", (Text("Hi"),), name="Ada"),))
    with refused(NoPlace, "messages[0].name"):
        api.build(request)
    for policies, action in (("portable, speakers=drop", "dropped"), ("portable", "replaced")):
        notes = api.build(request, policies=policies).notes
        assert (action, "messages[0]", "name") in [(note.action, note.path, note.field) for note in notes]


def test_a_speakers_name_out_of_pattern_is_refused() -> None:
    request = Request("gpt-4o", (Message("user", (Text("Hi"),), name="Ada Lovelace!"),))
    with refused(Refused, "messages[0].message.name"):
        promptwire.openai_chat.build(request)
