"""Dialects that rename keys which their parent's tables name: they read and write their own, or the build says where not."""

from __future__ import annotations

from pathlib import Path

from promptwire_gen.plugin_api import SpecProblem
from tests.checkout import ROOT
from tests.internals.compiler import Layout, compile_project, judge
from tests.spec_texts import shared_texts, spec_text

LAST_MESSAGE = """
body: {message: null, query: {or: [$messages.last.user.content, ""]}}
examples:
  - name: a conversation
    request: {model: command-r, messages: [{user: hi}, {assistant: Hello.}, {user: bye}]}
    body:
      model: command-r
      chat_history: [{role: USER, message: hi}, {role: CHATBOT, message: Hello.}]
      query: bye
"""
ANSWER = """
answer:
  body: {id: null, gid: $id, finish_reason: null, why: $finish}
stream:
  events:
    message-start: [{put: gid, to: gid}, {put: delta.message.role, to: message.role}]
    message-end: [{put: delta.why, to: why}, {put: delta.error, to: error}, {put: delta.usage, to: usage}]
examples:
  - name: a question
    request: {model: command-r, messages: [{user: hi}]}
    body: {model: command-r, messages: [{role: user, content: hi}]}
"""
WRITTEN = """
  write:
    start: {id: null, gid: $id}
    end: [{type: message-end, delta: {why: $finish, usage?: $usage}}, "[DONE]"]
    error: {type: message-end, delta: {why: ERROR, error: $message}}
"""


def problems(folder: Path, parent: str, text: str) -> list[SpecProblem]:
    """Compile a dialect of one wire, and judge its examples."""
    head = f"wire: acme_chat\nextends: {parent}\ntitle: Acme\nclients: null\nsdks: null\n"
    files = {
        **shared_texts(),
        f"{parent}.yaml": spec_text(parent, examples=False),
        "acme_chat.yaml": head + text,
    }
    for name, content in files.items():
        path = folder / "provider_specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    layout = Layout(folder, folder / "provider_specs", ROOT / "templates", folder / "generated")
    return list(judge(compile_project(layout, wires=["acme_chat"], plugins=None), ["acme_chat"]))


def test_another_key_of_the_last_message_is_written_and_read(tmp_path: Path) -> None:
    assert problems(tmp_path, "cohere_v1", LAST_MESSAGE) == []


def test_other_keys_of_an_answer_need_other_written_events(tmp_path: Path) -> None:
    found = problems(tmp_path, "cohere_chat", ANSWER)
    assert sorted([problem.message.partition(": ")[2] for problem in found]) == [
        'a written stream is read with the finish null, a written body with "stop"',
        'a written stream is read with the id null, a written body with "a1"',
    ]
    hint = "stream.write must write the events that stream.events read"
    assert {(problem.rule, problem.hint) for problem in found} == {("example", hint)}


def test_other_keys_of_an_answer_with_their_written_events(tmp_path: Path) -> None:
    text = ANSWER.replace("examples:\n", WRITTEN.strip("\n") + "\nexamples:\n")
    assert problems(tmp_path, "cohere_chat", text) == []
