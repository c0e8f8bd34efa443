"""Repairs of a history: what a wire rejects, the request that comes of it, and every edit.

A file of `repairs/` holds cases; the file of the same name in `repairs/results/` holds the whole request and the edits.
`UPDATE_GOLDEN=1` writes the results anew.
"""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from promptwire import Note, Policies, Request, RequestError, dump_request, load_request
from promptwire.plugins import RepairContext
from tests.internals.runtime import (
    Origins,
    candidates,
    errors_of,
    nodes_of,
    policies_of,
    repair_named,
    repairs,
)
from tests.laws.traces import module

FOLDER = Path(__file__).parent / "repairs"
FILES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
_MOST_ROUNDS = 6
# a model takes part in what an API rejects
_MODEL = "some-model"
# under these no repair is switched off
_ALL = Policies(orphans="answer")
# what an API requires of every request
_LIMITS = {"anthropic_messages": {"options": {"max_tokens": 100}}}


@dataclass(frozen=True)
class Case:
    """One case: what is built for which wire, under which policies."""

    file: str
    name: str
    answers: str
    wire: str
    request: Request
    policies: Policies
    unchanged: bool
    settings: dict[str, Any] | None


@cache
def cases() -> tuple[Case, ...]:
    return tuple(
        Case(
            file=file,
            name=row["name"],
            answers=row["answers"],
            wire=row["wire"],
            request=load_request(
                {"model": row.get("model", _MODEL), **_LIMITS.get(row["wire"], {}), **row["request"]}
            ),
            policies=policies_of({"orphans": "answer", **row.get("policies", {})}),
            unchanged=row.get("unchanged", False),
            settings=row.get("settings"),
        )
        for file in FILES
        for row in yaml.safe_load((FOLDER / f"{file}.yaml").read_text("utf-8"))
    )


def repairs_for(error: RequestError, request: Request, policies: Policies) -> list[str]:
    """Return the names of the repairs that a problem asks for where meaning may not be dropped."""
    error.node = nodes_of(request).get(error.path)
    return list(candidates(error, policies, drops=False))


def repaired(case: Case) -> tuple[Request, list[Note], list[RequestError]]:
    """Run the repairs that the problems of a request ask for, one after the other, until nothing changes."""
    wire = module(case.wire)
    request, edits = case.request, list[Note]()
    origins = Origins(request)
    tried: set[tuple[str, str, str, str]] = set()
    for _ in range(_MOST_ROUNDS):
        errors = errors_of(wire.build, request, case.settings)
        nodes = nodes_of(request)
        asked: dict[str, list[RequestError]] = {}
        for error in errors:
            node = nodes.get(error.path)
            for name in repairs_for(error, request, case.policies):
                if (key := (name, origins.path(node), error.field, error.reason)) not in tried:
                    tried.add(key)
                    asked.setdefault(name, []).append(error)
                    break
        if not asked:
            break
        name, problems = next(iter(asked.items()))
        tried -= {key for key in tried if key[0] in asked and key[0] != name}
        context = RepairContext(
            wire=wire.WIRE,
            origins=origins,
            policies=case.policies,
            settings=case.settings,
            problems=tuple(problems),
        )
        request, made = repair_named(name, case.policies)(request, context)
        edits += made
    return request, edits, errors_of(wire.build, request, case.settings)


def shown(edit: Note) -> str:
    where = ".".join(piece for piece in (edit.path, edit.field) if piece)
    mapped = f" [{edit.given!r} -> {edit.sent!r}]" if edit.sent is not None else ""
    return f"{edit.policy}: {edit.action} {where}: {edit.why}{mapped}"


def result_of(case: Case) -> dict[str, Any]:
    request, edits, errors = repaired(case)
    dumped = dump_request(request)
    dumped.pop("model", None)
    left = [f"{error.path}.{error.field}" for error in errors if repairs_for(error, request, _ALL)]
    return {
        "name": case.name,
        "edits": [shown(edit) for edit in edits],
        "request": dumped,
        **({"left": left} if left else {}),
    }


@pytest.mark.parametrize("file", FILES)
def test_each_case_becomes_what_its_result_says(file: str) -> None:
    results = [result_of(case) for case in cases() if case.file == file]
    path = FOLDER / "results" / f"{file}.yaml"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(results, sort_keys=False, allow_unicode=True, width=110), "utf-8")
    assert yaml.safe_load(path.read_text("utf-8")) == results


def test_there_are_at_least_120_cases_and_each_names_what_it_answers() -> None:
    assert len(cases()) >= 120
    assert len({(case.file, case.name) for case in cases()}) == len(cases())
    assert all(case.answers for case in cases())


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.file}: {case.name}")
def test_a_repair_is_pure_stops_and_says_what_it_did(case: Case) -> None:
    before = copy.deepcopy(case.request)
    request, edits, errors = repaired(case)
    assert case.request == before
    assert bool(edits) != case.unchanged
    assert (request == case.request) == case.unchanged
    # nothing is left that a repair of a history is for
    left = [str(error) for error in errors if repairs_for(error, request, _ALL)]
    assert bool(left) == case.unchanged
    again = repaired(Case(**{**vars(case), "request": request}))
    assert case.unchanged or (again[0], again[1]) == (request, [])


def test_every_repair_and_every_policy_has_a_case() -> None:
    """A repair without a case, or a choice that changes nothing, is a promise that nobody checks."""
    ran = {edit.policy for case in cases() for edit in repaired(case)[1]} - {""}
    asked = {
        name
        for case in cases()
        for error in errors_of(module(case.wire).build, case.request, None)
        for name in repairs_for(error, case.request, case.policies)
    }
    # repairs of schemas, and of single fields, have cases of their own
    own = {name for name, each in repairs().items() if each.policy not in ("", "schemas")}
    assert own - asked == set()
    assert ran == {
        "ids", "arguments", "orphans", "reasoning", "thinking", "tool_media", "json_results", "tool_errors", "tool_names", "speakers",
        "document_names", "format_names", "late_system", "tool_choice", "tool_stubs", "hosted_tools", "custom_tools",
        "tool_groups", "added_tools", "parameters", "foreign_parts", "first_turn", "begun_answer", "between_turns",
        "turns", "answer_media", "answer_formats", "media_types", "citations", "schemas",
    }  # fmt: skip
