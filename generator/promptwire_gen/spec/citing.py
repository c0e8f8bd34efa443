"""Sources of facts: pages and packages, each described once in `sources.yaml`.

A fact cites them by name, `{openai_sdk: docs of top_p}`. A source that only one fact cites may be written as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from ..problems import did_you_mean, quote
from .fields import BAD_VALUE, WRONG_TYPE, Line, Link, Word, is_list, is_object, refused
from .sections import Strict, maybe

_NAME = re.compile("[a-z][a-z0-9_]*")


class Source(Strict):
    """One page or package: its title, the date of the citation and its address."""

    title: Line = Field(description="What it is, with its version.")
    date: Line = Field(description="The month of the page, or in which somebody looked: 2026-11.")
    page: Link | None = maybe("Where it stands.")


Sources: TypeAlias = Mapping[str, Source]


def _cited(value: Any, info: ValidationInfo) -> str:
    """Return the text of a citation: the title, the cited passage and the date of each source."""
    sources: Sources = info.context or {}
    if isinstance(value, str) and value.strip():
        return _named(value, None, sources) if _NAME.fullmatch(value) else value
    if is_list(value):
        return "; ".join([_cited(item, info) for item in value])
    if is_object(value) and value:
        return "; ".join([_named(str(name), what, sources) for name, what in value.items()])
    raise refused(WRONG_TYPE, "must be a source, as text or by its name")


def _named(name: str, what: Any, sources: Sources) -> str:
    source = sources.get(name)
    if source is None:
        hint = (
            did_you_mean(name, sources) or f"the names are {', '.join(sorted(sources)) or 'in sources.yaml'}"
        )
        raise refused(BAD_VALUE, f"names {quote(name)}, which is not in sources.yaml: {hint}")
    if what is not None and not isinstance(what, str):
        raise refused(WRONG_TYPE, "must say in text what stands there")
    return ", ".join([part for part in (source.title, what, source.date) if part])


Cited: TypeAlias = Annotated[
    str,
    BeforeValidator(
        _cited, json_schema_input_type=str | dict[Word, Line | None] | list[str | dict[Word, Line | None]]
    ),
]
