"""Losses: what is lost with a value, and reports of options and extra JSON that a node has no keys for."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_plain_json
from .spec_words import kind_of_class

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .report import Report


def report_unknown_options(node: Any, known: frozenset[str], report: Report) -> None:
    """Report vendor options that the shape of a node does not know; those of other wires get a note."""
    for wire, elsewhere in node.vendor.items():
        if wire != report.wire.name:
            _report_options_elsewhere(node, wire, elsewhere, report)
    options = report.vendor(node)
    check_json(node, "vendor", options, report)
    for name in options:
        if name not in known:
            report.lost(
                node, f"vendor.{report.wire.name}.{name}", f"{report.wire.title} has no such option here"
            )


def _report_options_elsewhere(node: Any, wire: str, options: Mapping[str, Any], report: Report) -> None:
    """Report the options of another wire by their names. One that brings content of that wire alone is lost."""
    from ..model.tables import OWN_CONTENT

    own = OWN_CONTENT.get(wire, {}) if node is report.request else {}
    for name in options or ("",):
        if name in own:
            report.lost(
                node,
                f"vendor.{wire}.{name}",
                f"it brings content that only {wire} takes",
                **own[name],
            )
        else:
            report_elsewhere(node, "vendor", wire, "it is for another API", report, name)


def report_unkeyed(node: Any, report: Report) -> None:
    """Report options and extra JSON of a node that is written as a scalar, which has no keys for them."""
    if node.kept is not None:
        report.forget(node)
    if node.vendor is not None:
        report_unknown_options(node, frozenset(), report)
    for wire in node.extra or ():
        if wire == report.wire.name:
            report.lost(node, f"extra.{wire}", "it is sent as a scalar, without keys")
        else:
            report_elsewhere(node, "extra", wire, "it is for another API", report)


def report_elsewhere(node: Any, field: str, wire: str, why: str, report: Report, name: str = "") -> None:
    """Report a value for another wire: with a note, or as lost if the name is a misspelling of this wire's."""
    from promptwire_text.words import is_misspelling

    place = f"{field}.{wire}"
    if report.wire.name not in getattr(node, field) and is_misspelling(wire, report.wire.name):
        report.lost(node, place, f'unknown wire; did you mean "{report.wire.name}"?')
    else:
        report.note("dropped", node, f"{place}.{name}" if name else place, why)


def check_json(node: Any, field: str, value: Mapping[str, Any], report: Report) -> None:
    """Raise InvalidRequest for a value that JSON cannot hold, in JSON that a caller passes for this wire."""
    if report.policies.refusals == "ignore" or is_plain_json(value):
        return
    from ..wire_json.places import unwritable

    trouble = unwritable({report.wire.name: value})
    if trouble is not None:
        where = f"{field}.{trouble[0]}"
        raise InvalidRequest(
            f"{where}: {trouble[1]}", wire=report.wire.name, path=report.origins.path(node), field=where
        )


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
