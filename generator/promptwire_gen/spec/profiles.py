"""Profiles of models: what a model takes, or how it differs from the profile named in `like`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from .citing import Cited
from .declared import Fact, FactsOfField, GroupName
from .fields import Line, Many, OneOrMany, Strict, listed, maybe, named
from .nodes import Path

MOST_STEPS = 2
"""The longest chain of `like`: two profiles beyond the one that names the first."""

# None takes away what the other profile says
_Facts: TypeAlias = dict[Line, FactsOfField | None]


class ProfileSpec(Strict):
    """What a model takes: its own facts, and those of the profile named in `like`."""

    names: Annotated[tuple[Line, ...], Many, OneOrMany] = listed(
        "Other names of the model. A name also means its dated forms and variants, as far as they have no profile."
    )
    like: Line | None = maybe("The profile whose facts hold here too, where this one does not state its own.")
    source: Cited | None = Field(
        default=None,
        description="Who says that the other facts hold here too; without it they are doubts, and never refused.",
    )
    traits: Annotated[tuple[GroupName, ...], Many] | None = maybe(
        "Groups that this model is in, for facts and rules on the pages of APIs."
    )
    values: _Facts = named(
        "Which values of a field the model takes; null takes away what the other profile says."
    )
    on: dict[Line, _Facts] = named(
        "The same for some APIs and their dialects, named with a comma between them; these facts come last."
    )

    @property
    def is_new(self) -> bool:
        """Whether nobody says that the facts of the other profile hold for this one."""
        return self.like is not None and self.source is None


class Statement(NamedTuple):
    """Facts about one field, the place where they stand, and the models for which they hold."""

    place: Path
    field: str
    facts: Sequence[Fact]
    models: tuple[str, ...]


# field -> the place of its facts, and the facts; None takes away those of the other profile
_Stated: TypeAlias = dict[str, tuple[Path, Sequence[Fact] | None]]


def find_statements(profiles: Mapping[str, ProfileSpec], wires: Sequence[str] = ()) -> Iterator[Statement]:
    """Yield the facts of all profiles in the order of the page, each with the first place where it stands.

    `wires` are an API and those that it extends, the nearest first, for the facts that hold there only; without them,
    the facts that hold everywhere.
    """
    # a fact that several profiles state, by an alias, is one
    found: dict[tuple[str, str], Statement] = {}
    for name in profiles:
        for field, (place, stated) in _collect_facts(profiles, name, wires).items():
            facts = stated or ()
            key = field, repr(facts)
            first = found.get(key) or Statement(place, field, facts, ())
            found[key] = first._replace(models=(*first.models, name))
    yield from found.values()


def find_groups(profiles: Mapping[str, ProfileSpec]) -> dict[str, tuple[str, ...]]:
    """Return the traits with the models that have them."""
    groups: dict[str, tuple[str, ...]] = {}
    for name in profiles:
        for trait in _find_traits(profiles, name):
            groups[trait] = (*groups.get(trait, ()), name)
    return groups


def find_idle_nulls(profiles: Mapping[str, ProfileSpec], name: str) -> Iterator[tuple[Path, str]]:
    """Yield the place and the field of each null of a profile that takes away nothing, on any API.

    A null for one API may take away what the profile itself says for one that it extends.
    """
    profile = profiles[name]
    wires = sorted({wire for each in profiles.values() for key in each.on for wire in key.split(", ")})
    # facts that hold everywhere, and those of some APIs
    for heard in dict.fromkeys([(), tuple(wires)]):
        known = (
            set[str]()
            if profile.like is None or profile.is_new
            else {*_collect_facts(profiles, profile.like, heard)}
        )
        own = [*_own_facts(name, profile, heard)]
        known |= {field for field, (_, facts) in own if facts is not None}
        yield from [(place, field) for field, (place, facts) in own if facts is None and field not in known]


def _find_traits(profiles: Mapping[str, ProfileSpec], name: str) -> tuple[str, ...]:
    profile = profiles[name]
    if profile.traits is not None or profile.like is None or profile.is_new:
        return profile.traits or ()
    return _find_traits(profiles, profile.like)


def _collect_facts(profiles: Mapping[str, ProfileSpec], name: str, wires: Sequence[str]) -> _Stated:
    """Return the facts that hold for a profile: its own in place of those of the profile that it is like."""
    profile = profiles[name]
    inherited = (
        {} if profile.like is None or profile.is_new else _collect_facts(profiles, profile.like, wires)
    )
    found = inherited | dict(_own_facts(name, profile, wires))
    return {field: stated for field, stated in found.items() if stated[1] is not None}


def _own_facts(
    name: str, profile: ProfileSpec, wires: Sequence[str]
) -> Iterator[tuple[str, tuple[Path, Sequence[Fact] | None]]]:
    """Yield each field that a profile itself says something about, those of the nearest API last."""
    place: Path = ("profiles", name)
    sections = [
        ((*place, "on", key), facts)
        for wire in reversed(wires)
        for key, facts in profile.on.items()
        if wire in key.split(", ")
    ]
    for section, facts in sections if wires else [((*place, "values"), profile.values)]:
        for key, stated in facts.items():
            for field in key.split(", "):
                yield field, ((*section, key), stated)
