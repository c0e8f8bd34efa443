"""Restoring what form memory holds: a node's fresh JSON, spelled as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.wire_memory import Form
from ..reporting.echoes import says
from ..wire_json.kinds import is_list, is_object, same

Object = dict[str, Any]


def restore(fresh: Object, form: Form, node: object, wire: str) -> Object:
    """Spell the fresh object of a node as it was read, wherever its values still fit."""
    out = _restore_keys(fresh, form)
    for key, (path, value) in form.echoed.items():
        if says(node, path, value, wire):
            out.setdefault(key, value)
    for key, (element, text) in form.listed.items():
        if type(out.get(key)) is str:
            out[key] = [{**element, text: out[key]}]
    _respell(out, form)
    for key, below in form.inside.items():
        if key in out:
            out[key] = _restore_below(out[key], below, node, wire)
    for synonym, key in form.repeated.items():
        if key in out:
            out.setdefault(synonym, out[key])
    for key, value in (*form.absent.items(), *form.added.items()):
        out.setdefault(key, value)
    return out


def _respell(out: Object, form: Form) -> None:
    for key, swap in form.swapped.items():
        if key in out and same(out[key], swap.fresh):
            out[key] = swap.read


def _restore_keys(fresh: Object, form: Form) -> Object:
    """Put known values back under the keys where they were read."""
    out = dict(fresh)
    moved = form.moved
    if moved is not None and all(key in out and same(out[key], value) for key, value in moved.fresh.items()):
        for key in moved.fresh:
            del out[key]
        out.update(moved.read)
    for key, value in form.dropped.items():
        if key in out and same(out[key], value):
            del out[key]
    for key, synonym in form.renamed.items():
        if key in out and synonym not in out:
            out[synonym] = out.pop(key)
    return out


def _restore_below(value: Any, below: Form | Mapping[int, Form], node: object, wire: str) -> Any:
    if isinstance(below, Form):
        return restore(value, below, node, wire) if is_object(value) else value
    if not is_list(value):
        return value
    out = list(value)
    for index, form in below.items():
        element = out[index] if index < len(out) else None
        if is_object(element):
            out[index] = restore(element, form, node, wire)
    return out


def unheld(form: Form) -> Form:
    """Give what a memory holds that no neutral field does, without the spellings of known values."""
    inside: dict[str, Form | Mapping[int, Form]] = {}
    for key, below in form.inside.items():
        inside[key] = (
            unheld(below)
            if isinstance(below, Form)
            else {index: unheld(each) for index, each in below.items()}
        )
    swapped = {key: swap for key, swap in form.swapped.items() if swap.unread}
    return Form(added=form.added, echoed=form.echoed, swapped=swapped, inside=inside)
