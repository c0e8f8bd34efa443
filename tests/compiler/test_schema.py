"""One field of a spec at a time: what is refused, and how it is said."""

from __future__ import annotations

import pytest

from .small_spec import in_file, printed_at

# text of the whole spec, what stands there instead, the problems
REFUSED: dict[str, tuple[str, str, str]] = {
    "an unknown key at the root": (
        "slots:",
        "slot:",
        """\
        18:1: unknown-key: "slot" is not a key of a spec
           18 | slot: {content: list, refusal: one}
              | ^^^^ did you mean "slots"?""",
    ),
    "an unknown key that is like no other": (
        "{mode: resend}",
        "{mode: resend, x: 1}",
        """\
        15:30: unknown-key: "x" is not a key of continuation
           15 | continuation: {mode: resend, x: 1}
              |                              ^ the keys are mode, fields, keeps, items, instructions, tools, binds, begins""",
    ),
    "an unknown key in a list": (
        "    reject:",
        "    rejects:",
        """\
        25:5: unknown-key: "rejects" is not a key of rules[0]
           25 |     rejects: [temperature, {message.role: system}]
              |     ^^^^^^^ did you mean "reject"?""",
    ),
    "an unknown union": (
        "unions: {tool:",
        "unions: {tol:",
        """\
        20:10: unknown-key: "tol" is not a key of unions
           20 | unions: {tol: {function: {name: $name}}}
              |          ^^^ did you mean "tool"?""",
    ),
    "missing keys": (
        "  method: POST\n",
        "",
        """\
        4:1: missing-key: transport lacks "method"
            4 | transport:
              | ^^^^^^^^^""",
    ),
    "a missing section": (
        "title: Small Chat\n",
        "",
        """\
        1:1: missing-key: the spec lacks "title"
            1 | wire: small_chat
              | ^""",
    ),
    "not one of the words": (
        "POST",
        "PSOT",
        """\
        5:11: bad-value: "PSOT" is not a value of transport.method: use POST or GET
            5 |   method: PSOT
              |           ^^^^ did you mean "POST"?""",
    ),
    "true where words are": (
        "{mode: resend}",
        "{mode: true}",
        """\
        15:22: bad-value: continuation.mode must be resend or server, not true
           15 | continuation: {mode: true}
              |                      ^^^^""",
    ),
    "a number is not true": (
        "native: true",
        "native: 1",
        """\
        14:24: bad-value: "1" is not a value of instructions.native: use true, false or unknown
           14 | instructions: {native: 1, placement: top_level, field: system}
              |                        ^""",
    ),
    "a number where text is": (
        "title: Small Chat",
        "title: 3",
        """\
        2:8: wrong-type: title must be text, not a number
            2 | title: 3
              |        ^ put it in quotes""",
    ),
    "nothing where text is": (
        "title: Small Chat",
        "title:",
        """\
        2:7: wrong-type: title must be text, not nothing
            2 | title:
              |       ^ write its text""",
    ),
    "text where a mapping is": (
        'tools: {format: little, names: "^[a-z]+$", choice: [auto, none]}',
        "tools: openai",
        """\
        16:8: wrong-type: tools must be a mapping, not text
           16 | tools: openai
              |        ^^^^^^""",
    ),
    "text where a list is": (
        "[merge_neighbours]",
        "merge_neighbours",
        """\
        22:9: wrong-type: passes must be a list, not text
           22 | passes: merge_neighbours
              |         ^^^^^^^^^^^^^^^^""",
    ),
    "text where a section of shapes is": (
        "parts: {text: $text}",
        "parts: $text",
        """\
        21:8: wrong-type: parts must be a mapping, not text
           21 | parts: $text
              |        ^^^^^""",
    ),
    "a list where a request is": (
        "request: {messages: [{user: hi}]}",
        "request: [hi]",
        """\
        30:14: wrong-type: examples[0].request must be a mapping, not a list
           30 |     request: [hi]
              |              ^""",
    ),
    "one wrong value of a list": (
        "reject: [temperature,",
        "reject: [temperature, top p, 3,",
        """\
        25:27: bad-value: rules[0].reject[1] names "top p", which is not a field
           25 |     reject: [temperature, top p, 3, {message.role: system}]
              |                           ^^^^^""",
    ),
    "one wrong value that stands for a list": (
        "model: o1*,",
        "model: 1,",
        """\
        24:19: wrong-type: rules[0].when.model must be text, not a number
           24 |   - when: {model: 1, settings: {version: v2}, given: [reasoning.budget]}
              |                   ^ put it in quotes""",
    ),
    "the wire's name": (
        "wire: small_chat",
        "wire: Small-Chat",
        """\
        1:7: bad-value: wire must be 2 to 64 lower-case letters, digits or _, a letter first
            1 | wire: Small-Chat
              |       ^^^^^^^^^^""",
    ),
    "links": (
        "https://example.com/docs",
        "http://example.com/docs",
        """\
        3:7: bad-value: docs must be a link that begins with https://
            3 | docs: http://example.com/docs
              |       ^^^^^^^^^^^^^^^^^^^^^^^""",
    ),
    "a pattern": (
        "^[a-z]+$",
        "^[a-z+$",
        """\
        16:32: bad-value: tools.names must be a regular expression: unterminated character set at position 1
           16 | tools: {format: little, names: "^[a-z+$", choice: [auto, none]}
              |                                ^^^^^^^^^""",
    ),
    "names of settings": (
        "    betas: {type: list}",
        "    betas: {type: list}\n    Odd name: {}\n    class: {}",
        """\
        14:5: bad-value: "Odd name" in transport.settings must be one lower-case word
           14 |     Odd name: {}
              |     ^^^^^^^^""",
    ),
    "a default that is no text": (
        "{default: v1, choices: [v1, v2]}",
        "{default: 1}",
        """\
        12:24: wrong-type: transport.settings.version.default must be text or a list of texts, not a number
           12 |     version: {default: 1}
              |                        ^""",
    ),
    "a header's name": (
        "header: authorization",
        'header: "x\\r\\ny"',
        """\
        9:16: bad-value: transport.auth[0].header must be the name of a header
            9 |     - {header: "x\\r\\ny", value: "Bearer ${api_key}", env: SMALL_API_KEY}
              |                ^^^^^^^^""",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    old, new, problems = REFUSED[case]
    assert printed_at(old, new) == in_file(problems)
