"""Media types: the ones that an API rejects are spelled as registered, files without one are read and sent."""

from __future__ import annotations

from base64 import b64encode
from importlib import import_module
from typing import Any

import pytest

from promptwire import Image, Options, PromptwireError, Request, user
from promptwire.errors import Refused
from promptwire.parts import Video
from tests.internals.runtime import BEGINNINGS, type_of_bytes
from tests.notes import refused

JPEG = "/9j/4A=="
YOUTUBE = "https://www.youtube.com/watch?v=9hE5-98ZeCg"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"


def asked(model: str, *parts: Any) -> Request:
    return Request(model, [user(*parts)], options=Options(max_tokens=16))


@pytest.mark.parametrize(
    ("first", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF87a\x01\0\x01\0\0\0", "image/gif"),
        (b"GIF89a\x01\0\x01\0\0\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
    ],
)
def test_quick_tests_and_rules_know_the_same_beginnings(first: bytes, media_type: str) -> None:
    data = b64encode(first).decode()
    assert type_of_bytes(data) == media_type
    assert [kind for kind, beginning in BEGINNINGS.items() if data.startswith(beginning)] == [media_type]


@pytest.mark.parametrize(
    ("wire", "model", "given", "sent"),
    [
        ("anthropic_messages", "claude-haiku-4-5", "image/jpg", "image/jpeg"),
        ("anthropic_messages", "claude-haiku-4-5", "IMAGE/JPEG", "image/jpeg"),
        ("anthropic_messages", "claude-haiku-4-5", "image/jpeg; charset=binary", "image/jpeg"),
        ("anthropic_messages", "claude-haiku-4-5", "application/octet-stream", "image/jpeg"),
        ("gemini_generate", "gemini-2.5-flash", "image/jpg", "image/jpeg"),
        ("bedrock_converse", "amazon.nova-lite-v1:0", "Image/Jpeg", "image/jpeg"),
        ("openai_chat", "gpt-4o", "application/octet-stream", "image/jpeg"),
        ("openai_responses", "gpt-5-mini", "image/bmp", "image/jpeg"),
    ],
)
def test_a_rejected_type_is_sent_as_registered_or_as_the_bytes_show(
    wire: str, model: str, given: str, sent: str
) -> None:
    module = import_module(f"promptwire.{wire}")
    request = asked(model, Image(data=JPEG, media_type=given))
    with pytest.raises(PromptwireError):
        module.build(request)
    built = module.build(request, policies="portable")
    assert built.body == module.build(asked(model, Image(data=JPEG, media_type=sent))).body
    assert [(note.action, note.field) for note in built.notes] == [("replaced", "media_type")]
    assert f"does not accept {given}; sent as {sent}" in str(built.notes[0])


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("anthropic_messages", "claude-haiku-4-5"),
        ("bedrock_converse", "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
    ],
)
@pytest.mark.parametrize(
    ("data", "given", "notes"),
    [
        (JPEG, "image/png", ["its bytes are those of image/jpeg, not of image/png"]),
        ("UklGRiQAAABXRUJQVlA4", "image/gif", ["its bytes are those of image/webp, not of image/gif"]),
        ("data:image/jpeg;base64,/9j/4A==", "image/jpeg", ["the bytes stand in the URL itself; sent as data, image/jpeg"]),
        (
            "data:image/jpeg;base64,/9j/4A==", "image/png",
            [
                "the bytes stand in the URL itself; sent as data, image/jpeg",
                "its bytes are those of image/jpeg, not of image/png",
            ],
        ),
    ],
)  # fmt: skip
def test_claude_gets_the_type_of_the_bytes(
    wire: str, model: str, data: str, given: str, notes: list[str]
) -> None:
    module = import_module(f"promptwire.{wire}")
    request = asked(model, Image(data=data, media_type=given))
    with pytest.raises(Refused) as refused:
        module.build(request)
    assert refused.value.field == "user.image.actual_type"
    built = module.build(request, policies="portable")
    assert [note.why for note in built.notes] == notes
    assert not module.build(request, policies="verbatim").notes
    sent = data.rpartition(",")[2]
    kind = "image/webp" if sent.startswith("Ukl") else "image/jpeg"
    assert built.body == module.build(asked(model, Image(data=sent, media_type=kind))).body


