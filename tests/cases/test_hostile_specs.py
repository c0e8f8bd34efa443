"""Text of a spec that looks like code: it is never run, and it comes out as it went in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.internals.compiler import Compilation

from .test_specs import compiled

# touches a file when it is run as Python, in whatever way it is reached
CODE = '__import__("pathlib").Path("ran").touch()'
HOSTILE = (
    f'"); {CODE}; ("',
    f"'); {CODE}; ('",
    f'""" + str({CODE}) + """',
    f"''' + str({CODE}) + '''",
    f'\\"); {CODE} #',
    f"\\'); {CODE} #",
    f"first\n{CODE}\nlast",
    f"first\r\n{CODE}\r\nlast\t",
    f"{{{CODE}}}",
    f"{{{{ {CODE} }}}} {{% set x = {CODE} %}} {{# note #}} {{% raw %}}",
    "\\N{BULLET} \\x41 \\u0041 \\",
    "nul \0, bell \a, next line \x85, separators \u2028 \u2029, right to left \u202e",
    "# fmt: off  # noqa  # type: ignore",
    'ends with a quote"',
    'ends with three quotes"""',
)
ONE_LINE = [text for text in HOSTILE if text.isprintable()]
TITLE = " | ".join(ONE_LINE)
MIXED = f"{{{CODE}}} \"'\\ \n {{{{ 7 * 7 }}}} "

RUN = """
import json, typing
import promptwire
from promptwire import Request, ToolChoice, Image, user, assistant, chat
from promptwire.chat import types

messages = [user("hi"), assistant("yo"), user("a", Image(url="u"))]
request = Request("m", messages, tool_choice=ToolChoice("required"))
# the first rule is that of all wires: a tool choice needs tools
built = chat.build(request, settings={"region": "eu"}, policies="refusals=ignore")
hints = [typing.get_type_hints(value) for value in vars(types).values() if typing.is_typeddict(value)]
print(json.dumps({
    "body": built.body,
    "again": chat.build(chat.read(built.body).request, policies="verbatim").body,
    "url": built.url,
    "headers": dict(built.headers),
    "title": chat.WIRE.title,
    "doc": chat.__doc__.splitlines()[0],
    "choices": list(chat.WIRE.settings["region"].choices),
    "because": [rule.because for rule in chat.WIRE.rules[1:]],
    "source": [rule.source for rule in chat.WIRE.rules[1:]],
    "typed": len(hints),
}))
"""


def hostile_spec() -> str:
    """A spec that holds every hostile text wherever the language takes free text."""
    request: dict[str, Any] = {"messages": [{"user": text} for text in HOSTILE]}
    messages = [{"role": HOSTILE[0], "content": text} for text in HOSTILE]
    constants = {f"key_{index}": text for index, text in enumerate(HOSTILE)}
    spec: dict[str, Any] = {
        "wire": "chat",
        "title": TITLE,
        "docs": f'https://example.com/"""+{CODE}+"""\\',
        "transport": {
            "method": "POST",
            "url": f"https://example.com/{CODE}/{{{CODE}}}/${{region}}/\"'\\",
            "headers": {f"x-{index}": text for index, text in enumerate(ONE_LINE)}
            | {"y": "{x}\"${region}'\\"},
            "auth": [{"header": "authorization", "value": f'{{{CODE}}} ${{key}} "\\', "env": "KEY"}],
            "settings": {"region": {"default": ONE_LINE[0], "choices": [*ONE_LINE, "eu"], "doc": HOSTILE[2]}},
        },
        "instructions": {"native": False},
        "continuation": {"mode": "resend"},
        "tools": {"format": "openai", "choice": ["required"]},
        "body": {
            **constants,
            "nested": {"list": [*HOSTILE, {"deep": HOSTILE[2]}]},
            "mixed?": f"{MIXED}${{model}}{MIXED}",
            "known?": "=" + "|".join(HOSTILE),
            "verbosity?": f"$verbosity({HOSTILE[10]})",
            "tier?": '$service_tier|prefix(""" + {x} \\ \')',
            "tool_choice?": "$tool_choice",
            "messages": "$messages",
        },
        "slots": {"content": "list"},
        "messages": {
            "user": {"role": HOSTILE[0], "content": "$content"},
            "assistant": {"role": HOSTILE[2], "content": "$content"},
        },
        "unions": {"tool_choice": {"required": HOSTILE[6]}},
        "parts": {
            "text": {"type": HOSTILE[4], "text": "$text"},
            "image.url": {"type": HOSTILE[9], "source": {"url": "$url", "kind": HOSTILE[14]}},
        },
        "rules": [{"reject": {"model": '"""\\{x}'}, "because": text, "source": text} for text in HOSTILE],
        "examples": [
            {
                "name": TITLE,
                "request": request,
                "policies": {"missing": "omit"},
                "body": {
                    **constants,
                    "nested": {"list": [*HOSTILE, {"deep": HOSTILE[2]}]},
                    "messages": messages,
                },
            }
        ],
    }
    # JSON is YAML, but for characters that an escape must hide
    return "\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in spec.items())


def hostile_output(folder: Path) -> dict[str, str]:
    """Compile the hostile spec, write what comes of it, and give the environment in which it can be run."""
    specs = folder / "specs"
    specs.mkdir()
    (specs / "chat.yaml").write_text(hostile_spec(), encoding="utf-8")
    found = compiled(specs)
    assert isinstance(found, Compilation), found
    for path, text in found.files.items():
        place = folder / "generated" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    runtime = ROOT / "runtime"
    return {
        **os.environ,
        "PYTHONPATH": f"{folder / 'generated'}{os.pathsep}{runtime}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.slow
def test_text_of_a_spec_is_never_run_and_comes_out_unchanged(tmp_path: Path) -> None:
    environment = hostile_output(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    found = json.loads(done.stdout)
    body = {f"key_{index}": text for index, text in enumerate(HOSTILE)} | {
        "nested": {"list": [*HOSTILE, {"deep": HOSTILE[2]}]},
        "mixed": f"{MIXED}m{MIXED}",
        "tool_choice": HOSTILE[6],
        "messages": [
            {"role": HOSTILE[0], "content": "hi"},
            {"role": HOSTILE[2], "content": "yo"},
            {
                "role": HOSTILE[0],
                "content": [
                    {"type": HOSTILE[4], "text": "a"},
                    {"type": HOSTILE[9], "source": {"url": "u", "kind": HOSTILE[14]}},
                ],
            },
        ],
    }
    assert found.pop("typed") > 3
    assert found == {
        "body": body,
        "again": body,
        "url": f"https://example.com/{CODE}/{{{CODE}}}/eu/\"'\\",
        "headers": {f"x-{index}": text for index, text in enumerate(ONE_LINE)}
        | {"y": "{x}\"eu'\\", "authorization": f'{{{CODE}}} $KEY "\\'},
        "title": TITLE,
        "doc": f"{TITLE}: build exact requests, and read them back.",
        "choices": [*ONE_LINE, "eu"],
        "because": list(HOSTILE),
        "source": list(HOSTILE),
    }
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.slow
def test_generated_tests_of_a_hostile_spec_pass(tmp_path: Path) -> None:
    environment = hostile_output(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "generated/tests"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert not list(tmp_path.rglob("ran"))
