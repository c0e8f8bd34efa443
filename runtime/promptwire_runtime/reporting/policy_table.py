"""The table of all policies: what each is about, its choices, and what the presets choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import PolicyError
from ..model.policy_choices import POLICY_CHOICES, PRESET_CHOICES
from ..model.policy_texts import POLICY_TEXTS
from ..nodes.record_fields import shown
from ..wire_json.kinds import class_of

# group of policies -> the group of its presets
_PRESETS_OF = {"repairs": "build", "prompts": "context"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRow:
    """One policy.

    Attributes:
        group: What it is for: `build`, `repairs` of a build, `context`, `prompts` or `execution`.
        name: Its name.
        about: The cases in which it decides.
        choices: Each choice with what it does, the default first.
        presets: Preset -> its choice.
    """

    group: str
    name: str
    about: str
    choices: Mapping[str, str]
    presets: Mapping[str, str]

    def __str__(self) -> str:
        """Show name, choices and cases as one line."""
        return f"{self.name}: {', '.join(self.choices)} - {self.about}"


def policies(group: str = "") -> tuple[PolicyRow, ...]:
    """Return every policy, or those of one group: `build`, `repairs`, `context`, `prompts`, `execution`.

    Raises:
        PolicyError: there is no such group.
    """
    if class_of(group) is not str or (group and group not in POLICY_CHOICES):
        named = f'"{group}"' if class_of(group) is str else shown(group)
        raise PolicyError(f"{named} is not a group of policies; use one of {', '.join(POLICY_CHOICES)}")
    groups = (group,) if group else tuple(POLICY_CHOICES)
    return tuple([_row(each, name) for each in groups for name in POLICY_CHOICES[each]])


def _row(group: str, name: str) -> PolicyRow:
    texts = POLICY_TEXTS[group][name]
    default = POLICY_CHOICES[group][name][0]
    presets = PRESET_CHOICES[_PRESETS_OF.get(group, group)]
    return PolicyRow(
        group=group,
        name=name,
        about=texts["about"],
        choices={word: texts[word] for word in POLICY_CHOICES[group][name]},
        presets={preset: _chosen(group, name, choices, default) for preset, choices in presets.items()},
    )


def _chosen(group: str, name: str, choices: Mapping[str, object], default: str) -> str:
    """Return the choice of a preset; none of a repair runs where repairs are off."""
    if group == "repairs":
        return "off" if choices.get("repairs") == "off" else default
    return str(choices.get(name, default))
