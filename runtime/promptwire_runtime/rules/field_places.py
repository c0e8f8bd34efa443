"""Which fields of a request an API has, and which of their words: look-ups in its table of capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..model.options import OPTION_NAMES, ReasoningOptions

if TYPE_CHECKING:
    from ..reporting.facts import WireFacts

ALONE = "alone"
"""The reasoning settings that need no mode, among the modes of `capabilities["reasoning_modes"]`."""

MEDIA = ("image", "document", "audio", "video")
# the prefix of the paths of vendor options, of message fields and of reasoning settings
_VENDOR, _MESSAGE, _REASONING = "vendor.", "message.", "reasoning."


def has_field(wire: WireFacts, field: str) -> bool:
    """Return whether an API has a field of requests: `top_k`, `reasoning.effort`, `image`, `vendor.NAME`."""
    known = wire.capabilities
    if field in OPTION_NAMES:
        return field in known["options"]
    if field.startswith(_VENDOR):
        return field[len(_VENDOR) :] in known["vendor"]
    if field.startswith(_REASONING):
        return _has_setting(known.get("reasoning_modes", {}), field[len(_REASONING) :])
    if field.startswith(_MESSAGE):
        return field[len(_MESSAGE) :] in known["message"]
    if field in MEDIA:
        return "data" in known["parts"].get(field, ())
    return _has_other(wire, known, field)


def _has_setting(modes: Mapping[str, Any], name: str) -> bool:
    """Return whether an API has a reasoning setting where no other setting is given."""
    alone = modes.get(ALONE, ())
    if name in ("mode", "kind"):
        return name in alone or bool(modes.keys() - {ALONE})
    return name in alone or (name == "budget" and name in modes.get(name, ()))


def _has_other(wire: WireFacts, known: Mapping[str, Any], field: str) -> bool:
    """Return whether an API has a field of tools, formats, marks and of the request itself."""
    tools = known["tools"]
    if field in ("tools", "tools.name"):
        return "function" in tools["kinds"]
    if field == "tool_call.id":
        return "tool_call" in known["parts"]
    if field == "tool_choice":
        return "auto" in tools["choice"]
    if field == "tool_choice.parallel":
        return bool(tools["parallel"])
    if field == "response_format":
        return "json_schema" in known["response_formats"]
    if field == "cache":
        return bool(wire.cache_marks)
    # every API has a way to write instructions
    return field == "instructions" or field.partition(".")[0] in known["request"]


def words_of_field(wire: WireFacts, field: str) -> tuple[str, ...] | None:
    """Return the words that the shapes of an API have for a field; None if they do not name the words."""
    known = wire.capabilities
    if field in ("part", "user.part"):
        return tuple(known["parts"])
    if field == "tool":
        return tuple(known["tools"]["kinds"])
    if field == "tool_choice.mode":
        return tuple(known["tools"]["choice"])
    if field == "response_format.kind":
        return tuple(known["response_formats"])
    if field == "reasoning.mode":
        modes = known.get("reasoning_modes", {})
        # a budget is a kind of reasoning, and no mode
        named = tuple([mode for mode in modes if mode not in (ALONE, "budget")])
        return None if "mode" in modes.get(ALONE, ()) else named
    return None


def lost_setting(wire: WireFacts, settings: ReasoningOptions) -> str:
    """Return the first of mode, effort and budget that an API cannot write together with the others; empty if none.

    `kind` stands for a mode that the API does not have, or for a budget without a mode.
    """
    modes: Mapping[str, Any] = wire.capabilities.get("reasoning_modes", {})
    alone, kind = modes.get(ALONE, ()), settings.kind
    if kind is None or ("budget" if settings.mode is None else "mode") in alone:
        written = {*alone, *modes.get(kind or "", ())}
    elif kind in modes:
        written = {*alone, *modes[kind]}
    else:
        return "kind"
    given = [name for name in ("effort", "budget") if getattr(settings, name) is not None]
    return next((name for name in given if name not in written), "")
