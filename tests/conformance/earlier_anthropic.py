"""Findings of an earlier SDK of Anthropic for many bodies; run by a Python that finds that SDK first.

    PYTHONPATH=<folder of the SDK>:. python -m tests.conformance.earlier_anthropic <rows.json

Reads a list of `{body, settings}` and prints a list of `{method, url, headers, body, problems}`.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

from tests.conformance.sdk_echo import echo
from tests.conformance.strict_types import problems


def witnessed(row: dict[str, Any]) -> dict[str, Any]:
    """Make the SDK's call for one body, and let its types look at the body."""
    sent = echo("anthropic_messages", row["body"], **row["settings"])
    return {**dataclasses.asdict(sent), "problems": problems("anthropic_messages", row["body"])}


if __name__ == "__main__":
    json.dump([witnessed(row) for row in json.load(sys.stdin)], sys.stdout)
