"""Return what is lost with a value: a hint (cost, speed, storage), tuning (how the model decides), or meaning."""

from __future__ import annotations

from .spec_words import kind_of_class

# a field of the request -> the class of the node that it holds
_HELD = {
    "tool_choice": "ToolChoice",
    "response_format": "ResponseFormat",
    "reasoning": "ReasoningOptions",
    "continuation": "Continuation",
    "options": "Options",
}
# reasoning settings whose value has a nearest one in another setting
_NEAREST = frozenset({"kind", "mode", "effort", "budget"})
# class of a node, field -> class of loss, as far as it was asked for; names of options are the caller's
_KNOWN: dict[tuple[type, str], str] = {}
_MOST_KNOWN = 1024


def has_nearest(node: object, field: str) -> bool:
    """Return whether another value may say as much as one without a place, so that a repair looks for it first."""
    name = field.removeprefix("reasoning.")
    return name in _NEAREST and (name != field or type(node).__name__ == "ReasoningOptions")


def loss_of(node: object, field: str) -> str:
    """Return the class of loss of a field of a node; `field` may be the path of a rule (`reasoning.effort`)."""
    key = type(node), field
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = _loss_in(*key)
    return known


def _loss_in(cls: type, field: str) -> str:
    """Return the class of loss of a field of the nodes of a class."""
    from ..model.tables import LOSSES

    head, _, rest = field.partition(".")
    head = head.partition("[")[0]
    names = rest.split(".") if rest else []
    if head in ("vendor", "extra") or "vendor" in names:
        return "meaning"
    if head in ("cache", "settings") or names[-1:] == ["cache"]:
        return "hint"
    if head in _HELD and names:
        return LOSSES[_HELD[head]].get(names[0], "meaning")
    if head in LOSSES["Options"]:
        return LOSSES["Options"][head]
    own = LOSSES.get(cls.__name__, {})
    last = names[-1] if names else head
    if last == "kind" and "mode" in own:  # the mode of reasoning, or its budget
        last = "mode"
    # a node that is left out as a whole is as much as what it says
    return "meaning" if last == kind_of_class(cls) else own.get(last, "meaning")
