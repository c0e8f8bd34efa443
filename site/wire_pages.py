"""The page of one wire: what it takes, its rules with their sources, and its examples, all from what was compiled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.internals.compiler import make_topics

import promptwire

ROOT = Path(__file__).resolve().parents[1]
_MOST_BODIES = 6


def wire_page(name: str) -> str:
    """Return the page of a wire as Markdown."""
    wire = promptwire.wire(name)
    cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{name}.json").read_text("utf-8"))
    title = wire.WIRE.title
    lines = [
        f"# {title}",
        f"`promptwire.{name}` builds requests for {title}, and reads them and their answers. {_documented(wire)}",
        *_first(name, cases),
        "## What it takes",
        *_capabilities(name, wire.WIRE.capabilities),
        *_settings(wire),
        *_models(wire),
        *_rules(wire),
        *_bodies(cases),
        *_answers(cases),
    ]
    return "\n\n".join(lines) + "\n"


def wire_index(text: str) -> str:
    """Return the overview of all wires: a link to the page of each, then the tables of what they can do."""
    rows = "\n".join(
        f"| [`{name}`]({name}.md) | {promptwire.wire(name).WIRE.title} |" for name in promptwire.WIRES
    )
    head, _, tables = text.partition("\n## ")
    return f"{head}\n| wire | API |\n|---|---|\n{rows}\n\n{coverage()}\n\n## {tables}"


def coverage() -> str:
    """Return a table of APIs and features that a reader can filter, as HTML."""
    head = "".join(f"<th scope=col>{feature}</th>" for feature in _FEATURES)
    rows = "\n".join(
        f'<tr><th scope=row><a href="{name}/">{promptwire.wire(name).WIRE.title}</a></th>'
        + "".join(
            f'<td class="{word}">{word}</td>' for word in _covered(promptwire.wire(name).WIRE.capabilities)
        )
        + "</tr>"
        for name in promptwire.WIRES
    )
    return f"""\
## Coverage

