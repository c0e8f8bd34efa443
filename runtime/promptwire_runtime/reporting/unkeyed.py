"""Report vendor options and extra JSON that a node's JSON has no keys for."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_plain_json

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
