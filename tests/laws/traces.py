"""Where a value of a Request went: into what is sent, or into a note or an error that names it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

from promptwire import Built, Policies, PromptwireError, Request, RequestError
from tests.internals.runtime import OPTION_NAMES, spec_word

# a note on one of these says what kind of node it is that has no place: it covers the whole node
# what such a note is about is sent all the same
_SENT = ("moved", "merged", "added")
_DISCRIMINATORS = ("role", "mode", "kind", "type", "change", "value")


@cache
def module(wire: str) -> Any:
    """Import the generated module of a wire."""
    return import_module(f"promptwire.{wire}")


@cache
def address(wire: str) -> dict[str, str]:
    """Return a value for every setting that the default form of a wire's URL needs and that has no default."""
    facts = module(wire).WIRE
    defaults = {name: setting.default for name, setting in facts.settings.items()}
    usual = [
        text for text, _, when in facts.urls if all(defaults[key] in values for key, values in when.items())
    ]
    needed = {name for text in usual for name in re.findall(r"\$\{(\w+)", text)}
    needed -= {"model", "continuation"}
    hosts = {name for name in needed if any(text.startswith(f"${{{name}") for text in usual)}
    return {
        name: "https://host.example" if name in hosts else "here"
        for name in sorted(needed)
        if facts.settings[name].default is None
    }


@dataclass(frozen=True)
class Outcome:
    """The outcome of one build: everything sent, as text, and the places that notes or an error name."""

    sent: str
    named: tuple[tuple[str, str], ...]
    error: PromptwireError | None = None
    body: Any = None


def outcome(wire: str, request: Request, policies: Policies | str) -> Outcome:
    """Build a request for a wire and collect where its values can be found."""
    return outcome_of(module(wire), address(wire), request, policies)


def outcome_of(
    builder: Any, settings: Mapping[str, str], request: Request, policies: Policies | str
) -> Outcome:
    """Build a request with a module and collect where its values can be found."""
    try:
        built: Built[Any] = builder.build(request, policies=policies, settings=settings)
        place = () if built.local else (built.url, *built.headers.values())
        sent = " ".join([built.json().decode(), *place])
    except RequestError as error:
        return Outcome("", ((error.path, error.field),), error)
    except PromptwireError as error:
        return Outcome("", (), error)
    # a filter may write a word in capitals
    return Outcome(f"{sent} {sent.lower()}", named(built), body=built.body)


def named(built: Built[Any]) -> tuple[tuple[str, str], ...]:
    """Return the places of a build's notes that say that something is not sent.

    A note that a result was added names the id of its call, which an API that pairs by order does not send.
    """
    return tuple(
        [
            (note.path, note.field)
            for note in built.notes
            if note.action not in _SENT or (note.action, note.field) == ("added", "id")
        ]
    )


class Names:
    """The places in a request that notes or an error name."""

    def __init__(self, request: Request, named: Iterable[tuple[str, str]]) -> None:
        """Work out how far each named place reaches."""
        self._reach: set[str] = set()
        rows = list(named)
        nodes = dict(walk(request)) if rows else {}
        for where, field in rows:
            self._reach.add(".".join(piece for piece in (where, field) if piece))
            if field in OPTION_NAMES and not where:
                self._reach.add(f"options.{field}")
            if where and (field == spec_word(nodes.get(where)) or field in _DISCRIMINATORS):
                self._reach.add(where)
            before = re.fullmatch(r"messages\[:(\d+)\]", field)
            self._reach.update(f"messages[{index}]" for index in range(int(before[1]) if before else 0))

    def cover(self, path: str) -> bool:
        """Return whether a named place is this path, lies around it, or is the whole node that holds it."""
        return any(_holds(outer, path) for outer in self._reach)


def _holds(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}["))


def walk(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value inside a node with its path, mapping keys as further pieces of the path."""
    yield path, node
    kind: Any = type(node)
    names = init_fields(kind)
    if names:
        for name in names:
            yield from walk(getattr(node, name), f"{path}.{name}" if path else name)
    elif is_mapping_type(kind):
        for key, value in node.items():
            yield from walk(value, f"{path}.{key}")
    elif issubclass(kind, (list, tuple)):
        for index, value in enumerate(node):
            yield from walk(value, f"{path}[{index}]")


@cache
def init_fields(kind: type) -> tuple[str, ...]:
    """List the fields that the constructor of a dataclass takes; none for any other type."""
    return tuple([each.name for each in fields(kind) if each.init]) if is_dataclass(kind) else ()


@cache
def is_mapping_type(kind: type) -> bool:
    """Return whether values of a type are mappings."""
    return issubclass(kind, Mapping)
