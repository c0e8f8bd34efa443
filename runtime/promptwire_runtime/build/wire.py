"""The facts of a wire, which its generated module declares: names, settings, transport and rules."""

from __future__ import annotations

from ..errors import SettingError
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import LightRecord, fields
from ..reporting.day import today
from ..reporting.facts import WireFacts
from ..reporting.settings import Settings, settings_of
from ..typed import TYPE_CHECKING, Any, Callable, Mapping, cast, new_dict
from ..wire_json.kinds import class_of, is_mapping
from ..wire_json.values import setting_value

if TYPE_CHECKING:
    from ..rules.decisions import Decision
    from ..rules.profile import Profile
    from ..rules.rule import Rule

_MOST_DECISIONS = 1024
_REMEMBERED = frozenset(
    {
        "decided",
        "decisions",
        "last_tools",
        "forms",
        "free_settings",
        "known_names",
        "named_models",
        "schemas",
        "urls_read",
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Signing(LightRecord):
    """A signature that the caller must add to a request, because it depends on keys and the time.

    Attributes:
        scheme: `aws_sigv4`, AWS Signature Version 4.
        env: The environment variable that usually holds the access key id.
    """

    scheme: str
    service: str
    region: str
    env: str = "AWS_ACCESS_KEY_ID"


@dataclass(frozen=True, eq=False, repr=False)
class Sent(LightRecord):
    """URL, headers, and the names of secret headers."""

    url: str
    headers: Mapping[str, str]
    secret: frozenset[str]

    def __repr__(self) -> str:
        """Return the `repr` without credentials."""
        return f"Sent({', '.join(f'{name}={value!r}' for name, value in self.__getstate__().items())})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without credentials, as a pickle of settings has it."""
        from ..reporting.redaction import show_marks, variable_name

        marked = self.marked()
        hidden = {name: f"\0{variable_name(name)}\0" for name in self.secret & marked.headers.keys()}
        headers = {name: show_marks(text) for name, text in {**marked.headers, **hidden}.items()}
        return {"url": show_marks(marked.url), "headers": headers, "secret": self.secret}

    def marked(self) -> Sent:
        """Return a copy with a marker wherever a name means a credential (see `redaction`)."""
        from ..reporting.redaction import is_credential, mark_url, variable_name, without_user

        headers = {
            name: f"\0{variable_name(name)}\0" if name not in self.secret and is_credential(name) else text
            for name, text in self.headers.items()
        }
        return Sent(mark_url(without_user(self.url)), headers, self.secret)


class LateTable:
    """A function that returns a table of a generated package, whose module is loaded by the first call."""

    __slots__ = ("module", "name", "package")

    def __init__(self, package: str | None, module: str, name: str) -> None:
        self.package = package
        self.module = module
        self.name = name

    def __call__(self) -> Any:
        """Return the table."""
        from importlib import import_module

        return getattr(import_module(self.module, self.package), self.name)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Wire(WireFacts):
    """The request format of one API.

    Attributes:
        transport: Returns URL and headers for a build context.
        signing: Returns what the caller must sign for a build context.
        urls: The forms of the URL: a template, stream flag, and settings. The first that applies is used.
        url_filters: How filtered values in a URL are read back.
        deciding: The settings that the rules depend on.
        is_dated: Whether some rules hold from a day or until one.
        address_only: The settings that only some forms of the URL use.
        load_rules: Returns the rules, which are loaded when first needed.
        batches: The services that run requests in batches, with the arguments of their `BatchService`.
        hoist: Whether leading system and developer messages become instructions.
        clients: Returns the vendors' clients for this API, by package name (see `clients`).
        added: Keys of an answer that only clients add.
        prompt: The places of tools, instructions and messages in the body, in the order in which the API reads them.

    The other fields are caches: `decisions` by model and settings, `decided` by the rules that apply,
    `named_models` (whether some rule names a model), `nearest_models` (see `nearest_model`), `guesses` (rules
    without what they reject, by identity), `free_settings` (valid settings that accept any text), `forms`
    (compiled forms of the URL), `urls_read` (what a URL and the model of the body say), and `schemas` (results of a
    dialect of JSON Schema, by identity).
    """

    method: str
    transport: Callable[[Any], Sent]
    signing: Callable[[Any], Signing | None] | None = None
    urls: tuple[tuple[str, bool | None, Mapping[str, tuple[str, ...]]], ...] = ()
    url_filters: Mapping[str, Callable[[Any], Any]] = field(default_factory=new_dict)
    deciding: tuple[str, ...] = ()
    is_dated: bool = False
    address_only: frozenset[str] = frozenset()
    load_rules: Callable[[], tuple[Rule, ...]] = tuple
    common: frozenset[str] = frozenset()
    batches: Mapping[str, Mapping[str, Any]] = field(default_factory=new_dict)
    secrets: Mapping[str, str] = field(default_factory=new_dict)
    hoist: bool = False
    clients: Callable[[], Mapping[str, Any]] | None = None
    added: frozenset[str] = frozenset()
    prompt: tuple[tuple[str, ...], ...] = ()
    decisions: dict[Any, Decision] = field(default_factory=new_dict)
    decided: dict[tuple[object, ...], Decision] = field(default_factory=new_dict)
    named_models: dict[str | None, bool] = field(default_factory=new_dict)
    guesses: dict[int, Rule] = field(default_factory=new_dict)
    free_settings: set[str] = field(default_factory=set[str])
    forms: dict[str, Any] = field(default_factory=new_dict)
    urls_read: dict[tuple[str, str | None], Any] = field(default_factory=new_dict)
    schemas: dict[int, tuple[Any, Any, Any, tuple[tuple[str, str], ...]]] = field(default_factory=new_dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit caches, which hold functions that cannot be pickled."""
        from functools import partial

        return partial(Wire, **self._stated()), ()

    def dialect(self, **changes: Any) -> Wire:
        """Return a dialect: a copy of this wire with some fields changed, and with empty caches."""
        return Wire(**self._stated() | changes)

    def _stated(self) -> dict[str, Any]:
        return {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in _REMEMBERED
        }

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules on what the API rejects, adds or renames for which models; later rules win."""
        return self.load_rules()

    def decide(self, model: str | None, settings: Mapping[str, Any] | None) -> Decision:
        """Return the decision of the rules for a model and settings, which is cached."""
        key = model if settings is None else self._key(model, settings)
        if self.is_dated:
            key = (key, today())
        decision = self.decisions.get(key)
        if decision is None:
            asked: Any = model
            if not (asked is None or isinstance(asked, str)):
                raise TypeError(f"model must be text, not {type(asked).__name__}")
            rules = self.rules_for(model, settings)
            nearest = self.nearest_model(self.judged(model, settings))
            guesses = self._matching(nearest, settings) if nearest else ()
            # many models have the same rules
            identities = (nearest, tuple(map(id, rules)), tuple(map(id, guesses)))
            decision = self.decided.get(identities)
            if decision is None:
                from ..rules.decisions import Decision
                from ..rules.doubts import without_stated

                guessed = without_stated(guesses, nearest, rules)
                decision = Decision(rules, self.common, hoist=self.hoist, guessed=guessed)
                self.decided[identities] = decision
            if len(self.decisions) >= _MOST_DECISIONS:
                self.decisions.clear()
            self.decisions[key] = decision
        return decision

    def profile(self, model: str | None, settings: Mapping[str, Any] | None = None) -> Profile:
        """Return what a model accepts on this API under some settings, for look-ups without a build."""
        from ..rules.profile import Profile

        judged = self.judged(model, settings)
        decision = self.decide(model, settings)
        return Profile(
            self, model, decision, is_named=self._names(judged), nearest=self.nearest_model(judged)
        )

    def _names(self, model: str | None) -> bool:
        """Return whether any rule names a model that is known, or in no family with known models; it is cached."""
        named = self.named_models.get(model)
        if named is None:
            names = self.names_of(model)
            is_met = any(
                rule.model.match(name) or rule.not_model.match(name) for rule in self.rules for name in names
            )
            named = is_met and not self.nearest_model(model)
            if len(self.named_models) >= _MOST_DECISIONS:
                self.named_models.clear()
            self.named_models[model] = named
        return named

    def rules_for(self, model: str | None, settings: Mapping[str, Any] | None) -> tuple[Rule, ...]:
        """Return the rules that hold today for a model and settings, in order.

        For a model that its family does not know, rules about some models of the family reject nothing.
        """
        judged = self.judged(model, settings)
        found = self._matching(judged, settings)
        return tuple(map(self._without_guess, found)) if self.nearest_model(judged) else found

    def _matching(self, judged: str | None, settings: Mapping[str, Any] | None) -> tuple[Rule, ...]:
        """Return the rules that hold today and name the model that rules look at, in order."""
        chosen = {name: setting.default for name, setting in self.settings.items()} | dict(settings or {})
        names, day = self.names_of(judged), today()
        return tuple([rule for rule in self.rules if rule.holds(names, chosen, day)])

    def _without_guess(self, rule: Rule) -> Rule:
        """Return a rule without what it rejects, if it holds for some models of a family and not for all."""
        kept = self.guesses.get(id(rule))
        if kept is None:
            from ..nodes.records import replace

            is_guess = bool(rule.reject or rule.ignore) and self.depends_on_model(rule)
            kept = self.guesses[id(rule)] = replace(rule, reject=(), ignore=()) if is_guess else rule
        return kept

    def depends_on_model(self, rule: Rule) -> bool:
        """Return whether a rule holds for some known models of a family and not for the others."""
        return bool(rule.model or rule.not_model) and any(
            known.covered(rule.model, rule.not_model) == "some" for known in self.load_known()
        )

    def _key(self, model: str | None, settings: Mapping[str, Any]) -> Any:
        """Return the cache key: the model, and those deciding settings that differ from their default."""
        others: tuple[Any, ...] = ()
        for name in self.deciding:
            if name in settings and (value := settings[name]) != self.settings[name].default:
                others += (name, value if isinstance(value, str) or value is None else tuple(value))
        return (model, *others) if others else model

    def take_settings(self, settings: Mapping[str, Any]) -> Settings:
        """Return checked settings: text as plain `str`, lists as tuples, without those that are None.

        Raises:
            SettingError: a setting is unknown, has a value outside its choices, or is not text.
        """
        mapping: Any = settings
        if not is_mapping(mapping):
            raise SettingError(
                f"{self.name}: settings must be a mapping of names to texts, not {type(mapping).__name__}"
            )
        free = self.free_settings
        taken = settings_of({}, self.secrets)
        for name, value in settings.items():
            if type(value) is str and type(name) is str and name in free and value and value.isprintable():
                taken[name] = value
                continue
            self._check_setting(name, value)
            if not self.settings[name].choices:
                free.add(name)
            if value is not None:
                taken[name] = setting_value(value)
        return taken

    def _check_setting(self, key: object, value: Any) -> None:
        name = key if type(key) is str else type(key).__name__
        setting = self.settings.get(name)
        self._check_type(name, value)
        if setting is None:
            from promptwire_text.words import nearest

            near = nearest(name, self.settings)
            hint = f'; did you mean "{near}"?' if near else f"; use {', '.join(self.settings)}"
            raise SettingError(f'{self.name}: "{name}" is not a setting{hint}')
        if value == "" and name in self.secrets:
            raise SettingError(f"{self.name}: {name} is empty; omit it or pass the key")
        several = issubclass(class_of(value), (list, tuple))
        for text in cast("tuple[Any, ...]", value) if several else (value,):
            if text is not None and has_control(text):
                where = "at its end" if text.rstrip().isprintable() else "inside"
                raise SettingError(
                    f"{self.name}: {name} has a control character {where}, such as a line break"
                )
        if setting.choices and value is not None and value not in setting.choices:
            from ..reporting.redaction import shown_safely

            # an address with a password may stand under the wrong name
            raise SettingError(
                f'{self.name}: {name} must be one of {", ".join(setting.choices)}, not "{shown_safely(value)}"'
            )

    def _check_type(self, name: str, value: Any) -> None:
        setting = self.settings.get(name)
        listed = setting is not None and setting.listed
        several = listed and issubclass(class_of(value), (list, tuple))
        texts = cast("tuple[object, ...]", value) if several else (value,)
        if not all(isinstance(text, str) or (text is None and not several) for text in texts):
            expected = "text or a list of texts" if listed else "text"
            raise SettingError(f"{self.name}: {name} must be {expected}, not {type(value).__name__}")


def has_control(text: str) -> bool:
    """Return whether a text holds a control character, which no URL or header may hold."""
    return any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in text)
