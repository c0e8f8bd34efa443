"""Reading YAML text: the values JSON knows (YAML 1.2 core schema), and where each one stands.

Keys are text as written. Tags other than `!!str`, merge keys and a second document are problems.
Only who has PyYAML can load this module.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

import yaml

from promptwire_text.composing import Composer
from promptwire_text.nodes import Node, Scalar, Span

from .json_text import whole_number
from .problems import MAX_DEPTH, MAX_VALUES, Lines, Problems, StoppedError, Unreadable, describe, quoted, spot

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
    """Resolve an unquoted scalar by the core schema of YAML 1.2: null, booleans, numbers, else text."""
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
    """Turn digits of base 8 or 16 into an int, unless it has more decimal digits than Python agrees to write."""
    number = int(text, 0)
    try:
        str(number)
    except ValueError:
        return Unreadable(f"a number of {len(text)} digits")
    return number


def read_yaml(text: str, problems: Problems) -> Node | None:
    """Read YAML text into nodes; None for a text without a document. Raises StoppedError."""
    strange = _UNPRINTABLE.search(text)
    if strange:
        code = f"U+{ord(strange.group()):04X}"
        problems.add((), f"YAML does not allow the character {code}", spot=Lines(text).spot(strange.start()))
        raise StoppedError
    return _Reader(text, problems).compose()


class _Reader(Composer):
    """The language of request files: what YAML 1.2 takes for JSON, and nothing else."""

    deepest = MAX_DEPTH
    most_nodes = MAX_VALUES
    keys_are_text = True

    def __init__(self, text: str, problems: Problems) -> None:
        super().__init__(text, problems.name)
        self.problems = problems

    def word(self, text: str, span: Span) -> Any:
        """Resolve by the core schema."""
        del span
        return plain_scalar(text)

    def tag(self, tag: str, span: Span, *, scalar: bool) -> None:
        """Note a tag that would change the value."""
        if tag not in (_TEXT_TAGS if scalar else _COLLECTION_TAGS):
            shown = tag.replace(_STANDARD, "!!")
            message = f"the tag {shown} is not read: write the value without it"
            self.problems.add(self.path(), message, spot=spot(span))

    def second_document(self, span: Span) -> NoReturn:
        """Say that a file is one."""
        self._stop("a second document starts here: a request file holds one", span)

    def too_deep(self, span: Span) -> NoReturn:
        """Say how deep a file may be."""
        self.problems.add((), f"nested deeper than {MAX_DEPTH} levels", spot=spot(span))
        raise StoppedError

    def too_large(self, span: Span) -> NoReturn:
        """Say how large a file may be; it is so as a whole."""
        del span
        message = f"unfolds to more than {MAX_VALUES:,} values (each use of an alias counts)"
        self.problems.add((), message, spot=(1, 1))
        raise StoppedError

    def bad_alias(self, name: str, span: Span, anchors: list[str], *, inside: bool) -> NoReturn:
        """Say why there is nothing that the alias stands for."""
        del anchors
        self._stop(f"the alias *{name} {'stands inside itself' if inside else 'has no anchor'}", span)

    def bad_key(self, key: Node) -> None:
        """Say what stands in place of a text, and stop."""
        what = describe(key.value) if isinstance(key, Scalar) else "a list or a mapping"
        self._stop(f"a key is text, not {what}", key.span)

    def merge_key(self, key: Scalar) -> None:
        """Say that it is left out."""
        message = "merge keys (<<) are not read: write the keys out"
        self.problems.add(self.path(), message, spot=spot(key.span))

    def second_key(self, key: Scalar, first: Scalar) -> None:
        """Say where the first one is."""
        message = f"the key {quoted(key.value)} stands twice (first on line {first.span.line})"
        self.problems.add(self.path(), message, spot=spot(key.span))

    def syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        """Say it in the parser's words."""
        mark = error.problem_mark or error.context_mark
        while_ = f" ({error.context})" if error.context else ""
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        self.problems.add((), f"broken YAML: {error.problem}{while_}", spot=place)
        raise StoppedError from None

    def _stop(self, message: str, span: Span) -> NoReturn:
        self.problems.add(self.path(), message, spot=spot(span))
        raise StoppedError
