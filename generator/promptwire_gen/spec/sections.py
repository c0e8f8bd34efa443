"""What a section of a spec is, and what its keys are worth when they are left out."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """What all sections share: no unknown keys, no conversion, no change after reading."""

    model_config = ConfigDict(defer_build=True, extra="forbid", strict=True, frozen=True)


def maybe(description: str) -> Any:
    """A key that may be missing: None then."""
    return Field(default=None, description=description)


def listed(description: str) -> Any:
    """A list that may be missing: empty then."""
    return Field(default=(), description=description)


def named(description: str) -> Any:
    """A mapping that may be missing: empty then."""
    return Field(default_factory=dict, description=description)


def flag(description: str) -> Any:
    """True or false, and false when it is missing."""
    return Field(default=False, description=description)
