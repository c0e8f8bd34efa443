"""Parts that show or sound: images, documents, audio, video; each holds exactly one source."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING, Any
from .nodes import dataclass, field
from .parts import Part, as_parts

if TYPE_CHECKING:
    from typing import ClassVar

    from .parts import Cache, PartsLike, PerWire
    from .wire_memory import Kept, Provenance
else:
    from ..typed import ClassVar


def _one_source(part: object, names: tuple[str, ...]) -> None:
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise InvalidRequest(f"{type(part).__name__} takes exactly one of {', '.join(names)}: found {found}")
    object.__setattr__(part, "source", given[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Image(Part):
    """A picture. `detail` is the resolution asked for (`auto`, `low`, `high`, `original`)."""

    SOURCES: ClassVar = ("url", "data", "file_id", "uri")
    LOOKED_AT: ClassVar = frozenset({*SOURCES, "media_type"})

    url: str | None = None
    data: str | None = None
    media_type: str | None = None
    file_id: str | None = None
    uri: str | None = None
    detail: str | None = None
    filename: str | None = None
    source: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the one source."""
        _one_source(self, self.SOURCES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Document(Part):
    """A file to read. `text` is a plain-text document, `parts` one made of parts; `citations` is wire JSON."""

    SOURCES: ClassVar = ("url", "data", "file_id", "uri", "text", "parts")
    LOOKED_AT: ClassVar = frozenset({*SOURCES, "media_type"})

    url: str | None = None
    data: str | None = None
    media_type: str | None = None
    file_id: str | None = None
    uri: str | None = None
    text: str | None = None
    parts: tuple[Part, ...] | None = None
    title: str | None = None
    context: str | None = None
    filename: str | None = None
    detail: str | None = None
    citations: Any = None
    source: str = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # a caller may give text, one part, or a list

        def __init__(
            self,
            *,
            url: str | None = None,
            data: str | None = None,
            media_type: str | None = None,
            file_id: str | None = None,
            uri: str | None = None,
            text: str | None = None,
            parts: PartsLike | None = None,
            title: str | None = None,
            context: str | None = None,
            filename: str | None = None,
            detail: str | None = None,
            citations: Any = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Find the one source and turn a list of parts into a tuple."""
        if self.parts is not None and (type(self.parts) is not tuple or str in map(type, self.parts)):
            object.__setattr__(self, "parts", as_parts(self.parts))
        _one_source(self, self.SOURCES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Audio(Part):
    """Sound. `id` refers to audio that the API itself produced earlier."""

    SOURCES: ClassVar = ("url", "data", "file_id", "uri", "id")
    LOOKED_AT: ClassVar = frozenset({*SOURCES, "media_type"})

    url: str | None = None
    data: str | None = None
    media_type: str | None = None
    file_id: str | None = None
    uri: str | None = None
    id: str | None = None
    filename: str | None = None
    source: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the one source."""
        _one_source(self, self.SOURCES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Video(Part):
    """Moving pictures. `clip` is the wire's own JSON for offsets and frame rate."""

    SOURCES: ClassVar = ("url", "data", "file_id", "uri")
    LOOKED_AT: ClassVar = frozenset({*SOURCES, "media_type"})

    url: str | None = None
    data: str | None = None
    media_type: str | None = None
    file_id: str | None = None
    uri: str | None = None
    clip: Any = None
    filename: str | None = None
    source: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the one source."""
        _one_source(self, self.SOURCES)
