"""`gen build` builds, reads and compares every example before it writes anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import keep_compiled, run_python

pytestmark = pytest.mark.slow

SPEC = """\
wire: acme_chat
title: Acme
extends: openai_like
transport: {url: "https://acme.example/chat"}
examples:
  - name: one
    request: {model: m, messages: [{user: hi}], options: {temprature: 1}}
    body: {model: m, messages: [{role: user, content: hi}]}
  - name: two
    request: {model: m, messages: [{user: hi}], options: {seed: 5}}
    body: {model: m, messages: [{role: user, content: ho}], foo: 3}
  - name: three
    request: {model: m, messages: [{user: hi}]}
    body: {model: m, messages: [{role: user, content: hi}]}
    headers: {x-y: z}
    url: https://acme.example/chats
  - name: four
    request: {model: m, messages: [{user: hi}]}
    error: {kind: NoPlace, field: seed}
answer:
  examples:
    - name: five
      body: {id: a, model: m, odd: 1, choices: [{index: 0, message: {role: assistant, content: Ja.}}]}
      says: {id: a, model: m, text: Nein.}
  error_examples:
    - name: seven
      status: 429
      body: {error: {message: Slow down., code: a_lot}}
      says: {kind: auth, message: Slow., code: a_lot}
stream:
  examples:
    - name: six
      events:
        - {id: a, model: m, choices: [{index: 0, delta: {content: Ja.}, finish_reason: null}]}
        - "[DONE]"
      says: {id: a, model: m, text: Ja., finish: stop}
"""
# line and column of each fault -> words of its message
FAULTS = {
    "7:71": 'unknown key "temprature"; did you mean "temperature"?',
    "11:11": "`body.seed`: the example has nothing, the builder writes 5",
    "11:55": '`body.messages[0].content`: the example has "ho", the builder writes "hi"',
    "11:66": "`body.foo`: the example has 3, the builder writes nothing",
    "15:20": '`headers.x-y`: the example has "z", the builder writes nothing',
    "16:10": "the builder writes",
    "19:12": "the request is built",
    "23:36": "`odd` is not understood when this answer is read",
    "24:37": '`says.text`: the example says "Nein.", the answer has "Ja."',
    "29:20": '`says.kind`: the example says "auth", the error has "rate_limit"',
    "29:35": '`says.message`: the example says "Slow.", the error has "Slow down."',
    "36:50": '`says.finish`: the example says "stop", the answer has nothing',
}


def build(project: Path) -> tuple[int, str]:
    keep_compiled(project)
    done = run_python("-m", "promptwire_gen", "build", "acme_chat", folder=project)
    return done.returncode, done.stdout + done.stderr


def test_every_fault_is_reported_at_its_place_and_nothing_is_written(tmp_path: Path) -> None:
    spec = tmp_path / "provider_specs" / "acme_chat.yaml"
    spec.parent.mkdir()
    spec.write_text(SPEC, "utf-8")
    code, output = build(tmp_path)
    lines = {line.partition(": example: ")[0]: line for line in output.splitlines() if ": example: " in line}
    assert code == 2
    assert {place.partition(":")[2] for place in lines} == FAULTS.keys(), output
    for place, words in FAULTS.items():
        assert words in lines[f"provider_specs/acme_chat.yaml:{place}"]
    assert not (tmp_path / "generated").exists()


def test_sound_examples_are_built(tmp_path: Path) -> None:
    spec = tmp_path / "provider_specs" / "acme_chat.yaml"
    spec.parent.mkdir()
    head, _, rest = SPEC.partition("  - name: one\n")
    spec.write_text(
        head + "  - name: three\n" + rest.split("  - name: three\n")[1].split("    headers:")[0], "utf-8"
    )
    code, output = build(tmp_path)
    assert (code, (tmp_path / "generated/promptwire/acme_chat/writing.py").is_file()) == (0, True), output
