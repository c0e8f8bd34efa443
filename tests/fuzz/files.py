"""Files: damaged evaluation cases and request files, as texts on the disk or as mappings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import yaml

import promptwire
from promptwire import PromptwireError, load_request
from promptwire.context import PRESETS
from promptwire.prompts import as_request, load_cases
from tests.cases.test_prompts import CASES
from tests.checkout import ROOT
from tests.examples import examples
from tests.laws.traces import module

from .json_damage import copied, damaged
from .target import Target, Turn
from .text_damage import damaged_text

_POLICIES = (None, *PRESETS, "no such")
_HOMES: list[TemporaryDirectory[str]] = []


@dataclass(frozen=True, slots=True)
class Given:
    """A mapping, or the text of a file with this ending; the preset of a case, and the wire that builds it."""

    source: Any
    ending: str
    policies: str | None
    wire: str


@cache
def _cases() -> tuple[dict[str, Any], ...]:
    """Return the evaluation cases of the tests."""
    return tuple([case["evaluation"] for case in CASES.values() if "evaluation" in case])


@cache
def _case_texts() -> tuple[str, ...]:
    return tuple(
        [case["text"] for case in CASES.values() if "text" in case]
        + [json.dumps(case, indent=1) for case in _cases()]
    )


@cache
def _requests() -> tuple[tuple[str, str], ...]:
    """Return text and ending of request files: the broken ones of the tests, and the examples of all wires."""
    files = sorted((ROOT / "tests/cases/requests").glob("*/request.*"))
    broken = [(path.read_bytes().decode("utf-8", "surrogateescape"), path.suffix) for path in files]
    whole = [(json.dumps(each.request, indent=1), ".json") for each in examples()]
    return (
        *broken,
        *whole,
        *[(yaml.safe_dump(each.request, allow_unicode=True), ".yaml") for each in examples()[::3]],
    )


def _draw_case(turn: Turn, random: Random) -> Given:
    policies, wire = random.choice(_POLICIES), random.choice(promptwire.WIRES)
    if random.random() < 0.5:
        return Given(damaged(random, copied(random.choice(_cases())), most=2), "", policies, wire)
    text = damaged_text(random, random.choice(_case_texts()), most=2)
    return Given(text, random.choice((".yaml", ".json", "")), policies, wire)


def _check_case(given: Given) -> bool:
    source = given.source
    if given.ending:
        source = _written("case", given)
    elif isinstance(source, str) and "\n" not in source:
        source = f"{source}\n"
    try:
        cases = load_cases(source, policies=given.policies)
        for case in cases:
            _ask(case, given.wire)
    except PromptwireError:
        return False
    return True


def _ask(case: Any, wire: str) -> None:
    """Use all that a case gives."""
    repr(case)
    for channel in ("structured", "transcript"):
        try:
            module(wire).build(as_request(case.prompt, channel=channel), policies="lenient")
            module(wire).build(case.request).json()
        except PromptwireError:
            continue


def _draw_request(turn: Turn, random: Random) -> Given:
    text, ending = random.choice(_requests())
    return Given(damaged_text(random, text), ending, None, random.choice(promptwire.WIRES))


def _check_request(given: Given) -> bool:
    try:
        request = load_request(_written("request", given))
        module(given.wire).build(request, policies="lenient").json()
    except PromptwireError:
        return False
    return True


def _written(name: str, given: Given) -> Path:
    """Write the text of a file; half a surrogate pair stands for a byte that is no UTF-8."""
    if not _HOMES:
        _HOMES.append(TemporaryDirectory(prefix="promptwire-fuzz-"))
    path = Path(_HOMES[0].name, name + given.ending)
    path.write_bytes(given.source.encode("utf-8", "surrogatepass"))
    return path


CASE_FILES = Target("cases", _draw_case, _check_case)
REQUEST_FILES = Target("files", _draw_request, _check_request)
