"""Named choices for what a context is made of: one frozen value that presets fill in.

Fields are grouped by what they concern; each names its choices, the default first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidRequest, PolicyError
from ..nodes.coercion import as_names
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import shown
from .prompt_policies import PROMPT_CHOICES, PromptPolicies, check_prompt_policies

BASE, PLAN, DYNAMIC, REQUEST = "base", "plan", "dynamic", "request"
DOCUMENTED_ORDER = (BASE, PLAN, DYNAMIC, REQUEST)
_CHOICES: dict[str, tuple[object, ...]] = {
    "blank": ("whitespace_is_absent", "strict_seed"),
    "repeats": ("drop", "keep"),
    "dedup": ("skip_identical", "skip_if_system_present", "combine", "substring"),
    "unsupported_per_request": ("combine", "drop"),
    "lists": ("append", "replace"),
    "taken_tool_names": ("note", "error"),
    **PROMPT_CHOICES,
}


def _plan_edge() -> dict[str, str]:
    return {PLAN: "\n\n"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextPolicies(PromptPolicies):
    r"""How layers of instructions become one text, and what happens where they meet system messages.

    Layers:
        layer_order        sources of layers from first to last; a source that is not listed comes after them
        separator          between two layers; `"\n"`
        separators         exceptions: the text before a source (`plan`), or on one edge (`plan>request`)
        section_separator  before a section that a filter adds; `"\n\n"`
        blank              `whitespace_is_absent`: a blank layer counts as none. `strict_seed`: base and plan are
                           absent only when empty, all others also when blank
        repeats            a layer with the text of an earlier one: `drop`, with a note, or `keep`
    Where the merged text meets system messages, decided once, after all layers are merged:
        dedup              `skip_identical`: a system message that says the very same is enough.
                           `skip_if_system_present`: any system message replaces all layers.
                           `combine`: both are sent. `substring`: a layer is dropped when a system message or
                           another layer contains it
    What a request adds:
        unsupported_per_request  layers of the request where the API has no field for instructions: `combine`
                                 them with the others, or `drop` them with a note
        lists              tools, stop strings and other lists: `append` the defaults to what is given, or `replace`
        taken_tool_names   a default tool whose name another tool of the request has: `note` that the request's counts,
                           as what is given does everywhere, or `error`
    How messages of an evaluation case become a prompt: the fields of `PromptPolicies`.
    """

    layer_order: tuple[str, ...] = DOCUMENTED_ORDER
    separator: str = "\n"
    separators: Mapping[str, str] = field(default_factory=_plan_edge)
    section_separator: str = "\n\n"
    blank: str = "whitespace_is_absent"
    repeats: str = "drop"
    dedup: str = "skip_identical"
    unsupported_per_request: str = "combine"
    lists: str = "append"
    taken_tool_names: str = "note"
    ranks: Mapping[str | None, int] = field(init=False, repr=False, compare=False)
    rows: dict[tuple[str | None, ...], tuple[bool, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse values that do not exist, and number the sources."""
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise PolicyError(
                    f'{name}="{getattr(self, name)}": use one of {", ".join(map(str, choices))}'
                )
        check_prompt_policies(self)
        order = _texts("layer_order", self.layer_order)
        if len(set(order)) != len(order):
            raise PolicyError(f"layer_order names a source twice: {', '.join(order)}")
        for edge, separator in self.separators.items():
            _texts("separators", (edge, separator))
        _texts("separator", (self.separator, self.section_separator))
        object.__setattr__(self, "layer_order", order)
        ranks: dict[str | None, int] = {source: rank for rank, source in enumerate(order)}
        ranks[None] = ranks.get(REQUEST, len(order))
        object.__setattr__(self, "ranks", ranks)
        object.__setattr__(self, "rows", {})


def _texts(name: str, values: Any) -> tuple[str, ...]:
    try:
        return as_names(values, name)
    except InvalidRequest:
        raise PolicyError(f"{name} holds texts: {shown(values)}") from None
