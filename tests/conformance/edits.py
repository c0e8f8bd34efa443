"""A body with one value changed, for tests of what judges bodies."""

from __future__ import annotations

import json
import re
from typing import Any


def edited(body: dict[str, Any], where: str, value: Any) -> dict[str, Any]:
    """Return a copy with the value at a path, such as `messages[0].role` or `messages.0.role`; `...` removes it."""
    changed: dict[str, Any] = json.loads(json.dumps(body))
    *parents, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", where)]
    target: Any = changed
    for step in parents:
        target = target[step]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return changed
