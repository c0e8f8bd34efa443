"""Policies: what a build does where an API cannot take a request as it is. The default, strict, raises errors."""

from __future__ import annotations

from ..errors import PolicyError
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ..errors import RequestError

_CHOICES = {
    "loss": ("raise", "note"),
    "refusals": ("raise", "note", "ignore"),
    "missing": ("raise", "omit"),
    "neighbours": ("merge", "keep"),
    "blank": ("drop", "error", "keep"),
    "orphans": ("error", "keep"),
    "ids": ("replace", "keep"),
    "passes": ("run", "skip"),
    "schemas": ("adapt", "keep"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Policies(Record):
    """Policies for requests that an API cannot take unchanged.

    Attributes:
        loss: A value that the API does not support: `raise`, or drop it with a `note`.
        refusals: A value that a rule of the API rejects: `raise`, send it with a `note`, or `ignore` the rule.
        missing: A value that the API requires: `raise`, or `omit` the key or element with a note.
        neighbours: Consecutive messages of one role: `merge` them if the API requires it, or `keep` them.
        blank: Text of nothing but white space, if the API rejects it: `drop` it with a note, `error`, or `keep` it.
        orphans: A tool call without a result, or a result without a call, if the API rejects it: `error`, or `keep` it.
        ids: A tool call id in a form that the API does not accept: `replace` it with a note, or `keep` it.
        passes: The pass of a plugin, if the wire names one: `run` it, or `skip` it.
        schemas: The schema of a tool, if the wire names a dialect: `adapt` it with a note for each edit, or `keep` it.
    """

    loss: str = "raise"
    refusals: str = "raise"
    missing: str = "raise"
    neighbours: str = "merge"
    blank: str = "drop"
    orphans: str = "error"
    ids: str = "replace"
    passes: str = "run"
    schemas: str = "adapt"

    def __post_init__(self) -> None:
        """Raise PolicyError for an unknown choice."""
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise PolicyError(
                    f'{name}="{getattr(self, name)}" is not a valid policy; use one of {", ".join(choices)}'
                )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Collecting(Policies):
    """Policies under which a build collects errors instead of raising them; `errors` has all of them, in order."""

    errors: list[RequestError] = field(default_factory=list["RequestError"])

    @property
    def paths(self) -> set[str]:
        """The paths of the nodes with an error."""
        return {error.path for error in self.errors}

    @classmethod
    def of(cls, policies: Policies) -> Collecting:
        """Return policies that collect what these raise."""
        return cls(**{name: getattr(policies, name) for name in _CHOICES})


STRICT = Policies()
VERBATIM = Policies(
    loss="note",
    refusals="ignore",
    missing="omit",
    neighbours="keep",
    blank="keep",
    orphans="keep",
    ids="keep",
    passes="skip",
    schemas="keep",
)
LENIENT = Policies(loss="note", refusals="note")
PRESETS = {"strict": STRICT, "verbatim": VERBATIM, "lenient": LENIENT}


def policies_of(value: object) -> Policies:
    """Return the policies for a preset (`lenient`), choices that differ from `strict` (`orphans=keep`), or both.

    Raises:
        PolicyError: the preset, policy or choice is unknown.
    """
    if isinstance(value, Policies):
        return value
    if isinstance(value, str) and value in PRESETS:
        return PRESETS[value]
    if isinstance(value, str) and "=" in value:
        return _chosen([word.strip() for word in value.split(",")])
    name = f'"{value}"' if isinstance(value, str) else type(value).__name__
    raise PolicyError(
        f"{name} is not a preset; use one of {', '.join(PRESETS)}, or choices such as orphans=keep"
    )


def _chosen(words: list[str]) -> Policies:
    first, *others = words
    chosen = STRICT if "=" in first else policies_of(first)
    for word in words if "=" in first else others:
        name, _, choice = word.partition("=")
        if name not in _CHOICES:
            raise PolicyError(f'"{name}" is not a policy; use one of {", ".join(_CHOICES)}')
        chosen = replace(chosen, **{name: choice})
    return chosen