def test_the_linter_names_the_picture_of_another_type() -> None:
    module = import_module("promptwire.anthropic_messages")
    source = {"type": "base64", "media_type": "image/png", "data": JPEG}
    body = {
        "model": "claude-haiku-4-5",
        "max_tokens": 16,
        "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}],
    }
    (finding,) = module.check(body)
    assert finding.steps == ("messages", 0, "content", 0)
    assert 'the actual_type "image/jpeg" of an image in a user message is refused' in finding.reason
    assert module.build(module.read(body).request, policies="verbatim").body == body


@pytest.mark.parametrize("data", ["", "holiday.png", "https://example.com/a.png"])
def test_what_is_no_base64_cannot_be_sent_as_an_image(data: str) -> None:
    module = import_module("promptwire.anthropic_messages")
    for policies in ("strict", "portable"):
        with refused(Refused, "messages[0].parts[0].user.image.actual_type"):
            module.build(
                asked("claude-haiku-4-5", Image(data=data, media_type="image/png")), policies=policies
            )


@pytest.mark.parametrize(
    ("wire", "model", "given"),
    [
        ("openai_chat", "gpt-4o", "image/svg+xml"),
        ("openai_chat", "gpt-4o", "image/tiff"),
        ("openai_responses", "gpt-5-mini", "image/heic"),
        ("gemini_generate", "gemini-2.5-flash", "image/svg+xml"),
        ("anthropic_messages", "claude-haiku-4-5", "image/svg+xml"),
    ],
)
def test_a_picture_that_an_api_cannot_read_is_refused(wire: str, model: str, given: str) -> None:
    module = import_module(f"promptwire.{wire}")
    request = asked(model, Image(data="PHN2Zy8+", media_type=given))
    for policies in ("strict", "portable"):
        with pytest.raises(PromptwireError, match="media_type"):
            module.build(request, policies=policies)


def test_the_type_that_everybody_writes_for_jpeg_goes_to_openai_as_it_is() -> None:
    module = import_module("promptwire.openai_chat")
    assert not module.build(asked("gpt-4o", Image(data=JPEG, media_type="image/jpg"))).notes


@pytest.mark.parametrize(
    "part",
    [
        {"fileData": {"fileUri": YOUTUBE}},
        {"file_data": {"file_uri": YOUTUBE}, "video_metadata": {"start_offset": "5s"}},
    ],
)
def test_a_video_of_youtube_needs_no_type(part: dict[str, Any]) -> None:
    module = import_module("promptwire.gemini_generate")
    body = {"contents": [{"role": "user", "parts": [part, {"text": "Sum it up."}]}]}
    reading = module.read(body, GEMINI)
    video = reading.request.messages[0].parts[0]
    assert isinstance(video, Video) and video.url == YOUTUBE
    assert not (*reading.deviations, *reading.unread, *module.check(body, GEMINI))
    assert module.build(reading.request).body == body


def test_a_video_of_youtube_is_built_without_a_type() -> None:
    module = import_module("promptwire.gemini_generate")
    request = asked("gemini-2.5-flash", Video(url=YOUTUBE))
    assert module.build(request).body["contents"][0]["parts"] == [{"fileData": {"fileUri": YOUTUBE}}]
    typed = asked("gemini-2.5-flash", Video(url=YOUTUBE, media_type="video/mp4"))
    assert module.build(typed).body["contents"][0]["parts"] == [
        {"fileData": {"mimeType": "video/mp4", "fileUri": YOUTUBE}}
    ]


@pytest.mark.parametrize(("model", "kept"), [("gemini-2.5-flash", False), ("gemini-3-pro-preview", True)])
def test_the_resolution_of_one_picture_is_for_gemini_3(model: str, kept: bool) -> None:
    module = import_module("promptwire.gemini_generate")
    picture = Image(data=JPEG, media_type="image/jpeg", detail="low")
    built = module.build(asked(model, picture), policies="portable")
    assert ("mediaResolution" in built.body["contents"][0]["parts"][0]) is kept
    assert [(note.action, note.field) for note in built.notes] == ([] if kept else [("dropped", "detail")])
