"""One field of a spec against another: what is refused, and how it is said."""

from __future__ import annotations

import pytest

from .small_spec import in_file, printed_at

# text of the whole spec, what stands there instead, the problems
REFUSED: dict[str, tuple[str, str, str]] = {
    "another name than the file's": (
        "wire: small_chat",
        "wire: smal_chat",
        """\
        1:7: wire-name: wire is "smal_chat", and the file is named "small_chat"
            1 | wire: smal_chat
              |       ^^^^^^^^^ write wire: small_chat, or rename the file to smal_chat.yaml""",
    ),
    "a setting named like Python's own": (
        "    betas: {type: list}",
        "    betas: {type: list}\n    class: {}",
        """\
        14:5: bad-value: the setting "class" is a word of Python's own
           14 |     class: {}
              |     ^^^^^""",
    ),
    "a setting named like the one of every wire": (
        "    betas: {type: list}",
        "    betas: {type: list}\n    query: {}",
        """\
        14:5: bad-value: every wire with an address has a setting "query": parameters of the caller's own in the URL
           14 |     query: {}
              |     ^^^^^ give yours another name""",
    ),
    "a header that HTTP does not take": (
        "Bearer ${api_key}",
        "Пропуск ${api_key}",
        """\
        9:38: bad-value: "Пропуск ${api_key}" cannot be sent in a header
            9 |     - {header: authorization, value: "Пропуск ${api_key}", env: SMALL_API_KEY}
              |                                      ^^^^^^^^^^^^^^^^^^^^ it takes ASCII letters""",
    ),
    "a credential of that name": (
        'value: "Bearer ${api_key}"',
        'value: "Bearer ${query}"',
        """\
        9:38: bad-value: every wire with an address has a setting "query": parameters of the caller's own in the URL
            9 |     - {header: authorization, value: "Bearer ${query}", env: SMALL_API_KEY}
              |                                      ^^^^^^^^^^^^^^^^^ give yours another name""",
    ),
    "defaults": (
        "{default: v1, choices: [v1, v2]}",
        "{default: v3, choices: [v1, v2], required: true, type: list}",
        """\
        12:24: bad-value: the default "v3" is none of the choices
           12 |     version: {default: v3, choices: [v1, v2], required: true, type: list}
              |                        ^^
        12:24: wrong-type: transport.settings.version.default must be a list, as its type says
           12 |     version: {default: v3, choices: [v1, v2], required: true, type: list}
              |                        ^^
        12:57: bad-value: transport.settings.version has a default, so it cannot be required
           12 |     version: {default: v3, choices: [v1, v2], required: true, type: list}
              |                                                         ^^^^""",
    ),
    "an unknown setting in the URL": (
        "${base_url}/chat",
        "${base_ur}/$$x/${model}/chat",
        """\
        6:9: unknown-setting: "base_ur" is not a setting of this spec
            6 |   url: "${base_ur}/$$x/${model}/chat"
              |         ^^^^^^^^^^ did you mean "base_url"?""",
    ),
    "an unknown setting in a header": (
        "$betas|comma",
        "$beta|comma",
        """\
        7:56: unknown-setting: "beta" is not a setting of this spec
            7 |   headers: {content-type: application/json, "x-beta?": $beta|comma}
              |                                                        ^^^^^ did you mean "betas"?""",
    ),
    "a credential that is written out": (
        "Bearer ${api_key}",
        "Bearer sk-1",
        """\
        9:38: bad-value: transport.auth[0].value must have one hole, the credential
            9 |     - {header: authorization, value: "Bearer sk-1", env: SMALL_API_KEY}
              |                                      ^^^^^^^^^^^^^""",
    ),
    "settings in a rule": (
        "settings: {version: v2}",
        "settings: {version: v3, vision: x}",
        """\
        24:44: bad-value: "v3" is none of the choices of version
           24 |   - when: {model: o1*, settings: {version: v3, vision: x}, given: [reasoning.budget]}
              |                                            ^^
        24:48: unknown-setting: "vision" is not a setting of this spec
           24 |   - when: {model: o1*, settings: {version: v3, vision: x}, given: [reasoning.budget]}
              |                                                ^^^^^^ did you mean "version"?""",
    ),
    "a rule without effect": (
        "    reject: [temperature, {message.role: system}]\n",
        "",
        """\
        24:5: missing-key: rules[0] needs reject, allow, rename or set
           24 |   - when: {model: o1*, settings: {version: v2}, given: [reasoning.budget]}
              |     ^""",
    ),
    "where instructions go": (
        ", placement: top_level, field: system",
        "",
        """\
        14:1: missing-key: native instructions need "placement"
           14 | instructions: {native: true}
              | ^^^^^^^^^^^^""",
    ),
    "the field of the instructions": (
        ", field: system",
        "",
        """\
        14:1: missing-key: top_level instructions need "field"
           14 | instructions: {native: true, placement: top_level}
              | ^^^^^^^^^^^^""",
    ),
    "what the server holds": (
        "{mode: resend}",
        "{mode: server, keeps: [items], items: omit, instructions: resend}",
        """\
        15:1: missing-key: continuation on the server does not say what becomes of tools
           15 | continuation: {mode: server, keeps: [items], items: omit, instructions: resend}
              | ^^^^^^^^^^^^ write tools: resend""",
    ),
    "fields without a server": (
        "{mode: resend}",
        "{mode: resend, fields: [id]}",
        """\
        15:30: bad-value: resend has no fields: no server keeps anything
           15 | continuation: {mode: resend, fields: [id]}
              |                              ^^^^^^""",
    ),
    "words that stand twice": (
        "choice: [auto, none]",
        "choice: [auto, none, auto]",
        """\
        16:65: duplicate-value: "auto" stands in tools.choice twice
           16 | tools: {format: little, names: "^[a-z]+$", choice: [auto, none, auto]}
              |                                                                 ^^^^""",
    ),
    "names of examples": (
        "name: two",
        "name: one",
        """\
        32:11: duplicate-name: there is another example "one"
           32 |   - name: one
              |           ^^^ the first is examples[0]""",
    ),
    "a body or an error": (
        "    error: {kind: Refused, field: temperature}\n",
        "  - name: three\n    request: {}\n    body: {}\n    error: {kind: NoPlace}\n",
        """\
        32:5: body-or-error: examples[1] needs body or error, and has neither
           32 |   - name: two
              |     ^ write body: {...} or error: {kind: ...}
        34:5: body-or-error: examples[2] needs body or error, and has both
           34 |   - name: three
              |     ^ leave one of them out""",
    ),
    "settings of an example": (
        "    body: {messages",
        "    settings: {versoin: v2, version: v9}\n    body: {messages",
        """\
        31:16: unknown-setting: "versoin" is not a setting of this spec
           31 |     settings: {versoin: v2, version: v9}
              |                ^^^^^^^ did you mean "version"?
        31:38: bad-value: "v9" is none of the choices of version
           31 |     settings: {versoin: v2, version: v9}
              |                                      ^^""",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    old, new, problems = REFUSED[case]
    assert printed_at(old, new) == in_file(problems)
