"""The request types of Hugging Face's SDK, read strictly: an independent witness for built bodies.

They are dataclasses, generated from the description of the API that Hugging Face publishes.
"""

from __future__ import annotations

import dataclasses
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Final, NotRequired, Union, get_args, get_origin, get_type_hints

from huggingface_hub.inference._generated.types import chat_completion as types
from typing_extensions import TypedDict

from tests.conformance.strict_types import findings


def _as_record(kind: Any) -> Any:
    """Turn the SDK's dataclasses, at any depth of a type, into records that are read strictly."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind)
    if get_origin(kind) is list:
        item: Any = _as_record(get_args(kind)[0])
        return list[item]
    return reduce(or_, map(_as_record, get_args(kind))) if get_origin(kind) in (Union, UnionType) else kind


@cache
def _record(kind: type) -> Any:
    hints = get_type_hints(kind, vars(types))
    fields: dict[str, Any] = {}
    for each in dataclasses.fields(kind):
        hint = _as_record(hints[each.name])
        fields[each.name] = hint if each.default is dataclasses.MISSING else NotRequired[hint]
    return TypedDict(kind.__name__, fields)  # type: ignore[operator]


_REQUEST: Final = _record(types.ChatCompletionInput)


def problems(body: object) -> list[str]:
    """Return what the SDK's types refuse in a body."""
    return findings(_REQUEST, body)
