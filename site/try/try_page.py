"""Functions that the page calls; they run in the browser, and take and return JSON text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import promptwire
from promptwire import Api, BodyError, PromptwireError

EXAMPLES = Path(__file__).with_name("examples.json")


def offered() -> str:
    """Return what the page offers: APIs with their titles, presets, and examples of bodies and answers."""
    wires = [(name, promptwire.wire(name).WIRE.title) for name in promptwire.WIRES]
    examples = json.loads(EXAMPLES.read_text("utf-8"))
    return json.dumps(
        {"wires": wires, "presets": ["strict", "portable", "lenient", "verbatim"], "examples": examples}
    )


def first(source: str, target: str, model: str) -> str:
    """Return what the page offers, with the first question and its result, so that it needs no Python to show them."""
    offer = json.loads(offered())
    body, answer = offer["examples"][source]["bodies"][0][1], offer["examples"][target]["answers"][0][1]
    question = {
        "source": source,
        "target": target,
        "model": model,
        "policies": "portable",
        "body": json.dumps(body, indent=2, ensure_ascii=False),
        "answer": json.dumps(answer, indent=2, ensure_ascii=False),
    }
    return json.dumps({**offer, "question": question, "result": json.loads(convert(json.dumps(question)))})


def convert(question: str) -> str:
    """Convert a body for another API, and an answer of that API back.

    `question` has body, answer, source, target, model and policies. The result has `built`, `url`, `notes`, `refusals`
    of the target, `findings` of the source, `back` and its `ways` (notes), or a `problem` with its `offset` in the
    body, or an `answerProblem`.
    """
    asked = json.loads(question)
    source, target = promptwire.wire(asked["source"]), promptwire.wire(asked["target"])
    result = {
        "notes": [],
        "refusals": [],
        "findings": [],
        "ways": [],
        **_request(asked, source, target),
        **_answer(asked, source, target),
    }
    return json.dumps(result)


def _request(asked: dict[str, str], source: Api, target: Api) -> dict[str, Any]:
    try:
        body = json.loads(asked["body"])
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return {"problem": f"{place}: this is not JSON: {error.msg}", "offset": error.pos}
    try:
        reading = source.read(body)
        request = reading.request.replace(model=asked["model"]) if asked["model"] else reading.request
        refusals = [str(problem) for problem in target.check(request)]
        findings = [str(problem) for problem in source.check(body)]
        built = target.build(request, policies=asked["policies"])
    except (BodyError, PromptwireError) as error:
        return {"problem": str(error)}
    return {
        "built": json.dumps(built.body, indent=2, ensure_ascii=False),
        "url": f"{built.method} {built.shown_url}",
        "notes": [str(note) for note in (*reading.notes, *built.notes)],
        "refusals": refusals,
        "findings": findings,
    }


def _answer(asked: dict[str, str], source: Api, target: Api) -> dict[str, Any]:
    if (
        not asked["answer"].strip()
        or not hasattr(source, "write_answer")
        or not hasattr(target, "read_answer")
    ):
        return {}
    try:
        notes: list[promptwire.Note] = []
        answer = target.read_answer(json.loads(asked["answer"]))
        back = source.write_answer(answer, policies="lenient", notes=notes)
    except json.JSONDecodeError as error:
        return {"answerProblem": f"line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}"}
    except PromptwireError as error:
        return {"answerProblem": str(error)}
    return {
        "back": json.dumps(back, indent=2, ensure_ascii=False),
        "ways": list(map(str, notes)),
    }
