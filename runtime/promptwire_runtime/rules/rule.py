"""Rules of a wire: what one model or setting refuses, renames or decides. Later rules win."""

from __future__ import annotations

from ..model.request import UNCOMMON_FIELDS
from ..nodes.declared import dataclass, field
from ..nodes.records import Record
from ..typed import TYPE_CHECKING, Any, Iterable, Mapping, new_dict
from ..wire_json.values import fits
from .entries import Entry, parse_entry
from .field_values import head, is_deep
from .paths import accessor

if TYPE_CHECKING:
    from ..model.request import Request


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Rule(Record):
    """One rule: when it holds, and what it does.

    model, not_model  patterns for the model's name (`*` stands for any text)
    settings          build settings that must have one of these values
    given             neutral fields that must be set, also with values (`stream=true`)
    reject, allow     fields (`temperature>2`, `reasoning.effort=max|xhigh`, `message.role=system`, `part=document`)
    rename            body key -> the word in its place; memory may have either
    moves             (path of keys, path of keys, constants beside the second): where a value of the body belongs
    assign            what the wire should assume (`instructions.role`), or `omit` because the server holds it
    add               a list among the settings -> what it must hold: the first word, unless one of the patterns fits
    because, source   the reason, and who says so
    """

    model: tuple[str, ...] = ()
    not_model: tuple[str, ...] = ()
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=new_dict)
    given: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=new_dict)
    moves: tuple[tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Any]], ...] = ()
    assign: Mapping[str, str] = field(default_factory=new_dict)
    add: Mapping[str, str] = field(default_factory=new_dict)
    because: str = ""
    source: str = ""

    def holds(self, model: str | None, settings: Mapping[str, Any]) -> bool:
        """Tell whether model and settings match (`given` aside)."""
        if self.model and not any(fits(model, glob) for glob in self.model):
            return False
        if any(fits(model, glob) for glob in self.not_model):
            return False
        return all(_has_one(settings.get(name), values) for name, values in self.settings.items())

    @property
    def reason(self) -> str:
        """Why the rule refuses a value, and who says so."""
        return self.because + (f" ({self.source})" if self.source else "")

    @property
    def first_given(self) -> str:
        """The field of a request without which the rule is not met: the first of `given`, where it is one."""
        first = head(self.given[0]) if self.given else ""
        return first if first in UNCOMMON_FIELDS else "messages"

    @property
    def changes(self) -> bool:
        """Whether the rule leaves out a field, or adds to a setting, before messages and tools are written."""
        omits = "omit" in self.assign.values()
        return omits or (bool(self.add) and self.inside is None and not self.adds_for_tools)

    def is_met(self, request: Request, wire: str) -> bool:
        """Tell whether every field of `given` is set; of options of one API, those of this wire.

        What stands inside messages is looked for where it is written.
        """
        return all(
            _matches(entry, request, wire) for entry in self.given if not is_deep(parse_entry(entry).path)
        )

    @property
    def inside(self) -> Entry | None:
        """What the rule looks for inside messages before it adds to a setting."""
        return next((entry for entry in map(parse_entry, self.given) if is_deep(entry.path)), None)

    @property
    def adds_for_tools(self) -> bool:
        """Whether the rule adds to a setting for the sake of some tools: asked where those are written."""
        paths = {parse_entry(text).path for text in self.given if self.add} - {"tools", "tools.count"}
        return "tools" in map(head, paths) and self.inside is None and "omit" not in self.assign.values()


def _has_one(value: Any, values: tuple[str, ...]) -> bool:
    """Tell whether a setting, or an entry of one that is a list, has one of these values."""
    several = type(value) in (list, tuple)
    return any(item in values for item in value) if several else value in values


def _matches(text: str, request: Request, wire: str) -> bool:
    entry = parse_entry(text)
    return any(
        means(entry, value, request, wire) for value in each_value(accessor(entry.path, wire)(request))
    )


def means(entry: Entry, value: Any, request: Request, wire: str) -> bool:
    """Tell whether an entry means a value, which may be compared with that of another path."""
    return entry.means(value, accessor(entry.operand, wire)(request) if entry.names_path else ())


def each_value(values: Iterable[Any]) -> Iterable[Any]:
    """Look into lists of words, such as `include`."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value
