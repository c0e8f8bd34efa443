"""The facts of a wire that rules, passes and reports need."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import LightRecord
from ..typed import TYPE_CHECKING, Any, Callable, Mapping, new_dict

if TYPE_CHECKING:
    from promptwire_text.model_names import ModelNames

# a pattern and a model -> the model's family
_FAMILIES: dict[tuple[str, str], str | None] = {}
_MOST_FAMILIES = 256


@dataclass(frozen=True, eq=False, repr=False)
class Setting(LightRecord):
    """One build setting: its default, its choices, and whether it accepts a list."""

    default: Any = None
    choices: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class ServerState(LightRecord):
    """Conversation state that the server of a wire stores, and that a continuing request omits.

    Attributes:
        by: The field of a continuation that takes the id of an answer: `id` or `conversation`.
        omits: The fields of a request that are always omitted; a vendor option as `vendor.name`.
        spares: The fields that are omitted if they have not changed.
        binds: `model` and the settings that a stored conversation is bound to.
        begins: Vendor options that make the server store the conversation.
        fields: The keys of a body that name what is continued.
    """

    by: str
    omits: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    begins: Mapping[str, Any] = field(default_factory=new_dict)
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class SignatureFamilies(LightRecord):
    """Which models accept the signatures and the encrypted reasoning of which others.

    Attributes:
        pattern: A regular expression whose first group is the family in the name of a model.
        reads: A family -> the other families whose payloads its models accept.
        source: Who says so.
    """

    pattern: str
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=new_dict)
    source: str = ""

    def accepts(self, model: str, maker: str) -> bool:
        """Return whether a model accepts payloads of another one. Models of an unknown family accept all."""
        family, other = self._family(model), self._family(maker)
        return None in (family, other) or family == other or other in self.reads.get(family or "", ())

    def _family(self, model: str) -> str | None:
        key = self.pattern, model
        if key not in _FAMILIES:
            from re import search

            found = search(self.pattern, model)
            if len(_FAMILIES) >= _MOST_FAMILIES:
                _FAMILIES.clear()
            _FAMILIES[key] = None if found is None else found[1]
        return _FAMILIES[key]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WireFacts(LightRecord):
    """The facts of a wire that rules and passes may read.

    Attributes:
        name: The name of the wire.
        title: The name of its API, for messages.
        provider: The provider of the API in OpenTelemetry's conventions for GenAI (`gen_ai.provider.name`).
        api: The wire that this one is a dialect of, or its own name.
        settings: The build settings.
        stand_in: The setting whose value rules and prompt templates read instead of the model.
        defaults: A field that the API does not have -> the value that it always uses.
        names: The regular expression for tool names; empty if unknown.
        unique_names: Whether tool names must be unique.
        pairs: Where the result of a tool call must be: `later`, in the next `turn`, or in the `next` messages; empty
            if the API does not check.
        waiting: The types of hosted calls that the caller runs or approves -> the keys that say so, if not all do.
        answered: The types of hosted calls that the API answers itself, and wants back with their results.
        drops_blank: Whether the API rejects text that is only white space.
        state: What the server stores of a conversation; None if it stores nothing.
        signatures: Which models accept the payloads of which others; None if it is not known.
        wrapping: The key of the object that holds the messages, and their keys inside; empty if no object holds them.
        cache_marks: The keys of cache marks.
        capabilities: What the API can do, as `promptwire list` shows it.
        load_known: Returns the names of the known models of each family that the API serves.
        known_names: A cache of valid tool names.
        nearest_models: A cache of `nearest_model`.
        last_tools: A cache: the last tools whose names were all valid, and whether all of them were plain.
    """

    name: str
    title: str
    api: str
    provider: str = ""
    settings: Mapping[str, Setting] = field(default_factory=new_dict)
    stand_in: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=new_dict)
    names: str = ""
    unique_names: bool = False
    pairs: str = ""
    waiting: Mapping[str, Mapping[str, Any]] = field(default_factory=new_dict)
    answered: frozenset[str] = frozenset()
    drops_blank: bool = False
    state: ServerState | None = None
    signatures: SignatureFamilies | None = None
    wrapping: tuple[str, ...] = ()
    cache_marks: frozenset[str] = frozenset()
    capabilities: Mapping[str, Any] = field(default_factory=new_dict)
    load_known: Callable[[], tuple[ModelNames, ...]] = tuple
    known_names: set[str] = field(default_factory=set[str])
    nearest_models: dict[str | None, str] = field(default_factory=new_dict)
    last_tools: list[tuple[tuple[Any, ...], bool]] = field(default_factory=list[Any])

    def setting(self, name: str, settings: Mapping[str, Any] | None) -> Any:
        """Return one of the build settings, or its default."""
        return settings[name] if settings is not None and name in settings else self.settings[name].default

    def judged(self, model: str | None, settings: Mapping[str, Any] | None) -> str | None:
        """Return the model that rules and prompt templates look at: a setting that stands for it comes first."""
        if self.stand_in is None:
            return model
        return (settings or {}).get(self.stand_in, self.settings[self.stand_in].default) or model

    def nearest_model(self, model: str | None) -> str:
        """Return the known model that is nearest to an unknown one of a family; empty for any other model."""
        nearest = self.nearest_models.get(model)
        if nearest is None:
            families = self.load_known() if model else ()
            found = [known.nearest(model) for known in families if model]
            nearest = next(filter(None, found), "")
            if len(self.nearest_models) >= _MOST_FAMILIES:
                self.nearest_models.clear()
            self.nearest_models[model] = nearest
        return nearest

    def names_of(self, model: str | None) -> tuple[str | None, ...]:
        """Return a model's name, and the names by which rules name it (see `ModelNames.meant`)."""
        families = self.load_known() if model else ()
        return (model, *[name for known in families if model for name in known.meant(model)])
