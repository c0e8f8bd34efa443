"""Base class and field helpers of spec sections."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Base of all sections: no unknown keys, no conversion, immutable."""

    model_config = ConfigDict(defer_build=True, extra="forbid", strict=True, frozen=True)


def maybe(description: str) -> Any:
    """Return an optional field that defaults to None."""
    return Field(default=None, description=description)


def listed(description: str) -> Any:
    """Return an optional list that defaults to an empty one."""
    return Field(default=(), description=description)


def conditional(description: str) -> Any:
    """Return optional conditions, by default none; editors need no default of them."""
    return Field(default_factory=tuple, description=description)


def named(description: str) -> Any:
    """Return an optional mapping that defaults to an empty one."""
    return Field(default_factory=dict, description=description)


def flag(description: str) -> Any:
    """Return an optional boolean that defaults to false."""
    return Field(default=False, description=description)