<label>Show only <input id="coverage-filter" placeholder="an API, or a feature"></label>
<div class="coverage" tabindex="0"><table>
<thead><tr><th scope=col>API</th>{head}</tr></thead>
<tbody>
{rows}
</tbody></table></div>
<script src="coverage.js" defer></script>"""


def _covered(capabilities: Mapping[str, Any]) -> Iterator[str]:
    for has in _FEATURES.values():
        yield "yes" if has(capabilities) else "no"


_FEATURES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "functions": lambda has: "function" in has["tools"]["kinds"],
    "hosted tools": lambda has: "hosted" in has["tools"]["kinds"],
    "parallel calls": lambda has: bool(has["tools"].get("parallel")),
    "images": lambda has: bool(has["parts"].get("image")),
    "documents": lambda has: bool(has["parts"].get("document")),
    "audio": lambda has: bool(has["parts"].get("audio")),
    "video": lambda has: bool(has["parts"].get("video")),
    "JSON mode": lambda has: "json" in has["response_formats"],
    "JSON Schema": lambda has: "json_schema" in has["response_formats"],
    "thinking": lambda has: bool(has["reasoning"]),
    "cache marks": lambda has: "cache" in has["request"],
    "instructions of their own": lambda has: has["instructions"]["native"] == "true",
    "kept by the server": lambda has: has["continuation"]["mode"] == "server",
    "streams": lambda has: bool(has.get("answers", {}).get("stream")),
}


def _documented(wire: Any) -> str:
    doc = (wire.__doc__ or "").splitlines()
    link = next((line.partition(": ")[2] for line in doc if line.startswith("Vendor's page: ")), "")
    spec = next((line.partition(": ")[2] for line in doc if line.startswith("Spec: ")), "")
    return f"The [vendor's documentation]({link}) is the reference; the spec is `{spec}`." if link else ""


def _settings(wire: Any) -> Iterator[str]:
    rows = [
        (
            f"`{name}`",
            ", ".join(setting.choices) or "text",
            setting.default or "",
            wire.WIRE.secrets.get(name, ""),
        )
        for name, setting in wire.WIRE.settings.items()
    ]
    if rows:
        yield "## Settings"
        yield _table(("setting", "values", "default", "environment variable when shown"), rows)


def _first(name: str, cases: Mapping[str, Any]) -> Iterator[str]:
    """Yield a short example with instructions and a message, and the ways to try others."""
    short = sorted(cases["bodies"], key=lambda case: len(json.dumps(case)))
    said = [case for case in short if case["request"].get("instructions") and case["request"].get("messages")]
    for case in (said or short)[:1]:
        yield f"A neutral request, and the body that `promptwire.{name}.build` makes of it:"
        yield '<div class="grid" markdown>'
        yield _json(case["request"])
        yield _json(case["body"])
        yield "</div>"
    yield f'<a href="../../try/?to={name}">Try it in the browser</a> · [Send it](../client.md) · [Settings](#settings)'


def _capabilities(name: str, capabilities: Mapping[str, Any]) -> Iterator[str]:
    for topic in make_topics([{"wire": name, **capabilities}]):
        cells = zip(topic.columns[1:], topic.rows[0][1:], strict=True)
        yield f"### {topic.title}"
        yield '<div class="facts" markdown>'
        yield _table(("fact", "value"), cells)
        yield "</div>"


# what readers look up of a model
_MODEL_FIELDS = (
    "input_tokens",
    "max_tokens",
    "reasoning.effort",
    "reasoning.budget",
    "temperature",
    "top_p",
    "stop",
    "tools",
    "response_format",
    "image",
    "document",
)


def _models(wire: Any) -> Iterator[str]:
    """Yield the table of the models that the facts of a wire were written for."""
    for family in wire.WIRE.load_known():
        rows = [
            (f"`{name}`", *[wire.supports(name, field).accepted for field in _MODEL_FIELDS])
            for name in family.spelled_names
        ]
        kept = [0, *[at for at in range(1, len(rows[0])) if {row[at] for row in rows} != {"no"}]]
        titles = ("model", *_MODEL_FIELDS)
        yield f"## What models of the family {family.family.texts[0]} accept"
        yield _table([titles[at] for at in kept], [[row[at] for at in kept] for row in rows])


def _rules(wire: Any) -> Iterator[str]:
    rows = [
        (
            ", ".join(f"`{condition}`" for condition in rule.reject),
            _circumstances(rule),
            rule.because,
            rule.source,
        )
        for rule in wire.WIRE.rules
        if rule.reject
    ]
    if rows:
        yield "## What it rejects"
        yield (
            "`wire.check(request)` reports these before anything is sent, and a strict build raises an error. A path "
            "with `!=` rejects every other value. Later rules override earlier ones."
        )
        yield _table(("rejected", "when", "reason", "source"), rows)


def _circumstances(rule: Any) -> str:
    words = [f"model `{name}`" for name in rule.model.texts]
    words += [f"not `{name}`" for name in rule.not_model.texts]
    words += [f"setting {name} is {' or '.join(values)}" for name, values in rule.settings.items()]
    words += [f"with `{condition}`" for condition in rule.given]
    words += [f"without `{condition}`" for condition in rule.unless]
    if len(words) > 8:  # a list of models that fills a page teaches nothing
        words = [*words[:8], f"and {len(words) - 8} more"]
    return ", ".join(words) or "always"


def _bodies(cases: Mapping[str, Any]) -> Iterator[str]:
    shown = sorted(cases["bodies"], key=lambda case: len(json.dumps(case)))[-_MOST_BODIES * 3 :: 3]
    if shown:
        yield "## Requests"
        yield "Neutral requests and the exact bodies that are built from them. The tests build and read all of them."
    for case in shown:
        yield f"### {_capitalised(case['name'])}"
        yield '<div class="grid" markdown>'
        yield _json(case["request"])
        yield _json(case["body"])
        yield "</div>"


def _answers(cases: Mapping[str, Any]) -> Iterator[str]:
    for kind, key, title in (("answers", "body", "Answers"), ("streams", "events", "Streams")):
        found = cases.get(kind, [])[:2]
        if found:
            yield f"## {title}"
        for case in found:
            yield f"### {_capitalised(case['name'])}"
            yield "What comes:"
            yield _json(case[key] if key == "body" else [event for _, event in case[key]])
            yield "What is read:"
            yield _json(case["says"])


def _json(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    columns = list(head)
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")
