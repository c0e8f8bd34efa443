"""Policies: what promptwire does where it has a choice, and presets of them.

All policies work in the same way: `Policies` of a build, `PromptPolicies` and `ContextPolicies` of evaluation cases and
instructions, `ExecutionPolicies` of agent calls. A function that takes policies takes such a record, a preset, choices
in a text (`"portable,thinking=as_text"`), or a mapping (`{"preset": "portable", "thinking": "as_text"}`). Choices and
presets are in `generator/promptwire_gen/spec/policies.yaml`; `promptwire policies` prints them.
"""

from __future__ import annotations

from ..errors import PolicyError
from ..model.policy_choices import OLD_NAMES, OLD_WORDS, POLICY_CHOICES, PRESET_CHOICES
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import LightRecord, construct, fields, replace, set_fields
from ..typed import TYPE_CHECKING, Any, Mapping, new_dict
from ..wire_json.kinds import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import ClassVar, TypeVar

    from ..errors import RequestError

    PoliciesT = TypeVar("PoliciesT", bound=Any)

# no repair, of one policy of repairs or in place of all of them
OFF = "off"
_REPAIRS = POLICY_CHOICES["repairs"]
# class of policies -> preset -> its policies
_PRESETS: dict[type, dict[str, Any]] = {}


def takes_old_names(cls: type[PoliciesT]) -> type[PoliciesT]:
    """Let the constructor of policies take names of an earlier version, each with a DeprecationWarning."""
    made: Any = cls
    make: Callable[..., None] = made.__init__
    old = {*_old_names(made), *(_REPAIRS if "repairs" in made.GROUPS else ())}

    def __init__(self: Any, *args: Any, **given: Any) -> None:  # noqa: N807  # the constructor of the class
        if not old.isdisjoint(given):
            given = _renamed(made, given)
        make(self, *args, **given)

    vars(__init__)["__wrapped__"] = make
    made.__init__ = __init__
    return cls


