"""Law 12: a body built under strict, portable or lenient violates no rule of its own wire."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import strategies as st

from promptwire import PromptwireError
from tests.laws.fitting import fitting
from tests.laws.specimens import has_limit
from tests.laws.strategies import law
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES
from tests.strategies import requests

# kinds of findings that say that a rule of the wire is broken
_BROKEN = ("refused", "unpaired", "missing")


@cache
def models(wire: str) -> tuple[str, ...]:
    """Return a name for each pattern of models in the rules of a wire."""
    patterns = {word for rule in module(wire).WIRE.rules for word in (*rule.model, *rule.not_model)}
    return ("some-model", *sorted({word.replace("*", "") for word in patterns} - {""}))


@pytest.mark.parametrize("wire", TESTED_WIRES)
@pytest.mark.parametrize("policies", ["lenient", "portable", "strict"])
@law(25, dialect=10)
def test_a_built_body_breaks_no_rule_of_its_wire(wire: str, policies: str, data: st.DataObject) -> None:
    request = data.draw(st.one_of(fitting(wire), requests()), "request")
    if has_limit(wire) and request.options.max_tokens is None:
        request = replace(request, options=replace(request.options, max_tokens=100))
    asked = replace(request, model=data.draw(st.sampled_from(models(wire)), "model"))
    try:
        built = module(wire).build(asked, policies=policies, settings=address(wire))
    except PromptwireError:
        return
    findings = module(wire).check(built.body, None if built.local else built.url)
    assert [str(finding) for finding in findings if finding.what in _BROKEN] == []
