"""Apply form memory: change the JSON of a node back to the form in which it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.wire_memory import Form
from ..nodes.records import replace
from ..reporting.derived_keys import holds
from ..reporting.report import Report
from ..wire_json.kinds import is_list, is_object, same

Object = dict[str, Any]


def has_unread(form: Form) -> bool:
    """Return whether a memory may hold keys or values that no neutral field holds."""
    if form.added or form.swapped:
        return True
    for below in form.inside.values():
        for inner in (below,) if isinstance(below, Form) else below.values():
            if has_unread(inner):
                return True
    return False


def restore(fresh: Object, form: Form, node: object, wire: str) -> Object:
    """Return the JSON of a node in the form in which it was read, wherever its values have not changed."""
    item = _restore_keys(fresh, form)
    for key, (path, value) in form.echoed.items():
        if holds(node, path, value, wire):
            item.setdefault(key, value)
    for key, (element, text) in form.listed.items():
        if type(item.get(key)) is str:
            item[key] = [{**element, text: item[key]}]
    _respell(item, form)
    for key, below in form.inside.items():
        if key in item:
            item[key] = _restore_below(item[key], below, node, wire)
    for alias, key in form.repeated.items():
        if key in item:
            item.setdefault(alias, item[key])
    for key, value in (*form.absent.items(), *form.added.items()):
        item.setdefault(key, value)
    return item


def _respell(item: Object, form: Form) -> None:
    for key, swap in form.swapped.items():
        if key in item and same(item[key], swap.fresh):
            item[key] = swap.read


def _restore_keys(fresh: Object, form: Form) -> Object:
    """Move known values back to the keys that they were read from."""
    item = dict(fresh)
    moved = form.moved
    if moved is not None and all(
        key in item and same(item[key], value) for key, value in moved.fresh.items()
    ):
        for key in moved.fresh:
            del item[key]
        item.update(moved.read)
    for key, value in form.dropped.items():
        if key in item and same(item[key], value):
            del item[key]
    for key, alias in form.renamed.items():
        if key in item and alias not in item:
            item[alias] = item.pop(key)
    return item


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
    if any(swap.read == text and swap.fresh == {} for swap in form.swapped.values()):
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
    swapped = {key: swap for key, swap in form.swapped.items() if swap.unread}
    return Form(added=form.added, echoed=form.echoed, swapped=swapped, inside=inside)
