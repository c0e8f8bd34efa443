"""Types of the values that plugins return; pydantic checks each value when the plugin constructs the object."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, ConfigDict

from ..layout import MODEL, is_plain

# no value is converted, and functions are kept as they are
CONFIG = ConfigDict(strict=True, arbitrary_types_allowed=True)


def _matching(fits: Callable[[str], Any], words: str) -> AfterValidator:
    def check(value: str) -> str:
        if not fits(value):
            raise ValueError(f"expected {words}")
        return value

    return AfterValidator(check)


def _is_inside(path: str) -> bool:
    """Return whether a path is one of the output folder, or of the runtime's model package."""
    return is_plain(path.removeprefix(MODEL))


Name: TypeAlias = Annotated[str, _matching(re.compile("[a-z][a-z0-9_]*").fullmatch, "one lower-case word")]
Word: TypeAlias = Annotated[str, _matching(re.compile("[a-z_]+").fullmatch, "a word of a to z and _")]
Line: TypeAlias = Annotated[str, _matching(lambda text: text and text.isprintable(), "one line of text")]
Function: TypeAlias = Annotated[
    str,
    _matching(
        re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII).fullmatch,
        "package.module:function",
    ),
]
FilePath: TypeAlias = Annotated[
    str, _matching(_is_inside, "a path below the output folder with forward slashes, as words/all.txt")
]
