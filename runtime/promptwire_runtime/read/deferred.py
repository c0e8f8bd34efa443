"""Form memory that is derived when it is first asked for.

Reading builds nothing: a node that may be written otherwise than it was read holds the JSON it was read from. When
something asks for its `kept`, the node is written as it was read, and compared with that JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..build.context import BuildContext, start
from ..build.wire import Wire
from ..errors import BodyError, InvalidRequest
from ..model.request import Message, Request
from ..model.wire_memory import Kept
from ..nodes.records import replace
from ..reporting.policies import VERBATIM
from ..wire_json.kinds import same
from .form_memory import Comparison
from .readers import Readers


class Memories:
    """The state that all nodes of a body share to derive their memory: how their wire is written and the model."""

    __slots__ = ("model", "readers", "wire")

    def __init__(self, wire: Wire, readers: Readers, model: str | None) -> None:
        self.wire = wire
        self.readers = readers
        self.model = model

    def build(self) -> BuildContext:
        """Start a build that writes nodes for comparison: of the body, only its model matters there."""
        build = start(self.wire, Request(self.model))
        build.writers = self.readers.writing
        build.configure(None, VERBATIM)
        return build

    def of(
        self,
        node: object,
        fresh: Any,
        item: dict[str, Any],
        shape: str | None = None,
        model: str | None = None,
    ) -> Kept | None:
        """Return how the JSON that a node was read from differs from what a build writes; None where it does not."""
        if same(fresh, item):
            return None if shape is None else Kept(self.wire.name, shape=shape)
        form = Comparison(self.readers.words, node, self.wire.name).compare(fresh, item)
        return Kept(self.wire.name, form, shape, model)


class OfShape:
    """Derives the memory of a node that was read as one shape."""

    __slots__ = ("_item", "_label", "_memories", "_shape")

    def __init__(self, memories: Memories, item: dict[str, Any], label: str, shape: str | None) -> None:
        self._memories = memories
        self._item = item
        self._label = label
        self._shape = shape

    def __call__(self, node: Any) -> Kept | None:
        """Write the node, and compare."""
        memories = self._memories
        write = memories.readers.writers[self._label]
        try:
            fresh = write(replace(node, kept=None), memories.build())
        except InvalidRequest as error:  # a value that no JSON text can hold
            raise BodyError(f"{memories.wire.name}: the body cannot be read: {error}") from error
        return memories.of(node, fresh, self._item, self._shape)


class OfMessage:
    """Derives the memory of a message from its one item."""

    __slots__ = ("_item", "_memories")

    def __init__(self, memories: Memories, item: dict[str, Any]) -> None:
        self._memories = memories
        self._item = item

    def __call__(self, message: Message) -> Kept | None:
        """Write the message, and compare."""
        memories = self._memories
        fresh: list[Any] = []
        memories.readers.writing.messages((replace(message, kept=None),), memories.build(), fresh)
        return memories.of(message, fresh[-1], self._item) if fresh else None


class OfBody:
    """Derives the memory of a request from its body; `write` writes one as it is.

    `shape` is the template of its prompt, where a request without a model would be written with another. `settled`
    writes a body with the settings that this one shows: their keys are known, though a build without them lacks them.
    """

    __slots__ = ("_body", "_memories", "_settled", "_shape", "_write")

    def __init__(
        self,
        memories: Memories,
        body: dict[str, Any],
        shape: str | None,
        write: Callable[[Request], Any],
        settled: Callable[[Request], Any] | None = None,
    ) -> None:
        self._memories = memories
        self._body = body
        self._shape = shape
        self._write = write
        self._settled = settled

    def __call__(self, request: Request) -> Kept | None:
        """Write the body, and compare."""
        shape = self._shape
        bare = replace(request, kept=None if shape is None else Kept(self._memories.wire.name, shape=shape))
        fresh = self._write(bare)
        kept = self._memories.of(request, fresh, self._body, shape, request.model)
        if self._settled is None or kept is None or kept.form is None:
            return kept
        known = self._settled(bare).keys() - fresh.keys()
        added = {key: value for key, value in kept.form.added.items() if key not in known}
        absent = {key: value for key, value in kept.form.added.items() if key in known}
        return replace(kept, form=replace(kept.form, added=added, absent={**kept.form.absent, **absent}))
