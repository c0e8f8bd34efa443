"""Requests that vendors' clients send, and their answers read: what pyright sees of it."""

from __future__ import annotations

from anthropic import Anthropic
from google import genai
from openai import OpenAI

from promptwire import Answer, Request, anthropic_messages, gemini_generate, openai_chat, openai_responses


def of_openai(client: OpenAI, request: Request) -> Answer:
    """Send a request to Chat Completions."""
    kwargs = openai_chat.build(request).kwargs_for("openai")
    return openai_chat.read_answer(client.chat.completions.create(**kwargs))


def of_responses(client: OpenAI, request: Request) -> Answer:
    """Send a request to Responses."""
    return openai_responses.read_answer(
        client.responses.create(**openai_responses.build(request).kwargs_for("openai"))
    )


def of_anthropic(client: Anthropic, request: Request) -> Answer:
    """Send a request to Anthropic Messages."""
    kwargs = anthropic_messages.build(request).kwargs_for("anthropic")
    return anthropic_messages.read_answer(client.messages.create(**kwargs))


def of_google(client: genai.Client, request: Request) -> Answer:
    """Send a request to Gemini."""
    kwargs = gemini_generate.build(request).kwargs_for("google-genai")
    return gemini_generate.read_answer(client.models.generate_content(**kwargs))
