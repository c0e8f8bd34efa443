"""Sources of facts: pages and packages, each described once in `sources.yaml`.

A fact cites who says so: `{who: openai_sdk, what: docs of top_p}`, or a report with the API's own words:
`{who: reported 400, says: "Unsupported: 'stop'", where: acme issue 5, date: 2026-08}`. A name alone, or a text
in which all of it stands, is enough.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from ..problems import did_you_mean, quote
from .fields import BAD_VALUE, WRONG_TYPE, Line, Link, Prose, Strict, is_list, is_object, maybe, refuse

_NAME = re.compile("[a-z][a-z0-9_]*")


class Source(Strict):
    """One page or package: its title, the date of the citation and its address."""

    title: Line = Field(description="What it is, with its version.")
    date: Line = Field(description="The month of the page, or in which somebody looked: 2026-11.")
    page: Link | None = maybe("Where it stands.")

    @property
    def title_and_date(self) -> str:
        """The title and date, which cite the source as a whole."""
        return f"{self.title}, {self.date}"


Sources: TypeAlias = Mapping[str, Source]


class Citation(Strict):
    """Who says so: a page or package of `sources.yaml`, or a report."""

    who: Line = Field(description="A name of sources.yaml, or in words who it is.")
    says: Prose | None = maybe("The words of the API.")
    what: Prose | None = maybe("What of it says so: docs of top_p.")
    where: Prose | None = maybe("Where it was reported.")
    date: Line | int | None = maybe("When: 2026-11; without it, that of the source.")


def write_citation(value: Any, sources: Sources) -> str:
    """Return a citation as one text: who, the words of the API, the passage, the place and the date."""
    if isinstance(value, str) and value.strip():
        return _find_source(value, sources).title_and_date if _NAME.fullmatch(value) else value
    if is_list(value) and value:
        return "; ".join([write_citation(item, sources) for item in value])
    if is_object(value) and value:
        return _write_parts(value, sources)
    raise refuse(WRONG_TYPE, "must be a source: its name, text, or {who: NAME, what: docs of top_p}")


def _write_parts(value: dict[str, Any], sources: Sources) -> str:
    unknown = next((word for word in value if word not in Citation.model_fields), None)
    if unknown is not None:
        words = ", ".join(Citation.model_fields)
        hint = f"write {{who: {unknown}, what: ...}}" if unknown in sources else f"the words are {words}"
        raise refuse(BAD_VALUE, f"has the key {quote(unknown)}: {hint}; gen fmt does it")
    if "who" not in value:
        raise refuse(BAD_VALUE, "lacks who")
    for word, said in value.items():
        if not (isinstance(said, str) and said.strip()) and not (word == "date" and type(said) is int):
            raise refuse(WRONG_TYPE, f"must say {word} in text")
    who, date = value["who"], value.get("date")
    if _NAME.fullmatch(who):
        source = _find_source(who, sources)
        who, date = source.title, source.date if date is None else date
    says, what, where = (value.get(word) for word in ("says", "what", "where"))
    head = (
        who + (f": {says}" if says else "") + (f", {what}" if what else "") + (f" ({where})" if where else "")
    )
    return head if date is None else f"{head}, {date}"


def _find_source(name: str, sources: Sources) -> Source:
    source = sources.get(name)
    if source is None:
        hint = (
            did_you_mean(name, sources) or f"the names are {', '.join(sorted(sources)) or 'in sources.yaml'}"
        )
        raise refuse(BAD_VALUE, f"names {quote(name)}, which is not in sources.yaml: {hint}")
    return source


def _validate_citation(value: Any, info: ValidationInfo) -> str:
    return write_citation(value, info.context or {})


Cited: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_citation, json_schema_input_type=str | Citation | list[str | Citation]),
]
