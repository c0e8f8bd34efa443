"""Tool guides as one system text: each guide stands between marks that no guide contains."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InvalidRequest
from ..loading.problems import quoted
from ..nodes.checks import CheckedRecord
from ..nodes.type_errors import check_class
from ..reporting.notes import Note

_NAME = re.compile(r"[\w.:/-]+")
_MARK = "<<<APTIX_"
_BEGIN, _END = f"{_MARK}SERVER_TOOL_USAGE_METADATA_BEGIN>>>", f"{_MARK}SERVER_TOOL_USAGE_METADATA_END>>>"


@dataclass(frozen=True, eq=False, repr=False)
class ToolGuides(CheckedRecord):
    """Guides that are texts."""

    guides: Mapping[str, str]


def tool_usage_block(guides: Mapping[str, str], notes: list[Note] | None = None) -> str:
    """Write the block of AGN-003, section 4.3, which `compose` takes as `tool_usage_metadata_block`.

    Args:
        guides: name of a tool -> how it is used; without any, the block is empty, and no item is made of it. A blank
            guide has no section.
        notes: gets a note for each blank guide.

    Raises:
        InvalidRequest: guides are no mapping of texts, a name has other signs than letters, digits and `_.:/-`, or a
            guide holds one of the marks.
    """
    guides = ToolGuides(guides).guides
    rows = [_row(name, guide) for name, guide in guides.items() if guide and not guide.isspace()]
    if notes is not None:
        check_class(notes, list, "notes")
        blank = [name for name, guide in guides.items() if not guide or guide.isspace()]
        notes.extend(Note("dropped", f"guides[{quoted(name)}]", "", "it is blank") for name in blank)
    return "\n".join([_BEGIN, *rows, _END]) if rows else ""


def _row(name: str, guide: str) -> str:
    path = f"guides[{quoted(name)}]"
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            "a tool's name has letters, digits and _.:/- alone, to stand in its mark", path=path, field="name"
        )
    if _MARK in guide:
        raise InvalidRequest(
            f"a guide that holds {_MARK} could close its own block: leave it out", path=path, field="guide"
        )
    return f"{_MARK}TOOL_USAGE_BEGIN name='{name}'>>>\n{guide}\n{_MARK}TOOL_USAGE_END name='{name}'>>>"
