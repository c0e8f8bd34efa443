"""The names of models that a family's facts were written for, and the one that a new name is nearest to."""

from __future__ import annotations

# importing `typing` costs more than all else that a builder loads
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .conditions import Words

# what may stand behind a name, and before one: `gpt-4o-2024-08-06`, `us.anthropic.claude-opus-5`
_ENDS = "-@:/["
_STARTS = "/.:"
# a number of so many digits is a version: claude-opus-4-9 is no claude-opus-4
_MOST_DIGITS = 2
# what stands behind so many letters is not looked at: a gateway looks up the names that its clients send
_MOST_LETTERS = 400


class ModelNames:
    """The names of the models of a family that are known.

    family, without  globs of all models of the family, known or not
    names            the known names, in the order of the page: of those that are equally near, the last counts
    like             the name of a new model -> the known one that it is taken for until its own facts are known
    others           another name of a model -> its name
    """

    __slots__ = ("_here", "_names", "_not_here", "_spelled", "family", "like", "names", "others", "without")

    def __init__(
        self,
        family: Words,
        without: Words,
        names: Iterable[str],
        like: Mapping[str, str] | None = None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        self.family = family
        self.without = without
        self.names = tuple(names)
        self.like = like or {}
        self.others = others or {}
        # a name in the form that all names are compared in -> the name
        self._names = {to_form(name): name for name in (*self.names, *self.like)}
        self._names |= {to_form(other): name for other, name in self.others.items()}
        # what names of the family look like on an API, and name -> the name there
        self._here, self._not_here = family, without
        self._spelled = {name: name for name in (*self.names, *self.like)}

    def spelled(self, prefix: str = "", *, dots: bool = False) -> ModelNames:
        """Return the names as an API has them in rules: behind a prefix, with dots in versions."""
        found = ModelNames(self.family, self.without, self.names, self.like, self.others)

        def spell(name: str, before: str) -> str:
            return before + (with_dots(name) if dots else name)

        found._here, found._not_here = (
            type(globs)(*[spell(glob, prefix) for glob in globs]) for globs in (self.family, self.without)
        )
        found._spelled = {name: spell(name, prefix.replace("*", "")) for name in self._spelled}
        return found

    @property
    def spelled_names(self) -> tuple[str, ...]:
        """The known names as the API has them."""
        return tuple([self._spelled[name] for name in self.names])

    def find(self, model: str) -> str | None:
        """Return the known name that a model's name is, or begins with up to a boundary; None for another model.

        The longest counts. Hosts' prefixes are skipped, and so are dates, versions of the host and variants.
        """
        name = self._find(model)
        return None if name in self.like else name

    def meant(self, model: str) -> tuple[str, ...]:
        """Return the names, as the API has them, by which rules name a model: its own, and that of a nearest one.

        A model that is not known is spelled like the nearest one. A name that the API gives no model of the family has
        none: what another API refuses says nothing about it.
        """
        lower = _cut(model)
        if not self._here.match(lower) or self._not_here.match(lower):
            return ()
        own = self._find(model)
        names = (self._spelled[own] if own else None, self.nearest(model))
        return tuple(filter(None, names))

    def _find(self, model: str) -> str | None:
        """Return the known or new name that a model's name is or begins with; None for another model.

        What stands behind it may name a model too, as the suffix of a fine-tuned one: the first counts.
        """
        form, lower = to_form(model), _cut(model)
        for start in _starts(form):
            pieces = [form[start:end] for end in _ends(lower, start) if form[start:end] in self._names]
            if pieces:
                return self._names[pieces[-1]]
        return None

    def nearest(self, model: str) -> str | None:
        """Return the known model nearest to one of the family that is not known, as the API names it, or None."""
        own = self._find(model)
        if own is not None:
            return self._spelled[self.like[own]] if own in self.like else None
        if not self.holds(model):
            return None
        form = to_form(model)
        starts = [form[at:] for at in _starts(form)]
        best, most = None, 0
        for name in self.names:
            same = max(_shared(start, to_form(name)) for start in starts)
            if same >= most:
                best, most = name, same
        return None if best is None else self._spelled[best]

    def holds(self, model: str) -> bool:
        """Return whether a name is one of the family's."""
        lower = _cut(model)
        names = [lower[at:] for at in _starts(lower)]
        return any(self.family.match(name) and not self.without.match(name) for name in names)

    def covered(self, model: Words, not_model: Words) -> str:
        """Return whether the globs of a rule hold for `all` known models, for `some`, or for `none`."""
        held = [
            (not model or model.match(name)) and not (not_model and not_model.match(name))
            for name in self.spelled_names
        ]
        return "all" if all(held) else "some" if any(held) else "none"


def to_form(name: str) -> str:
    """Return a name in the form that names are compared in: in lower case, with dots in versions."""
    return with_dots(_cut(name))


def _cut(name: str) -> str:
    """Return the beginning of a name in lower case."""
    return name[:_MOST_LETTERS].lower()


def with_dots(name: str) -> str:
    """Return a name with a dot for each hyphen between two digits."""
    return "".join(
        [
            "."
            if char == "-" and name[at - 1 : at].isdecimal() and name[at + 1 : at + 2].isdecimal()
            else char
            for at, char in enumerate(name)
        ]
    )


def _starts(model: str) -> list[int]:
    """Return the places where a name may begin: at the start, and behind what hosts write before it."""
    behind = [at + 1 for at, char in enumerate(model) if char in _STARTS and model[at + 1 : at + 2].isalpha()]
    return [0, *behind]


def _ends(model: str, start: int) -> Iterator[int]:
    """Yield the places where a known name that begins at `start` may end."""
    for end in range(start + 1, len(model) + 1):
        if end == len(model) or (
            model[end] in _ENDS and not _is_version(model[end + 1 : end + 2 + _MOST_DIGITS])
        ):
            yield end


def _is_version(rest: str) -> bool:
    """Return whether a text begins with a number of a version."""
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return 0 < digits <= _MOST_DIGITS and (digits == len(rest) or not rest[digits].isalnum())


def _shared(name: str, other: str) -> int:
    """Return how many characters two names begin with alike."""
    return next(
        (at for at, (one, two) in enumerate(zip(name, other, strict=False)) if one != two),
        min(len(name), len(other)),
    )
