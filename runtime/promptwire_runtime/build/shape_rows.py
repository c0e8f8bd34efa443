"""What shapes say about fields that no key of them carries: one row of data a shape, which builds report from."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_NONE: frozenset[str] = frozenset()
_VENDOR = "vendor."


class _FieldEffects(dict[str, tuple[str, str]]):
    """Marked word -> field and effect; most words are in many rows, so each is parsed once."""

    def __missing__(self, word: str) -> tuple[str, str]:
        effect = "ignored" if word[0] == "~" else "unsupported_if_true" if word[-1] == "?" else "unsupported"
        self[word] = pair = (word.strip("~?"), effect)
        return pair


_EFFECTS = _FieldEffects()


class Row:
    """The fields and options of one shape of a node that no key of it writes.

    fields     the effect of each field that has a value, by name: `ignored` (a note), `unsupported` (an error),
               or `unsupported_if_true` (ignored otherwise); builds report them in this order
    vendor     the options of this API that the shape knows
    read_only  options that are only read -> the keys that lead to where memory writes each
    """

    __slots__ = ("fields", "read_only", "vendor")

    def __init__(
        self,
        fields: str = "",
        *,
        vendor: frozenset[str] = frozenset(),
        read_only: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Parse `fields`, names separated by spaces.

        `name` is unsupported, `~name` is ignored, and `name?` is unsupported if it is true.
        """
        self.fields = tuple([_EFFECTS[word] for word in fields.split()])
        self.vendor = vendor
        self.read_only = read_only or {}


class BodyRow:
    """What a body has no key for.

    options    the options of a request that have one
    fields     other fields of a request that have none
    parts      fields of tool choice, reasoning and continuation that have none: they are reported as `reasoning.depth`
    alone      those of the three that shapes write where they have a mode or kind: only without it are fields lost
    read_only  options that are only read -> the keys that lead to where memory writes each
    shape      the row by which the body is finished as any node is
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
        """Take the words of the spec's body."""
        self.options = options
        self.fields = fields
        self.parts = parts
        self.alone = alone
        self.read_only = read_only or {}
        self.shape = Row(vendor=vendor)

    def changed(
        self,
        *,
        more: frozenset[str] = _NONE,
        without: frozenset[str] = _NONE,
        parts: Mapping[str, Sequence[str]] | None = None,
        **values: Any,
    ) -> BodyRow:
        """Give this row with more options, and without some: `seed`, `vendor.safe_prompt`.

        Of `parts`, the named ones are replaced; `values` are other arguments, which are whole.
        """
        known = {*self.options, *[_VENDOR + option for option in self.shape.vendor]}
        known = (known | more) - without
        arguments: dict[str, Any] = {
            "fields": self.fields,
            "alone": self.alone,
            "read_only": self.read_only,
            **values,
        }
        return BodyRow(
            options=frozenset({word for word in known if not word.startswith(_VENDOR)}),
            vendor=frozenset({word[len(_VENDOR) :] for word in known if word.startswith(_VENDOR)}),
            parts={**self.parts, **(parts or {})},
            **arguments,
        )
