"""Checks of a request that was read on one wire and is built for another.

The build gives a body that the target's judge accepts, or an error of ours that names what is wrong and where. What a
lenient build leaves out is named by its notes. Nothing else is raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptwire import Built, Request, RequestError
from promptwire.errors import InvalidRequest
from tests.conformance.judges import judge
from tests.conformance.leaves import silent
from tests.laws.traces import address, module

# Values sent as given although the target has no such word: pattern of the finding -> why it is not refused.
GIVEN: Final[Mapping[str, str]] = {
    r".*\.detail: '\w+' is none of .*": "details of images have names of their own on every API",
    r"tools\[\d+\]\.\w+: (unknown key.*|missing, (FileSearchToolParam|CodeInterpreter) .*)": (
        "settings of a hosted tool are JSON of one API"
    ),
    r"tools\[\d+\]\.type: 'x_search' is none of .*": (
        "this tool is xAI's: GPT models refuse it, and this wire also builds requests to Grok models"
    ),
    r'Failed to parse contents field: .* has no field named "(displayName|mediaResolution)".*': (
        "names and resolutions stand beside media in other places of this API"
    ),
}


def findings(request: Request, to: str, met: set[str] | None = None) -> Iterator[str]:
    """Build a request for a wire, strictly, and leniently where that is refused; say what should not be, a line each.

    The patterns of `GIVEN` that excuse a finding are added to `met`.
    """
    met = set() if met is None else met
    for policies in ("strict", "lenient"):
        try:
            built: Built[Any] = module(to).build(request, policies=policies, settings=address(to))
            body = json.loads(built.json())
        except RequestError as error:
            if isinstance(error, InvalidRequest) and error.__cause__ is not None:
                yield f"{policies}: broke: {error}"
            elif not (error.path or error.field):
                yield f"{policies}: names no place: {error}"
            continue
        except Exception as error:  # noqa: BLE001 - whatever else a build raises is what is looked for
            yield f"{policies}: broke: {type(error).__name__}: {error}"
            continue
        # what a rule refuses is sent all the same under a lenient policy, and a note says so
        if not any(note.action == "refused" for note in built.notes):
            yield from (f"{policies}: refused: {line}" for line in judge(to, body) if not _given(line, met))
        yield from (f"{policies}: lost in silence: {path}" for path in silent(request, built))
        return


def _given(line: str, met: set[str]) -> bool:
    found = [pattern for pattern in GIVEN if re.fullmatch(pattern, line)]
    met.update(found)
    return bool(found)
