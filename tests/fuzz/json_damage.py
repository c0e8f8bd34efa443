"""Damage to JSON values in place: plain random numbers, which are some fifty times as fast as Hypothesis's draws."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

LONG = "long " * 4000
PLAIN: tuple[Any, ...] = (
    None,
    "",
    [],
    {},
    0,
    1,
    -1,
    True,
    False,
    0.5,
    "text",
    " ",
    [None],
    {"a": 1},
    ["a", "b"],
)
HOSTILE: tuple[Any, ...] = (
    10**400, -(10**5000), 1e308, -0.0, float("nan"), float("inf"), "\ud800", "a\udfff", "\x00", "\u202e", "\u2028", LONG,
    "${model}", "{{ 7 * 7 }}", "%s%n", "../../etc/passwd", "data:image/png;base64,", "data:,", "{", "[" * 2000, "null",
    '{"a": ' * 500, '{"a": ' * 500 + "1" + "}" * 500, "9" * 5000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', '{"a": NaN}',
    '{"a": "\\ud800"}', '{"a": 1, "a": 2}', "[" * 90_000, "https://[", "//", "\r\nx-header: 1",
)  # fmt: skip
KEYS = (
    "", " ", "\ud800", "\x00", "__proto__", "__class__", "$ref", "a.b", "a[0]", "Type", "type", "role", "content", "text",
    "id", "name", "arguments", "input", "tools", "messages", "cache_control", "model", "x" * 500, "kept", "vendor",
    "max_tokens", "max_completion_tokens", "reasoning", "reasoning_content", "function_call", "user",
)  # fmt: skip
_DEEP = (2, 3, 10, 60, 400, 3000)

Holder = dict[str, Any] | list[Any]
_Damage = Callable[[Random, Any, Any], None]


def copied(value: Any) -> Any:
    """Copy a JSON value."""
    return marshal.loads(marshal.dumps(value))  # noqa: S302  # our own bytes


def any_value(random: Random) -> Any:
    """Return a value that may stand anywhere: usual, hostile, or hostile inside a usual one."""
    way = random.random()
    if way < 0.5:
        return copied(random.choice(PLAIN))
    value = random.choice(HOSTILE)
    return (
        value
        if way < 0.95
        else random.choice(([value], {"type": value}, {value if type(value) is str else "k": 1}))
    )


def damaged(random: Random, value: Any, most: int = 4) -> Any:
    """Damage a JSON value in up to `most` places; what is given is changed, or replaced where it is no container."""
    for _ in range(random.randint(1, most)):
        spot = _spot(random, value)
        if spot is None:
            return any_value(random)
        random.choice(_DAMAGES)(random, *spot)
    return value


def _spot(random: Random, value: Any) -> tuple[Any, Any] | None:
    """Go down at random to a container and one of its keys; deeper ones are as likely as those at the top."""
    spot = None
    while type(value) in (dict, list) and value:
        key = random.choice(_keys(value))
        if spot is not None and random.random() < 0.15:
            return spot
        spot, value = (value, key), value[key]
    return spot


def _keys(holder: Holder) -> Sequence[Any]:
    return tuple(holder) if isinstance(holder, dict) else range(len(holder))


def _drop(random: Random, holder: Any, key: Any) -> None:
    del holder[key]


def _replace(random: Random, holder: Any, key: Any) -> None:
    holder[key] = any_value(random)


def _repeat(random: Random, holder: Any, key: Any) -> None:
    """Repeat a value once more in a list, or under another key, where any other may stand as well."""
    again = twin(holder[key])
    if type(holder) is list:
        holder.insert(random.randint(0, len(holder)), again)
    else:
        holder[random.choice(KEYS)] = again if random.random() < 0.5 else any_value(random)


def _retype(random: Random, holder: Any, key: Any) -> None:
    old = holder[key]
    kind = type(old)
    if kind is list and old and random.random() < 0.5:
        holder[key] = old[0]
    elif kind in (int, float, bool):
        holder[key] = random.choice(("7", not old, [old], -old, None))
    elif kind is str:
        holder[key] = random.choice(
            ([old], {"type": "text", "text": old}, old.upper(), old[:-1], f"{old} ", len(old))
        )
    else:
        holder[key] = random.choice(([old], {"type": "text", "text": old}, {"0": old}, None, "{}"))


def _rename(random: Random, holder: Any, key: Any) -> None:
    """Move a value under another key, or to another place of its list."""
    old = holder.pop(key)
    if type(holder) is list:
        holder.insert(random.randint(0, len(holder)), old)
    else:
        holder[random.choice((*KEYS, str(key).upper(), f"{key}_", *holder))] = old


def _exchange(random: Random, holder: Any, key: Any) -> None:
    other = random.choice(_keys(holder))
    holder[key], holder[other] = holder[other], holder[key]


def _nest(random: Random, holder: Any, key: Any) -> None:
    value, wraps_lists = holder[key], random.random() < 0.5
    depth = random.choice(_DEEP[:4] if random.random() < 0.9 else _DEEP)
    for _ in range(depth):
        value = [value] if wraps_lists else {"content": value}
    holder[key] = value


def _grow(random: Random, holder: Any, key: Any) -> None:
    old = holder[key]
    if type(old) is list and old:
        old.extend(twin(random.choice(old)) for _ in range(random.randint(1, 8)))
    elif type(old) is dict:
        old[random.choice(KEYS)] = any_value(random)
    else:
        holder[key] = LONG if type(old) is str else HOSTILE[0]


def twin(value: Any) -> Any:
    """Copy a container; beyond the depth that can be copied it stands twice."""
    try:
        return copied(value)
    except ValueError:
        return value


# what changes little comes more often: the readers go further into what is nearly right
_DAMAGES: tuple[_Damage, ...] = (
    _drop, _drop, _replace, _replace, _repeat, _retype, _retype, _rename, _exchange, _nest, _grow,
)  # fmt: skip