def _renamed(kind: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of a class of policies with the present names."""
    renamed = _old_names(kind)
    own = _REPAIRS if "repairs" in kind.GROUPS else {}
    changed = {name: value for name, value in given.items() if name not in renamed and name not in own}
    for name in renamed.keys() & given.keys():
        _warn(name, renamed[name])
        changed[renamed[name]] = given[name]
    repairs = {name: _present("repairs", name, value) for name, value in given.items() if name in own}
    for name, word in repairs.items():
        _warn(f'{name}="{given[name]}"', f'repairs={{"{name}": "{word}"}}')
    if repairs:
        others: Any = changed.get("repairs") or {}
        changed["repairs"] = {**others, **repairs} if is_mapping(others) else others
    return changed


def _present(group: str, name: str, word: Any) -> Any:
    """Return the present word of a choice, for one of an earlier version."""
    if group == "repairs":
        return OFF if word == "error" else word
    return OLD_WORDS.get(group, {}).get(name, {}).get(word, word) if isinstance(word, str) else word


def _warn(old: str, new: str) -> None:
    from ..moved_names import warn_deprecated

    warn_deprecated(f"{old} is deprecated; write {new}")


def check_choices(policies: Any) -> None:
    """Check every choice of policies, and replace words of an earlier version. Raises PolicyError."""
    for group in policies.GROUPS:
        if group == "repairs":
            set_fields(policies, repairs=_checked_repairs(policies.repairs))
            continue
        for name, words in POLICY_CHOICES[group].items():
            given = getattr(policies, name)
            if given not in words:
                set_fields(policies, **{name: _checked(group, name, given, words)})


def _checked(group: str, name: str, given: Any, words: tuple[str, ...]) -> str:
    """Return a choice in its present word."""
    word: str = _present(group, name, given)
    if word not in words:
        shown = f'"{given}"' if isinstance(given, str) else repr(given)
        raise PolicyError(f"{name}={shown} is not a valid policy; use one of {', '.join(words)}")
    if word != given:
        _warn(f'{name}="{given}"', f'{name}="{word}"')
    return word


def _checked_repairs(given: Any) -> Mapping[str, str] | str:
    """Return choices of repairs, or the word for none."""
    if given in ("run", "skip"):
        new: Mapping[str, str] | str = OFF if given == "skip" else {}
        _warn(f'repairs="{given}"', 'repairs="off"' if new else "repairs={}")
        return new
    if given == OFF:
        return OFF
    if not is_mapping(given):
        what = f'"{given}"' if isinstance(given, str) else type(given).__name__
        raise PolicyError(
            f'repairs must be "off", or a mapping such as {{"thinking": "as_text"}}, not {what}'
        )
    for name in given:
        if name not in _REPAIRS:
            raise PolicyError(f'"{name}" is not a policy of repairs; {_advice(name, _REPAIRS)}')
    return {name: _checked("repairs", name, word, _REPAIRS[name]) for name, word in given.items()}


def _advice(name: object, known: Mapping[str, object], more: str = "") -> str:
    """Return the name that is probably meant, else all names."""
    from promptwire_text.words import nearest

    near = nearest(name, known) if isinstance(name, str) else None
    return f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}{more}"


def policies_from(kind: type[PoliciesT], value: object) -> PoliciesT:
    """Return policies of a class for policies, a preset, choices in a text, or a mapping.

    Raises:
        PolicyError: the preset, a policy or a choice is unknown.
    """
    if isinstance(value, kind):
        return value
    presets: Mapping[str, PoliciesT] = presets_of(kind)
    if isinstance(value, str):
        if value in presets:
            return presets[value]
        if "=" in value:
            return _from_words(kind, [word.strip() for word in value.split(",")])
    elif is_mapping(value):
        given = dict(value)
        preset = given.pop("preset", next(iter(presets)))
        return _changed(_preset(kind, preset, key="preset"), given)
    return _preset(kind, value)


def presets_of(kind: type[PoliciesT]) -> Mapping[str, PoliciesT]:
    """Return the presets of a class of policies by name, the default first."""
    if kind not in _PRESETS:
        group = next(group for group in PRESET_CHOICES if group in kind.GROUPS)
        _PRESETS[kind] = {name: kind(**choices) for name, choices in PRESET_CHOICES[group].items()}
    return _PRESETS[kind]


def _preset(kind: type[PoliciesT], name: object, *, key: str = "") -> PoliciesT:
    presets = presets_of(kind)
    if isinstance(name, str) and name in presets:
        return presets[name]
    shown = f'"{name}"' if isinstance(name, str) else type(name).__name__
    group = kind.GROUPS[0]
    example, words = next(iter(POLICY_CHOICES[group].items()))
    or_choices = f", choices such as {example}={words[-1]}, or {kind.__name__}(...)"
    error = PolicyError(f"{shown} is not a preset; {_advice(name, presets, or_choices)}")
    error.name = key
    raise error


def _from_words(kind: type[PoliciesT], words: list[str]) -> PoliciesT:
    """Return the policies of a text such as `portable,thinking=as_text`."""
    chosen = (
        presets_of(kind)[next(iter(presets_of(kind)))] if "=" in words[0] else _preset(kind, words.pop(0))
    )
    given: dict[str, Any] = {}
    for word in words:
        name, choice = [piece.strip() for piece in word.partition("=")[::2]]
        if name == "allow" and "allow" in _names(kind):
            given["allow"] = (*given.get("allow", chosen.allow), *choice.split("|"))
        elif name in given:
            raise PolicyError(f"{name} is chosen twice; write one choice of each policy")
        elif any(name in POLICY_CHOICES[group] for group in kind.GROUPS) or name in (
            "repairs",
            *_old_names(kind),
        ):
            given[name] = choice
        else:
            known = [name for group in kind.GROUPS for name in POLICY_CHOICES[group]]
            raise PolicyError(f'"{name}" is not a policy; {_advice(name, dict.fromkeys((*known, "allow")))}')
    return _changed(chosen, given)


def _changed(chosen: PoliciesT, given: dict[str, Any]) -> PoliciesT:
    """Return policies with other choices; those of repairs stand beside the others."""
    kind: Any = type(chosen)
    own = {name: word for name, word in given.items() if name in _REPAIRS} if "repairs" in kind.GROUPS else {}
    changes = {name: word for name, word in given.items() if name not in own}
    if own:
        others = changes.get("repairs", chosen.repairs)
        if not is_mapping(others):
            raise PolicyError(f"repairs are off, so {', '.join(own)} cannot be chosen")
        changes["repairs"] = {**others, **own}
    for name in changes:
        if name not in (*_names(kind), *_old_names(kind)):
            error = PolicyError(f'"{name}" is not a policy; {_advice(name, dict.fromkeys(_names(kind)))}')
            error.name = str(name)
            raise error
    return replace(chosen, **changes)


def _names(kind: Any) -> tuple[str, ...]:
    return tuple([each.name for each in fields(kind) if each.init])


def _old_names(kind: Any) -> dict[str, str]:
    """Return name of an earlier version -> policy."""
    return {old: new for group in kind.GROUPS for old, new in OLD_NAMES.get(group, {}).items()}


@takes_old_names
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Policies(LightRecord):
    """Policies for requests that an API cannot take unchanged. Each lists its choices, the default first.

    Attributes:
        loss: A value that the API does not support: `raise`; drop hints and tuning with a note, and raise only where
            `meaning` is lost that no repair keeps; or drop everything that no repair keeps with a `note`.
        refusals: A value that a rule of the API rejects: `raise`; `fix` the request as the rule says, with a note, or
            raise; `send` it with a note; or `ignore` the rule.
        missing: A value that the API requires: `raise`; `fill` it in with a note where that needs no guess, or raise;
            or `omit` the key or element with a note.
        neighbours: Consecutive messages of one role: `merge` them if the API requires it, or `keep` them.
        blank: Text of nothing but white space, if the API rejects it: `drop` it with a note, `error`, or `keep` it.
        orphans: A tool call without a result, or a result without a call, if the API rejects it: `error`, `answer` the
            call with a result that says so and send the result as text, `drop` both, or `keep` them.
        ids: A tool call id in a form that the API does not accept: `replace` it with a note, `keep` it, or `error`.
        schemas: The schema of a tool or of the answer, if the API rejects something in it: change it where that is
            `lossless`, or `adapt` it, with a note for each edit, or `keep` it. A dialect of a plugin always applies,
            unless schemas are kept.
        passes: The pass of a plugin, if the wire names one: `run` it, or `skip` it.
        repairs: Choices of single repairs, which the choices above ask for: `{"thinking": "as_text"}`, or
            `{"tool_names": "off"}` where the problem shall stay. The word `off` skips all repairs. `promptwire policies
            repairs` prints them.
        allow: Fields that may be dropped or changed with a note, whatever the other policies say: `options.seed`,
            `messages[2].parts[0]`, `messages.parts.citations` for all parts.
        fixes: The repair for a rule or field: the name of the rule, or the path of the field in errors -> the name of a
            repair, or a function.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("build", "repairs")

    loss: str = "raise"
    refusals: str = "raise"
    missing: str = "raise"
    neighbours: str = "merge"
    blank: str = "drop"
    orphans: str = "error"
    ids: str = "replace"
    schemas: str = "lossless"
    passes: str = "run"
    repairs: Mapping[str, str] | str = field(default_factory=new_dict)
    allow: Sequence[str] = ()
    fixes: Mapping[str, Any] = field(default_factory=new_dict)

    def __post_init__(self) -> None:
        """Raise PolicyError for an unknown choice."""
        check_choices(self)
        allow: Any = self.allow
        if isinstance(allow, list):
            set_fields(self, allow=tuple(allow))  # pyright: ignore[reportUnknownArgumentType]
        elif not isinstance(allow, tuple):
            raise PolicyError(
                f'allow must be a list of paths such as "options.seed", not {type(allow).__name__}'
            )
        if not is_mapping(self.fixes):
            raise PolicyError(f"fixes must be a mapping of rules to repairs, not {type(self.fixes).__name__}")

    def __getattr__(self, name: str) -> str:
        """Return the choice of a repair by the attribute that it had in an earlier version."""
        if name not in _REPAIRS:
            raise AttributeError(f"'Policies' object has no attribute {name!r}")
        _warn(f"policies.{name}", f'policies.choice("{name}")')
        return self.choice(name)

    def choice(self, name: str) -> str:
        """Return the choice of a policy: of a build, or of a repair, the default where none is chosen."""
        if name not in _REPAIRS:
            chosen: str = getattr(self, name)
            return chosen
        repairs = self.repairs
        return repairs if isinstance(repairs, str) else repairs.get(name, _REPAIRS[name][0])

    @property
    def skips_repairs(self) -> bool:
        """Return whether no repair runs."""
        return self.repairs == OFF

    @property
    def may_repair(self) -> bool:
        """Return whether a problem may be repaired rather than raised."""
        asks = self.loss != "raise" or self.refusals == "fix" or self.missing == "fill" or self.allow
        return bool(asks) and self.repairs != OFF

    def waives(self, path: str, field: str) -> bool:
        """Return whether `allow` names a field of a node, or the node; `messages.parts` stands for all indexes."""
        if not self.allow:
            return False
        own = ".".join(piece for piece in (path, field) if piece)
        names = {path, own, field, _without_indexes(own), _without_indexes(path)} - {""}
        return not names.isdisjoint(self.allow)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Collecting(Policies):
    """Policies under which a build goes on after an error, and raises `Found` at its end."""

    @classmethod
    def of(cls, policies: Policies, **changes: Any) -> Collecting:
        """Return policies that find all that these raise, with some valid choices changed."""
        return construct(cls, **{**vars(policies), **changes})


class Found(Exception):  # it never leaves this package
    """What a build under `Collecting` policies raises: all its errors, in order."""

    def __init__(self, errors: list[RequestError]) -> None:
        super().__init__(errors)
        self.errors = errors


PRESETS = presets_of(Policies)
STRICT, PORTABLE, LENIENT, VERBATIM = PRESETS.values()


def policies_of(value: object) -> Policies:
    """Return the policies of a build for a preset, choices in a text, a mapping, or policies.

    Raises:
        PolicyError: the preset, policy or choice is unknown.
    """
    return policies_from(Policies, value)


def _without_indexes(path: str) -> str:
    """Return a path without the positions in it: `messages.parts` of `messages[2].parts[0]`."""
    pieces = path.split("[")
    return pieces[0] + "".join([piece.partition("]")[2] for piece in pieces[1:]])
