"""Tables of the fields that a shape has no key for, one row per shape. Builds report from them."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _FieldEffects(dict[str, tuple[str, str]]):
    """Marked word -> field and effect; most words are in many rows, so each is parsed once."""

    def __missing__(self, word: str) -> tuple[str, str]:
        effect = "ignored" if word[0] == "~" else "unsupported_if_true" if word[-1] == "?" else "unsupported"
        self[word] = pair = (word.strip("~?"), effect)
        return pair


_EFFECTS = _FieldEffects()


class Row:
    """The fields and options of a node that its shape has no key for.

    Attributes:
        fields: What happens to a field that has a value: `ignored` (a note), `unsupported` (an error), or
            `unsupported_if_true` (an error if true, else a note). Reports are in this order.
        vendor: The vendor options that the shape knows.
        read_only: An option that is only read -> the path where form memory and answers write it.
        answered: A field that answers have beside the source of the node -> the path where they write it.
    """

    __slots__ = ("answered", "fields", "read_only", "vendor")

    def __init__(
        self,
        fields: str = "",
        *,
        vendor: frozenset[str] = frozenset(),
        read_only: Mapping[str, Sequence[str]] | None = None,
        answered: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Parse `fields`, names separated by spaces.

        `name` is unsupported, `~name` is ignored, and `name?` is unsupported if it is true.
        """
        self.fields = tuple([_EFFECTS[word] for word in fields.split()])
        self.vendor = vendor
        self.read_only = read_only or {}
        self.answered = answered or {}


class BodyRow:
    """The fields and options of a request that the body has no key for.

    Attributes:
        options: The options that the body has a key for.
        fields: Other fields of a request without a key.
        parts: Fields of tool choice, reasoning and continuation without a key; they are reported as `reasoning.depth`.
        alone: Those of the three that have a shape if they have a mode or kind. Their fields are lost only otherwise.
        read_only: An option that is only read -> the path where form memory writes it.
        shape: The row that finishes the body like any other node.
    """

    __slots__ = ("alone", "fields", "options", "parts", "read_only", "shape")

    def __init__(
        self,
        *,
        options: frozenset[str],
        fields: tuple[str, ...] = (),
        parts: Mapping[str, Sequence[str]],
        alone: frozenset[str] = frozenset(),
        vendor: frozenset[str] = frozenset(),
        read_only: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Store what the spec says about the body."""
        self.options = options
        self.fields = fields
        self.parts = parts
        self.alone = alone
        self.read_only = read_only or {}
        self.shape = Row(vendor=vendor)
