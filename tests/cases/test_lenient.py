"""Requests that an API rejects, as `lenient` sends them: the whole body without the model, and every note.

A file of `lenient/` holds cases; the file of the same name in `lenient/results/` holds what is sent. The request of a
case may be that of an `example` of the spec. A list of `settings` of reasoning makes one request of each. Notes are
compared without the words of a spec.
`UPDATE_GOLDEN=1` writes the results anew.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from promptwire import Note, RequestError, load_request
from tests.checkout import ROOT
from tests.laws.traces import module

FOLDER = Path(__file__).parent / "lenient"
FILES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
_RULE = re.compile(r"( is refused for \S+): [^\n]*?(; sent as [^\n]*)?(?=\n|$)")
_SOURCE = re.compile(r" \([^()\n]*20\d\d[^()\n]*\)")


def without_source(text: str) -> str:
    """Return a reason without the words of a spec, which say why a rule is there."""
    return _SOURCE.sub("", _RULE.sub(r"\1\2", text))


def shown(note: Note) -> str:
    where = ".".join(piece for piece in (note.path, note.field) if piece)
    mapped = f" [{note.given!r} -> {note.sent!r}]" if note.sent is not None else ""
    return f"{note.policy}: {note.action} {where}: {without_source(note.why)}{mapped}"


def sent(case: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    given = load_request({"messages": [{"user": "Hi"}], "model": case["model"], **request})
    wire = module(case["wire"])
    with pytest.raises(RequestError):
        wire.build(given, settings=case.get("address"))
    try:
        built = wire.build(given, settings=case.get("address"), policies=case.get("policies", "lenient"))
    except RequestError as error:
        return {"error": without_source(str(error))}
    body = {key: value for key, value in built.body.items() if key != "model"}
    return {"body": body, "notes": [*map(shown, built.notes)]}


def with_request(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with the request of the example that it names."""
    if "example" not in case:
        return case
    text = (ROOT / "generated" / "tests" / "cases" / f"{case['wire']}.json").read_text("utf-8")
    (row,) = [row for row in json.loads(text)["errors"] if row["name"] == case["example"]]
    request = row["request"]
    return {
        "name": row["name"],
        "wire": case["wire"],
        "model": request.get("model"),
        "request": request,
        "address": row.get("settings"),
    }


def result_of(case: dict[str, Any]) -> dict[str, Any]:
    case = with_request(case)
    if "settings" not in case:
        return {"name": case["name"], **sent(case, case["request"])}
    each: dict[str, Any] = {}
    for settings in case["settings"]:
        made = sent(case, {**case.get("request", {}), "reasoning": settings})
        words = ", ".join(f"{name} {value}" for name, value in settings.items())
        for key in ("messages", "contents", "input"):
            made.get("body", {}).pop(key, None)
        each[words] = made
    return {"name": case["name"], "sent": each}


@pytest.mark.parametrize("file", FILES)
def test_each_case_is_sent_as_its_result_says(file: str) -> None:
    results = [result_of(case) for case in yaml.safe_load((FOLDER / f"{file}.yaml").read_text("utf-8"))]
    path = FOLDER / "results" / f"{file}.yaml"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(yaml.safe_dump(results, sort_keys=False, allow_unicode=True, width=110), "utf-8")
    assert yaml.safe_load(path.read_text("utf-8")) == results
