"""Apply form memory: change the JSON of a node back to the form in which it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.wire_memory import Form, Swap
from ..nodes.records import replace
from ..reporting.derived_keys import holds
from ..reporting.report import Report
from ..wire_json.kinds import is_list, is_object, same

Object = dict[str, Any]


def has_unread(form: Form) -> bool:
    """Return whether a memory holds keys or values that no neutral field holds."""
    if form.added or any(swap.unread for swap in form.swapped):
        return True
    for below in form.inside.values():
        for inner in (below,) if isinstance(below, Form) else below.values():
            if has_unread(inner):
                return True
    return False


def restore(fresh: Object, form: Form, node: object, wire: str) -> Object:
    """Return the JSON of a node in the form in which it was read, wherever its values have not changed."""
    item = dict(fresh)
    for swap in form.swapped:
        _apply_swap(item, swap, node, wire)
    for key, (element, text) in form.listed.items():
        if type(item.get(key)) is str:
            item[key] = [{**element, text: item[key]}]
    for key, below in form.inside.items():
        if key in item:
            item[key] = _restore_below(item[key], below, node, wire)
    for key, names in form.names.items():
        if key in item and names and (key in names or names[0] not in item):
            value = item[key] if key in names else item.pop(key)
            for name in names:
                item.setdefault(name, value)
    for key, value in form.added.items():
        item.setdefault(key, value)
    return item


def _apply_swap(item: Object, swap: Swap, node: object, wire: str) -> None:
    """Write the keys that were read in place of those of a fresh build, where all values are as they were."""
    if not all(key in item and same(item[key], value) for key, value in swap.fresh.items()):
        return
    field = swap.field
    if field is not None and not all(holds(node, field, value, wire) for value in swap.read.values()):
        return
    for key in swap.fresh:
        if key not in swap.read:
            del item[key]
    for key, value in swap.read.items():
        if key in swap.fresh or key not in item:
            item[key] = value


def _restore_below(value: Any, below: Form | Mapping[int, Form], node: object, wire: str) -> Any:
    if isinstance(below, Form):
        return restore(value, below, node, wire) if is_object(value) else value
    if not is_list(value):
        return value
    elements = list(value)
    for index, form in below.items():
        element = elements[index] if index < len(elements) else None
        if is_object(element):
            elements[index] = restore(element, form, node, wire)
    return elements


def with_arguments(part: Any, report: Report) -> Any:
    """Return a call whose arguments can be written.

    Broken arguments that were read where this API has an object go back as they were read: form memory replaces the
    empty object.
    """
    kept = part.kept
    if kept.wire != report.wire.name or kept.form is None or not _replaces(kept.form, part.arguments):
        return part
    copy = replace(part, arguments={})
    report.copied(part, [copy])
    return copy


def _replaces(form: Form, text: str) -> bool:
    """Return whether a memory writes this text instead of an empty object."""
    for swap in form.swapped:
        if any(value == {} and swap.read.get(key) == text for key, value in swap.fresh.items()):
            return True
    return any(isinstance(below, Form) and _replaces(below, text) for below in form.inside.values())


def unread_only(form: Form) -> Form:
    """Return only the part of a memory that no neutral field holds."""
    inside: dict[str, Form | Mapping[int, Form]] = {}
    for key, below in form.inside.items():
        inside[key] = (
            unread_only(below)
            if isinstance(below, Form)
            else {index: unread_only(inner_form) for index, inner_form in below.items()}
        )
    swapped = tuple([swap for swap in form.swapped if swap.unread or swap.field is not None])
    return Form(added=form.added, swapped=swapped, inside=inside)
