"""Reading YAML text by its events: the values JSON knows (YAML 1.2 core schema), and where each one stands.

Keys are text as written. Tags other than `!!str`, merge keys and a second document are problems.
An alias is the same Python object as its anchor: unfolding costs nothing here, and the shapes count it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import LoadError
from .json_text import whole_number
from .places import Lines, Path, Place, Spot
from .problems import MAX_DEPTH, Problems, StoppedError, quoted

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
_COLLECTION_TAGS = (None, "!", f"{_STANDARD}map", f"{_STANDARD}seq")
_TEXT_TAGS = (None, "!", f"{_STANDARD}str")


def plain_scalar(text: str) -> Any:
    """Resolve an unquoted scalar by the core schema of YAML 1.2: null, booleans, numbers, else text."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return whole_number(text)
    if _OTHER_WHOLE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    return text


@dataclass(slots=True)
class _Frame:
    """One open collection. `key` is the mapping key that waits for its value; `ignored` drops that value."""

    value: list[Any] | dict[str, Any]
    place: Place
    path: Path
    key: str | None = None
    ignored: bool = False


# an anchor is None until its collection ends
_Anchored: TypeAlias = "tuple[Any, Place] | None"


@dataclass(slots=True)
class _Composer:
    """Builds values and places from events, without recursion."""

    problems: Problems
    frames: list[_Frame] = field(default_factory=list[_Frame])
    anchors: dict[str, _Anchored] = field(default_factory=dict[str, "_Anchored"])
    names: list[str | None] = field(default_factory=list[str | None])
    documents: int = 0
    root: tuple[Any, Place] | None = None

    def event(self, event: Any) -> None:
        """Take one event."""
        name = type(event).__name__
        spot = (event.start_mark.line + 1, event.start_mark.column + 1)
        if name == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self.fail("a second document starts here: a request file holds one", spot)
        elif name == "ScalarEvent":
            self.scalar(event, spot)
        elif name in ("SequenceStartEvent", "MappingStartEvent"):
            self.begin(event, spot, [] if name == "SequenceStartEvent" else {})
        elif name in ("SequenceEndEvent", "MappingEndEvent"):
            self.end()
        elif name == "AliasEvent":
            self.alias(event.anchor, spot)

    def fail(self, message: str, spot: Spot) -> None:
        """Note a problem that ends the reading."""
        self.problems.add(self.here(), message, spot=spot)
        raise StoppedError

    def here(self) -> Path:
        """Give the path of the value that comes next, or of the mapping whose key comes next."""
        if not self.frames:
            return ()
        frame = self.frames[-1]
        if isinstance(frame.value, list):
            return (*frame.path, len(frame.value))
        return frame.path if frame.key is None else (*frame.path, frame.key)

    def wants_key(self) -> bool:
        """Tell whether the next node is a mapping key."""
        return bool(self.frames) and isinstance(self.frames[-1].value, dict) and self.frames[-1].key is None

    def check_tag(self, tag: str | None, known: tuple[str | None, ...], spot: Spot) -> None:
        """Note a tag that would change the value."""
        if tag not in known:
            shown = str(tag).replace(_STANDARD, "!!")
            self.problems.add(
                self.here(), f"the tag {shown} is not read: write the value without it", spot=spot
            )

    def scalar(self, event: Any, spot: Spot) -> None:
        """Take a scalar: a key, or a value."""
        bare: bool = event.implicit[0]
        if not bare:
            self.check_tag(event.tag, _TEXT_TAGS, spot)
        value = plain_scalar(event.value) if bare and not self.wants_key() else event.value
        if event.anchor:
            self.anchors[event.anchor] = (value, Place(spot))
        if self.wants_key():
            self.key(event.value, spot, merge=bare and event.value == "<<")
        else:
            self.put(value, Place(spot))

    def key(self, text: str, spot: Spot, *, merge: bool = False) -> None:
        """Enter a key of the innermost mapping."""
        frame = self.frames[-1]
        if merge:
            self.problems.add(frame.path, "merge keys (<<) are not read: write the keys out", spot=spot)
        elif text in frame.place.keys:
            first = frame.place.keys[text][0]
            message = f"the key {quoted(text)} stands twice (first on line {first})"
            self.problems.add(frame.path, message, spot=spot)
        frame.ignored = merge or text in frame.place.keys
        frame.key = text
        frame.place.keys.setdefault(text, spot)

    def put(self, value: Any, place: Place) -> None:
        """Put a value where it belongs."""
        if not self.frames:
            self.root = (value, place)
            return
        frame = self.frames[-1]
        if isinstance(frame.value, list):
            frame.place.inside[len(frame.value)] = place
            frame.value.append(value)
        elif frame.key is not None:
            if not frame.ignored:
                frame.place.inside[frame.key] = place
                frame.value[frame.key] = value
            frame.key = None

    def begin(self, event: Any, spot: Spot, value: list[Any] | dict[str, Any]) -> None:
        """Open a collection."""
        if self.wants_key():
            self.fail("a key is text, not a list or a mapping", spot)
        if len(self.frames) >= MAX_DEPTH:
            self.problems.add((), f"nested deeper than {MAX_DEPTH} levels", spot=spot)
            raise StoppedError
        self.check_tag(event.tag, _COLLECTION_TAGS, spot)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.names.append(event.anchor)
        self.frames.append(_Frame(value, Place(spot), self.here()))

    def end(self) -> None:
        """Close the innermost collection."""
        frame, name = self.frames.pop(), self.names.pop()
        if name:
            self.anchors[name] = (frame.value, frame.place)
        self.put(frame.value, frame.place)

    def alias(self, name: str, spot: Spot) -> None:
        """Use what an anchor stands for."""
        target = self.anchors.get(name)
        if target is None:
            reason = "stands inside itself" if name in self.anchors else "has no anchor"
            self.fail(f"the alias *{name} {reason}", spot)
        elif not self.wants_key():
            self.put(*target)
        elif isinstance(target[0], str):
            self.key(target[0], spot)
        else:
            self.fail(f"a key is text, and *{name} is none", spot)


def read_yaml(text: str, problems: Problems) -> tuple[Any, Place] | None:
    """Read YAML text into values and places; None for a text without a document.

    Raises:
        LoadError: PyYAML is not installed.
    """
    try:
        import yaml  # optional, and only YAML files need it
    except ImportError:
        message = f'{problems.name}: reading YAML needs PyYAML: pip install "promptwire[gen]"'
        raise LoadError(message) from None
    strange = _UNPRINTABLE.search(text)
    if strange:
        code = f"U+{ord(strange.group()):04X}"
        problems.add((), f"YAML does not allow the character {code}", spot=Lines(text).spot(strange.start()))
        raise StoppedError
    composer = _Composer(problems)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            composer.event(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        spot = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        while_ = f" ({error.context})" if error.context else ""
        problems.add((), f"broken YAML: {error.problem}{while_}", spot=spot)
        raise StoppedError from None
    return composer.root
