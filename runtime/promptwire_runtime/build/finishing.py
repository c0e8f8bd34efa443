"""Finish the JSON of a node: form memory, extra JSON, and the values that only answers have."""

from __future__ import annotations

from ..reporting.unkeyed import check_json, report_elsewhere
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.request import Request
    from ..reporting.report import Report
    from .writers import Row


def recall_form(item: dict[str, Any], node: Any, report: Report) -> dict[str, Any]:
    """Apply form memory to the JSON of a node."""
    kept = node.kept
    if kept.wire != report.wire.name:
        report_leftover(node, report)
        return item
    if kept.form is None:
        return item
    from .restoring import has_unread, restore, unread_only

    form = kept.form
    if has_unread(form) and report.policies.refusals != "ignore":
        report.note_kept(node)
    # another model may expect other spellings; a server that holds the conversation holds the model too
    known = kept.model is None or getattr(node, "model", None) in (None, kept.model)
    return restore(item, form if known else unread_only(form), node, report.wire.name)


def report_leftover(node: Any, report: Report) -> None:
    """Report the memory of another wire in a node: keys that only that has, and a schema in its own dialect."""
    kept = node.kept
    if kept.form is not None:
        report.forget(node)
    if kept.shape is None or kept.wire == report.wire.name:
        return
    from .adapted_schemas import translated_schema

    if translated_schema(node, report.wire.name) is not None:
        path = "tools.parameters.type" if hasattr(node, "parameters") else "strict_schemas.root"
        why = f"it is in the OpenAPI dialect of {kept.wire}, not JSON Schema"
        report.refused(path, getattr(node, "parameters", None) or node.schema, why, node)


def unwritten_options(
    item: Mapping[str, Any], node: Any, options: Mapping[str, Sequence[str]], report: Report
) -> list[str]:
    """Return the read-only options whose keys form memory has not written."""
    given_options = report.vendor(node)
    return [
        f"vendor.{report.wire.name}.{option}"
        for option, keys in options.items()
        if option in given_options and not _has(item, keys)
    ]


def complete_answer(item: dict[str, Any], node: Any, row: Row, report: Report) -> None:
    """Write the values that an answer has and a request does not repeat, where form memory has not written them."""
    given_options = report.vendor(node)
    values = [(keys, given_options.get(option)) for option, keys in row.read_only.items()]
    values += [(keys, getattr(node, field)) for field, keys in row.answered.items()]
    for keys, value in values:
        if value is not None and not _has(item, keys):
            inside = item
            for key in keys[:-1]:
                inside = inside.setdefault(key, {})
            inside[keys[-1]] = value


def merge_extra(item: dict[str, Any], node: Any, report: Report) -> dict[str, Any]:
    """Merge the extra JSON of a node for this wire into its JSON, and report that for other wires."""
    for wire, addition in node.extra.items():
        if wire == report.wire.name:
            check_json(node, "extra", addition, report)
            if getattr(node, "continuation", None) is not None:
                _check_continued(item, addition, node, report)
            item = _merge(item, addition)
            report.note("added", node, "extra", f"merged as given: {', '.join(map(str, addition))}")
        else:
            report_elsewhere(node, "extra", wire, "it is for another API", report)
    return item


def _check_continued(
    item: Mapping[str, Any], addition: Mapping[str, Any], request: Request, report: Report
) -> None:
    """Reject extra JSON that replaces the id which the request continues, or names another beside it."""
    continued = request.continuation
    state = report.wire.state
    if state is None or not (getattr(continued, "id", None) or getattr(continued, "conversation", None)):
        return
    for key, value in addition.items():
        if key in state.fields and value is not None and item.get(key) != value:
            why = f"`{key}` contradicts the continuation of the request: leave one of them out"
            report.refused(f"extra.{report.wire.name}.{key}", value, why, request)


def _has(item: Any, keys: Sequence[str]) -> bool:
    """Return whether a path of keys exists in JSON."""
    for key in keys:
        if not is_mapping(item) or key not in item:
            return False
        item = item[key]
    return True


def _merge(item: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(item)
    for key, value in addition.items():
        old = merged.get(key)
        if is_mapping(old) and is_mapping(value):
            merged[key] = _merge(old, value)
        else:
            merged[key] = value
    return merged
