"""Rules of a wire: what one model or setting refuses, renames or decides. Later rules win."""

from __future__ import annotations

from .nodes import Node, dataclass, field, replace
from .request import RARE_FIELDS
from .rule_paths import accessor, head, watched_values
from .typed import TYPE_CHECKING, Any, Callable, Iterable, Mapping, new_dict
from .values import fits

if TYPE_CHECKING:
    from .built import Built
    from .request import Request


_DEEP_HEADS = frozenset({"part", "message", "system", "developer", "user", "assistant", "cache"})
_MOST_CLEAR = 64
_RARE_HEADS = frozenset(RARE_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rule(Node):
    """One rule: when it holds, and what it does.

    model, not_model  patterns for the model's name (`*` stands for any text)
    settings          build settings that must have one of these values
    given             neutral fields that must be set, also with values (`stream=true`)
    reject, allow     fields (`temperature`, `reasoning.effort=max|xhigh`, `message.role=system`, `part=document`)
    rename            body key -> synonym
    moves             (path of keys, path of keys, constants beside the second): where a value of the body belongs
    assign            what the wire should assume (`instructions.role`), or `omit` because the server holds it
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
    because: str = ""
    source: str = ""

    def holds(self, model: str | None, settings: Mapping[str, Any]) -> bool:
        """Tell whether model and settings match (`given` aside)."""
        if self.model and not any(fits(model, glob) for glob in self.model):
            return False
        if any(fits(model, glob) for glob in self.not_model):
            return False
        return all(settings.get(name) in values for name, values in self.settings.items())

    def is_met(self, request: Request) -> bool:
        """Tell whether every field of `given` is set."""
        return all(_matches(entry, request) for entry in self.given)


def _matches(entry: str, request: Request) -> bool:
    path, equals, wanted = entry.partition("=")
    words = tuple(wanted.split("|")) if equals else None
    return any(is_word(value, words) for value in each_value(accessor(path)(request)))


def is_word(value: Any, words: tuple[str, ...] | None) -> bool:
    """Tell whether a value is one of these words (patterns; true and false for bools); any value when None."""
    if words is None:
        return True
    shown = str(value).lower() if type(value) is bool else str(value)
    return any(fits(shown, word) for word in words)


def each_value(values: Iterable[Any]) -> Iterable[Any]:
    """Look into lists of words, such as `include`."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Entry(Node):
    """One `reject` or `allow` of a rule, for one path."""

    rule: Rule
    rejects: bool
    words: tuple[str, ...] | None


class _Plan:
    """The entries of some rules by path: options, other fields of the request, and what stands in messages."""

    __slots__ = ("deep", "fields", "options")

    def __init__(self, rules: Iterable[Rule], option_names: frozenset[str]) -> None:
        self.options: dict[str, list[_Entry]] = {}
        self.fields: list[tuple[str, Callable[[Request], list[Any]], list[_Entry]]] = []
        self.deep: dict[str, list[_Entry]] = {}
        by_path: dict[str, list[_Entry]] = {}
        for rule in rules:
            for rejects, entries in ((True, rule.reject), (False, rule.allow)):
                for entry in entries:
                    path, equals, wanted = entry.partition("=")
                    words = tuple(wanted.split("|")) if equals else None
                    by_path.setdefault(path, []).append(_Entry(rule, rejects, words))
        for path, found in by_path.items():
            if not any(entry.rejects for entry in found):
                continue
            if path in option_names:
                self.options[path] = found
            elif path != "cache" and path.partition(".")[0] in _DEEP_HEADS:
                self.deep[path] = found
            else:
                self.fields.append((path, accessor(path), found))


class Decision:
    """What the rules say for one model and one choice of settings."""

    __slots__ = ("_common", "_full", "_omits", "_simple", "clear", "moving", "renames", "role")

    def __init__(self, rules: tuple[Rule, ...], options: frozenset[str], common: frozenset[str]) -> None:
        """Sort the rules; `options` are all sampling options, `common` those that builders always look at."""
        self.role: str | None = None
        for rule in rules:
            self.role = rule.assign.get("instructions.role", self.role)
        self._full = _Plan(rules, options)
        # a request without rarely used fields meets none of the rules about them
        plain = [rule for rule in rules if not any(head(entry) in RARE_FIELDS for entry in rule.given)]
        self._simple = _Plan(plain, options)
        self._simple.fields = [row for row in self._simple.fields if head(row[0]) not in _RARE_HEADS]
        self._common = common
        # sets of given options of which no rule speaks in a simple request, as far as they were met
        self.clear: set[frozenset[str]] = set()
        self._omits = tuple([rule for rule in rules if "omit" in rule.assign.values()])
        self.moving = tuple([rule for rule in rules if rule.moves])
        self.renames = tuple([(key, synonym) for rule in rules for key, synonym in rule.rename.items()])

    def is_rare(self, request: Request) -> bool:
        """Tell whether a request has more than common fields; those that need no rule are remembered as clear."""
        given = request.options.given
        if not (request.simple and given <= self._common):
            return True
        if (
            not self._simple.fields
            and given.isdisjoint(self._simple.options)
            and len(self.clear) < _MOST_CLEAR
        ):
            self.clear.add(given)
        return False

    def apply(self, request: Request, built: Built[Any]) -> Request:
        """Raise or note everything that the rules refuse in this request, its messages aside."""
        plan = self._simple
        if not request.simple:
            plan = self._full
            for rule in self._omits:
                if rule.is_met(request):
                    request = _omit(request, rule, built)
        if plan.options and not request.options.given.isdisjoint(plan.options):
            for path, entries in plan.options.items():
                if path in request.options.given:
                    _refuse(path, [getattr(request.options, path)], entries, request, built)
        for path, values, entries in plan.fields:
            found = values(request)
            if found:
                _refuse(path, found, entries, request, built)
        return request

    def check_watched(self, request: Request, watched: list[Any], built: Built[Any]) -> None:
        """Raise or note what the rules refuse among the messages and parts that builders pointed out."""
        for path, entries in self._full.deep.items():
            _refuse(path, watched_values(request, path, watched), entries, request, built)

    def rename(self, body: dict[str, Any]) -> None:
        """Switch body keys to the synonyms that the rules ask for."""
        for key, synonym in self.renames:
            if key in body:
                body[synonym] = body.pop(key)


def _refuse(path: str, values: list[Any], entries: list[_Entry], request: Request, built: Built[Any]) -> None:
    """Let every rule speak about every value; the last one that holds decides."""
    for value in each_value(values):
        refusing: Rule | None = None
        for entry in entries:
            if is_word(value, entry.words) and entry.rule.is_met(request):
                refusing = entry.rule if entry.rejects else None
        if refusing is not None:
            built.refuse(path, value, refusing)
            return


def _omit(request: Request, rule: Rule, built: Built[Any]) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            built.note("dropped", request, name, rule.because)
            nothing: dict[str, Any] = {name: None}
            request = replace(request, **nothing)
    return request
