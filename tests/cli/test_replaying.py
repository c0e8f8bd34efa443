"""preview and read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from .conftest import Gen

REQUEST = {"model": "m", "messages": "hi", "top_k": 4}
BODY = {"model": "m", "messages": "hi", "x_new": 1}
LENIENT = ("--policies", "lenient")


@pytest.fixture
def request_file(generated: Path) -> str:
    path = generated / "request.json"
    path.write_text(json.dumps(REQUEST))
    return str(path)


@pytest.fixture
def body_file(generated: Path) -> str:
    path = generated / "body.json"
    path.write_text(json.dumps(BODY))
    return str(path)


def test_preview_shows_the_whole_request(request_file: str, cli: Gen) -> None:
    assert cli("preview", "south_chat", request_file, *LENIENT).stdout == (
        "POST https://main.south/chat\n"
        "authorization: Bearer $SOUTH_KEY\n"
        "\n"
        '{\n  "model": "m",\n  "messages": "hi"\n}\n'
        "\n"
        "notes:\n"
        "  dropped top_k: no place for it\n"
    )


def test_preview_as_json_curl_and_notes(request_file: str, cli: Gen) -> None:
    assert json.loads(cli("preview", "south_chat", request_file, *LENIENT, "--json").stdout) == {
        "method": "POST",
        "url": "https://main.south/chat",
        "headers": {"authorization": "Bearer $SOUTH_KEY"},
        "body": {"model": "m", "messages": "hi"},
        "notes": [{"action": "dropped", "path": "", "field": "top_k", "why": "no place for it"}],
    }
    preview = ("preview", "south_chat", request_file, *LENIENT)
    assert cli(*preview, "--curl").stdout == "curl -X POST https://main.south/chat\n"
    assert cli(*preview, "--notes").stdout == "dropped top_k: no place for it\n"
    result = cli(*preview, "--notes", "--curl")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


def test_preview_takes_settings_and_never_shows_a_credential(request_file: str, cli: Gen) -> None:
    settings = ("--setting", "region=eu", "--setting", "betas=a=b", "--setting", "api_key=sk-secret")
    result = cli("preview", "south_chat", request_file, *LENIENT, *settings)
    assert result.stdout.splitlines()[:3] == [
        "POST https://eu.south/chat",
        "authorization: Bearer $SOUTH_KEY",
        "betas: ['a=b']",
    ]
    assert "sk-secret" not in result.output


@pytest.mark.parametrize("form", [(), ("--json",), ("--curl",)])
def test_preview_masks_a_credential_in_the_url(cli: Gen, form: tuple[str, ...]) -> None:
    given = ("--setting", "query=beta=1&key=s3cret", "--setting", "base_url=https://me:pa55@h.example/v1")
    result = cli(
        "preview", "openai_chat", "-", *given, *form, stdin='{"model": "m", "messages": [{"user": "hi"}]}'
    )
    # curl gets each piece quoted as the shell needs it
    shown = result.stdout.replace('\'"$KEY"', "$KEY")
    assert "https://h.example/v1/chat/completions?beta=1&key=$KEY" in shown
    assert "s3cret" not in result.output and "pa55" not in result.output


def test_preview_shows_what_the_caller_signs(request_file: str, cli: Gen) -> None:
    preview = ("preview", "south_chat", request_file, *LENIENT, "--setting", "region=far")
    assert cli(*preview).stdout.splitlines()[:3] == [
        "POST https://far.south/chat",
        "authorization: Bearer $SOUTH_KEY",
        "signed by the caller: scheme odd_scheme, service south, region far",
    ]
    signing = {"scheme": "odd_scheme", "service": "south", "region": "far"}
    assert json.loads(cli(*preview, "--json").stdout)["signing"] == signing


def test_read_shows_the_settings_of_the_url(generated: Path, cli: Gen) -> None:
    row = json.dumps({"body": {"messages": "hi"}, "url": "https://far.south/chat"})
    lines = cli("read", "south_chat", "-", stdin=row).stdout.splitlines()
    assert lines[:3] == [
        "messages: hi",
        "# a request: understood 1 of 1 leaves, 0 only kept",
        "# --setting region=far",
    ]
    assert json.loads(cli("read", "south_chat", "-", "--json", stdin=row).stdout)["settings"] == {
        "region": "far"
    }


def test_preview_reads_standard_input(generated: Path, cli: Gen) -> None:
    result = cli("preview", "south_chat", "-", "--notes", stdin='{"messages": "hi"}')
    assert (result.exit_code, result.stdout) == (0, "no notes\n")


REAL_STDIN = [
    ("{model: m, messages: [{user: hi}]}", "hi"),
    ("model: m\nmessages: [{user: hi}]\n", "hi"),
    ('{"model": "m",\n\t"messages": [{"user": "a\\/b"}]}', "a/b"),
    ('\ufeff{"model": "m", "messages": [{"user": "hi"}]}', "hi"),
    ("{input_messages: [{role: user, content: hi}], request: {model: m}}", "hi"),
]  # fmt: skip


@pytest.mark.parametrize(("stdin", "said"), REAL_STDIN)
def test_standard_input_is_json_or_yaml(cli: Gen, stdin: str, said: str) -> None:
    answer = json.loads(cli("preview", "openai_chat", "-", "--json", stdin=stdin).stdout)
    assert answer["body"]["messages"][-1] == {"role": "user", "content": said}


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        ('{"model": "m",\n\t"messages": [{"user": "hi"},]}', "2:30: invalid JSON: Expecting value"),
        ("[1,\t2", "1:6: invalid JSON: Expecting ',' delimiter"),
        ('{"input_messages": [}', "1:21: invalid JSON: Expecting value"),
        ("{model: m", "2:1: invalid YAML: did not find expected ',' or '}' (while parsing a flow mapping)"),
    ],
)
def test_broken_standard_input_is_told_as_what_it_was_meant_to_be(cli: Gen, stdin: str, message: str) -> None:
    result = cli("preview", "openai_chat", "-", stdin=stdin)
    assert (result.exit_code, result.stderr) == (2, f"promptwire: standard input:{message}\n")


@pytest.mark.parametrize("command", ["preview", "read"])
def test_standard_input_that_is_no_utf8_is_one_line(cli: Gen, command: str) -> None:
    result = cli(command, "openai_chat", "-", stdin=b"\xff\xfe")
    assert result.exit_code == 2
    assert (
        result.stderr.startswith("promptwire: standard input: not UTF-8: ") and result.stderr.count("\n") == 1
    )


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (("south_chat", "-"), '{"top_k": 1}', "south_chat: top_k: no place for it"),
        (("south_chat", "-"), '{"a": ', "standard input:1:1: invalid JSON"),
        (("suth_chat", "-"), "{}", '"suth_chat" is not a wire: did you mean "south_chat"?'),
        (("os", "-"), "{}", '"os" is not a wire: use one of south_chat, faulty_chat'),
        (("south_chat", "-", "--policies", "x"), "{}", '"x" is not a preset'),
        (("south_chat", "-", "--setting", "x"), "{}", '"x" is not a setting: write name=value'),
        (("south_chat", "-", "--setting", "x=1"), "{}", "unknown setting in ['x']"),
    ],
)
def test_what_preview_refuses_is_one_line(
    generated: Path, cli: Gen, arguments: tuple[str, ...], stdin: str, message: str
) -> None:
    result = cli("preview", *arguments, stdin=stdin)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"promptwire: {message}\n")


def test_read_prints_a_request_that_loads_again(body_file: str, cli: Gen) -> None:
    assert cli("read", "south_chat", body_file).stdout == (
        "model: m\nmessages: hi\n# a request: understood 2 of 3 leaves, 1 only kept\n#   kept body.x_new\n"
    )


def test_read_as_json_has_everything(body_file: str, cli: Gen) -> None:
    assert json.loads(cli("read", "south_chat", body_file, "--json").stdout) == {
        "read_as": "request",
        "request": {"model": "m", "messages": "hi", "kept": {"x_new": 1}},
        "notes": [],
        "leaves": 3,
        "understood": 2,
        "kept": 1,
        "unknown": {"body.x_new": 1},
        "deviations": [],
        "unread": [],
    }


def test_read_takes_a_recorded_row_with_its_url(generated: Path, cli: Gen) -> None:
    row = json.dumps({"url": "https://s", "body": {"messages": "hi"}})
    result = cli("read", "south_chat", "-", stdin=row)
    assert result.stdout.splitlines()[1:] == [
        "# a request: understood 1 of 1 leaves, 0 only kept", "# notes:", "#   moved model: from https://s",
    ]  # fmt: skip


def test_read_quotes_texts_that_look_like_numbers(generated: Path, cli: Gen) -> None:
    words = ["1e3", "0o17", "0x1f", ".5", "5.", "off", "1_000", "null", "2026-01-01", "1.5"]
    bare = ["2 apples", "0o19", "1e3x", "v1.5"]
    body = {"messages": "hi"} | {f"k{index}": word for index, word in enumerate((*words, *bare))}
    result = cli("read", "south_chat", "-", stdin=json.dumps(body))
    written = [line.partition(": ")[2] for line in result.stdout.splitlines()[1:-1]]
    assert written == [*(f"'{word}'" for word in words), *bare]


def test_read_to_another_wire_builds_it_there(generated: Path, cli: Gen) -> None:
    row = json.dumps({"url": "https://s", "body": {"messages": "hi", "top_k": 3}})
    result = cli("read", "south_chat", "-", "--to", "south_chat", stdin=row)
    assert result.stdout == (
        '{\n  "messages": "hi"\n}\n\n'
        "notes:\n  moved model: from https://s\n  dropped top_k: no place for it\n"
    )
    as_json = json.loads(cli("read", "south_chat", "-", "--to", "south_chat", "--json", stdin=row).stdout)
    assert as_json["body"] == {"messages": "hi"}
    assert [note["field"] for note in as_json["notes"]] == ["model", "top_k"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (("south_chat", "-"), "{}", 'south_chat: the body has no "messages"'),
        (("south_chat", "-"), "[1]", "standard input: a body is a JSON object"),
        (("south_chat", "-"), '{"a" 1}', "standard input:1:6: not JSON: Expecting ':' delimiter"),
        (("south_chat", "-"), '{"a": 1}\n{"b": 2}\n', "standard input:2:1: not JSON: Extra data"),
        (("south_chat", "-"), '{"a": [{"b": 1,\n"b": 2}]}',
         'standard input:2:1: a[0]: the key "b" is repeated (first on line 1)'),
        (("south_chat", "-"), '{"a": [-Infinity]}', "standard input:1:8: -Infinity is not a JSON number"),
        (("south_chat", "missing.json"), "", "missing.json: No such file or directory"),
        (("south_chat", "-", "--to", "suth_chat"), '{"messages": 1}',
         '"suth_chat" is not a wire: did you mean "south_chat"?'),
        (("south_chat", "-", "--to", "south_chat", "--policies", "sloppy"), '{"messages": 1}',
         '"sloppy" is not a preset'),
    ],
)  # fmt: skip
def test_what_read_refuses_is_one_line(
    generated: Path, cli: Gen, arguments: tuple[str, ...], stdin: str, message: str
) -> None:
    result = cli("read", *arguments, stdin=stdin)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"promptwire: {message}\n")


def test_without_the_generated_package_the_answer_says_what_to_run(
    generated: Path, cli: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "promptwire", None)
    result = cli("read", "south_chat", "-", stdin="{}")
    assert (result.exit_code, result.stderr) == (
        2,
        'promptwire: promptwire cannot be imported: run "gen build" first\n',
    )


def test_read_shows_that_a_url_is_of_another_wire(cli: Gen) -> None:
    row = json.dumps({"url": "https://h.example/v1/messages", "body": {"messages": [], "model": "m"}})
    lines = cli("read", "openai_chat", "-", stdin=row).stdout.splitlines()
    why = "no URL of OpenAI Chat Completions has this form: expected ${base_url}/chat/completions"
    assert lines[-2:] == ["# notes:", f"#   dropped url: {why}"]


HI = '{"model": "m", "options": {"max_tokens": 9}, "messages": [{"user": "hi"}]}'


def test_several_wires_stand_side_by_side(cli: Gen) -> None:
    result = cli("preview", "openai_chat,ollama_chat", "-", "--model", "n", stdin=HI)
    rows = [line.split("  ") for line in result.stdout.splitlines()]
    columns = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert columns[:2] == [
        ["openai_chat", "ollama_chat"],
        ["POST https://api.openai.com/v1/chat/completions", "POST http://127.0.0.1:11434/api/chat"],
    ]
    assert sum(row.count('"model": "n",') for row in columns) == 2


def test_each_of_several_wires_takes_its_own_settings(cli: Gen) -> None:
    preview = ("preview", "openai_chat,azure_openai_chat", "-", "--setting", "endpoint=https://x.example")
    bodies = json.loads(cli(*preview, "--json", stdin=HI).stdout)
    assert list(bodies) == ["openai_chat", "azure_openai_chat"]
    assert bodies["openai_chat"]["url"] == "https://api.openai.com/v1/chat/completions"
    assert bodies["azure_openai_chat"]["url"].startswith("https://x.example/openai/")
    result = cli(*preview, "--setting", "region=r", stdin=HI)
    assert result.stderr == 'promptwire: "region=r" is a setting of none of openai_chat, azure_openai_chat\n'


def test_read_to_takes_settings_of_the_target(cli: Gen) -> None:
    body = '{"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}'
    given = ("--to", "azure_openai_chat", "--model", "m", "--setting", "endpoint=https://x.example")
    assert json.loads(cli("read", "gemini_generate", "-", *given, stdin=body).stdout)["model"] == "m"
    refused = cli("read", "gemini_generate", "-", "--to", "openai_chat", "--setting", "x=1", stdin=body)
    assert (refused.exit_code, refused.stderr.startswith("promptwire: openai_chat: ")) == (2, True)
    assert cli("read", "gemini_generate", "-", "--setting", "x=1", stdin=body).exit_code == 2


ANSWER = '{"id": "a", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("wire", "body", "like"),
    [
        ("openai_chat", '{"contents": [{"parts": [{"text": "x"}]}]}', "It looks like a request of gemini_generate."),
        ("gemini_generate", '{"model": "m", "max_completion_tokens": 4, "messages": [{"role": "user", "content": "x"}]}',
         "It looks like a request of openai_chat."),
        ("gemini_generate", ANSWER, "It looks like an answer of"),
    ],
)  # fmt: skip
def test_read_says_what_another_body_looks_like(cli: Gen, wire: str, body: str, like: str) -> None:
    result = cli("read", wire, "-", stdin=body)
    assert result.exit_code == 2
    assert like in result.stderr


def test_read_does_not_guess(cli: Gen) -> None:
    assert "looks like" not in cli("read", "openai_chat", "-", stdin='{"a": 1}').stderr


def test_a_body_of_which_little_is_understood_is_told_by_what_it_looks_like(cli: Gen) -> None:
    """Responses needs no key that this body lacks, and understands nothing but the model."""
    body = {"model": "m", "max_tokens": 9, "system": "S", "messages": [{"role": "user", "content": "Hi"}]}
    foreign = cli("read", "openai_responses", "-", stdin=json.dumps(body))
    assert foreign.exit_code == 2
    assert foreign.stderr == (
        "promptwire: openai_responses: nothing in the body is understood: is this a request of OpenAI Responses? "
        "It looks like a request of anthropic_messages.\n"
    )
    assert "looks like" not in cli("read", "anthropic_messages", "-", stdin=json.dumps(body)).stdout


def test_a_spec_that_is_not_built_yet_is_told_from_a_wrong_name(
    generated: Path, cli: Gen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "provider_specs").mkdir()
    (tmp_path / "provider_specs" / "west_chat.yaml").write_text("wire: west_chat\n")
    monkeypatch.chdir(tmp_path)
    result = cli("preview", "west_chat", "-", stdin="{}")
    assert result.exit_code == 2
    assert (
        result.stderr == 'promptwire: "west_chat" has a spec and is not built yet: run gen build west_chat\n'
    )
