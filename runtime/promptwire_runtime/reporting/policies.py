"""Named choices among defensible repairs. The default is strict: nothing is lost or changed without an error."""

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
    """What to do where a wire cannot take the Request as it is.

    loss        a value with no place on the wire: `raise`, or drop it with a `note`
    refusals    a value that a rule of the wire refuses: `raise`, send it with a `note`, or `ignore` the rule
    missing     a value that the wire requires: `raise`, or `omit` the key or element with a note
    neighbours  consecutive messages of one wire role: `merge` where the wire asks for it, or `keep`
    blank       text of nothing but white space, where the wire refuses it: `drop` it with a note, `error`, or `keep` it
    orphans     a tool call without its result, or a result without its call, where the wire refuses it: `error`, or
                `keep` it
    ids         an id of a tool call in a form that the wire does not take: `replace` it with a note, or `keep` it
    passes      what a plugin's pass does to the request, where the wire names one: `run` it, or `skip` it
    schemas     a tool's schema, where the wire names a dialect: `adapt` it with a note for each edit, or `keep` it
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
        """Refuse values that do not exist."""
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise PolicyError(f'{name}="{getattr(self, name)}": use one of {", ".join(choices)}')


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Collecting(Policies):
    """Policies under which a build goes on behind what they make an error of; `errors` has all of them, in order."""

    errors: list[RequestError] = field(default_factory=list["RequestError"])

    @property
    def paths(self) -> set[str]:
        """The paths of the nodes that have an error."""
        return {error.path for error in self.errors}

    @classmethod
    def of(cls, policies: Policies) -> Collecting:
        """Collect what these policies raise."""
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
    """Resolve a preset's name, choices beside `strict` (`orphans=keep,blank=error`), or both (`lenient,ids=keep`)."""
    if isinstance(value, Policies):
        return value
    if isinstance(value, str) and value in PRESETS:
        return PRESETS[value]
    if isinstance(value, str) and "=" in value:
        return _chosen([word.strip() for word in value.split(",")])
    name = f'"{value}"' if isinstance(value, str) else type(value).__name__
    raise PolicyError(
        f"{name} is not a preset: use one of {', '.join(PRESETS)}, or choices such as orphans=keep"
    )


def _chosen(words: list[str]) -> Policies:
    first, *others = words
    chosen = STRICT if "=" in first else policies_of(first)
    for word in words if "=" in first else others:
        name, _, choice = word.partition("=")
        if name not in _CHOICES:
            raise PolicyError(f'"{name}" is not a policy: use one of {", ".join(_CHOICES)}')
        chosen = replace(chosen, **{name: choice})
    return chosen
