"""Read YAML text: the values that JSON has (YAML 1.2 core schema), with their positions.

Keys are text as written. Tags other than `!!str`, merge keys and a second document are problems.
This module requires PyYAML.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

import yaml

from promptwire_text.composing import WITHOUT_LIBYAML, Composer, has_libyaml
from promptwire_text.nodes import Node, Scalar, Span

from .json_text import whole_number
from .problems import (
    MAX_DEPTH,
    MAX_VALUES,
    Lines,
    Problems,
    StoppedError,
    Unreadable,
    describe,
    quoted,
    start_of,
)

_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_OTHER_WHOLE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_STANDARD = "tag:yaml.org,2002:"
_COLLECTION_TAGS = ("!", f"{_STANDARD}map", f"{_STANDARD}seq")
_TEXT_TAGS = ("!", f"{_STANDARD}str")


def plain_scalar(text: str) -> Any:
    """Return the value of an unquoted scalar in the core schema of YAML 1.2: null, boolean, number or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return whole_number(text)
    if _OTHER_WHOLE.fullmatch(text):
        return other_whole_number(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def other_whole_number(text: str) -> int | Unreadable:
    """Convert digits of base 8 or 16 to an int, or to Unreadable if it has more decimal digits than Python writes."""
    number = int(text, 0)
    try:
        str(number)
    except ValueError:
        return Unreadable(f"a number of {len(text)} digits")
    return number


def read_yaml(text: str, problems: Problems) -> Node | None:
    """Parse YAML text into nodes; None for a text without a document. Raises StoppedError."""
    strange = _UNPRINTABLE.search(text)
    if strange:
        code = f"U+{ord(strange.group()):04X}"
        problems.add(
            (), f"YAML does not allow the character {code}", position=Lines(text).position(strange.start())
        )
        raise StoppedError
    return _RequestFileComposer(text, problems).compose()


class _RequestFileComposer(Composer):
    """Composes request files: the part of YAML 1.2 that JSON has."""

    deepest = MAX_DEPTH
    most_nodes = MAX_VALUES
    keys_are_text = True

    def __init__(self, text: str, problems: Problems) -> None:
        super().__init__(text, problems.name)
        self.problems = problems

    def word(self, text: str, span: Span) -> Any:
        """Return the value in the core schema."""
        del span
        return plain_scalar(text)

    def tag(self, tag: str, span: Span, *, scalar: bool) -> None:
        """Add the problem of a tag that would change the value."""
        if tag not in (_TEXT_TAGS if scalar else _COLLECTION_TAGS):
            shown = tag.replace(_STANDARD, "!!")
            message = f"the tag {shown} is not supported; write the value without it"
            self.problems.add(self.path(), message, position=start_of(span))

    def second_document(self, span: Span) -> NoReturn:
        """Report a second document."""
        self._stop("a second document starts here; a request file must have one", span)

    def too_deep(self, span: Span) -> NoReturn:
        """Report the limit of nesting."""
        self.problems.add((), f"nested deeper than {MAX_DEPTH} levels", position=start_of(span))
        raise StoppedError

    def too_large(self, span: Span) -> NoReturn:
        """Report the limit of size, at the start of the file."""
        del span
        message = f"has more than {MAX_VALUES:,} values (each use of an alias counts)"
        self.problems.add((), message, position=(1, 1))
        raise StoppedError

    def bad_alias(self, name: str, span: Span, anchors: list[str], *, inside: bool) -> NoReturn:
        """Report an alias without a value."""
        del anchors
        self._stop(f"the alias *{name} {'is inside its own anchor' if inside else 'has no anchor'}", span)

    def bad_key(self, key: Node) -> None:
        """Report a key that is not text, and stop."""
        what = describe(key.value) if isinstance(key, Scalar) else "a list or a mapping"
        self._stop(f"a key must be text, not {what}", key.span)

    def merge_key(self, key: Scalar) -> None:
        """Report a merge key, which is omitted."""
        message = "merge keys (<<) are not supported; write the keys out"
        self.problems.add(self.path(), message, position=start_of(key.span))

    def second_key(self, key: Scalar, first: Scalar) -> None:
        """Report a repeated key."""
        message = f"the key {quoted(key.value)} is repeated (first on line {first.span.line})"
        self.problems.add(self.path(), message, position=start_of(key.span))

    def syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        """Report a syntax error with the message of the parser; without libyaml, it may be the parser's own."""
        mark = error.problem_mark or error.context_mark
        while_ = f" ({error.context})" if error.context else ""
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        mend = "" if has_libyaml() else f"; {WITHOUT_LIBYAML}"
        self.problems.add((), f"invalid YAML: {error.problem}{while_}{mend}", position=place)
        raise StoppedError from None

    def _stop(self, message: str, span: Span) -> NoReturn:
        self.problems.add(self.path(), message, position=start_of(span))
        raise StoppedError
