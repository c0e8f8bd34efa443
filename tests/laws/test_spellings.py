"""Law 3 for words: whichever model a body names and however it spells a key, verbatim gives back what was read."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import Built, Reading, Request
from promptwire.errors import MissingField, SettingError
from tests.internals.runtime import same
from tests.laws.strategies import example_bodies
from tests.laws.test_other_shapes import Path, at, paths
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of

_BARE = Request("m", [promptwire.user("hi")], options=promptwire.Options(max_tokens=8))


def models(wire: str) -> list[str]:
    """A name for every pattern that a rule of the wire has for models, and one that none knows."""
    rules = module(wire).WIRE.rules
    globs = {glob for rule in rules for glob in (*rule.model, *rule.not_model)}
    return sorted({"unheard-of", *(glob.replace("*", filler) for glob in globs for filler in ("", "x"))})


def choices(wire: str) -> list[dict[str, Any]]:
    """The settings that a build needs, and each value that a rule of the wire has for one of them."""
    rules = module(wire).WIRE.rules
    rows = {(name, value) for rule in rules for name, values in rule.settings.items() for value in values}
    return [address(wire), *({**address(wire), name: value} for name, value in sorted(rows))]


@cache
def spellings(wire: str) -> frozenset[tuple[str, str]]:
    """Two words for one key, in both orders: aliases of the shapes, and what rules rename."""
    pairs = set(import_module(f"promptwire.{wire}.reading").READERS.words.aliases)
    for rule in module(wire).WIRE.rules:
        pairs |= {*rule.rename.items()}
    return frozenset(pairs | {(second, first) for first, second in pairs})


def respelled(wire: str) -> Iterator[dict[str, Any]]:
    """Example bodies with a key spelled in every way, alone and beside the other; at the top where none has it."""
    for key, other in sorted(spellings(wire)):
        held: dict[Path, dict[str, Any]] = {}
        for body in example_bodies(wire):
            for path in paths(body):
                if path[-1] == key:
                    held.setdefault(tuple(step for step in path if isinstance(step, str)), body)
                    break
        if not held:
            held[(key,)] = {**example_bodies(wire)[0], key: 7}
        for body in held.values():
            path = next(path for path in paths(body) if path[-1] == key)
            for alone in (True, False):
                changed = copy.deepcopy(body)
                holder = at(changed, path[:-1])
                holder[other] = holder.pop(key) if alone else holder[key]
                yield changed
            yield body


def moved(wire: str) -> Iterator[dict[str, Any]]:
    """A body that has a value where a rule moves it from, and one that has it where it moves it to."""
    rules = module(wire).WIRE.rules
    for path in sorted({path for rule in rules for move in rule.moves for path in move[:2]}):
        body = copy.deepcopy(example_bodies(wire)[0])
        holder = body
        for key in path[:-1]:
            holder = holder.setdefault(key, {})
        holder[path[-1]] = "high"
        yield body


def url_of(wire: str, model: str, settings: dict[str, Any]) -> str | None:
    """Where such a body would have been sent."""
    request = Request(model, _BARE.messages, options=_BARE.options)
    built: Built[Any] = module(wire).build(request, policies="verbatim", settings=settings or None)
    try:
        return None if built.local else built.url
    except (MissingField, SettingError):
        return None


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_every_spelling_comes_back_for_every_model(wire: str) -> None:
    names_model = any("model" in body for body in example_bodies(wire))
    bodies = [*respelled(wire), *moved(wire)]
    every = choices(wire)
    for place, settings in enumerate(every):
        for number, model in enumerate(models(wire)):
            url = url_of(wire, model, settings)
            # the settings divide the bodies among them
            for body in some_of(bodies, number * len(every) + place, 5 * len(every)):
                sent = {**body, "model": model} if names_model else body
                reading: Reading = module(wire).read(copy.deepcopy(sent), url)
                for given in (None, settings or None, reading.settings or None):
                    again = module(wire).build(reading.request, policies="verbatim", settings=given).body
                    assert same(again, sent), (model, settings, given, sent, again)
