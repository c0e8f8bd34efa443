"""Words of specs that were renamed: an old one is a problem at its place that names the new one."""

from __future__ import annotations

from collections.abc import Mapping

from .nodes import Node, Scalar, Table

# (section, old word) -> new word; the section is a top-level key of a spec, empty for such keys themselves
RENAMED_WORDS: Mapping[tuple[str, str], str] = {
    ("", "group"): "flat_items",
    ("", "implied"): "defaults",
    ("", "twins"): "aliases",
    ("clients", "needs"): "required",
    ("clients", "rest"): "extra_keys",
    ("clients", "says"): "sets",
    ("clients", "takes"): "accepts",
    ("sdks", "aside"): "excluded",
    ("sdks", "without"): "omitted",
    ("tools", "gather"): "group_under",
    **{
        (section, old): new
        for section in ("values", "models")
        for old, new in {
            "only": "enum, or minimum and maximum for numbers",
            "never": "not",
            "like": "pattern",
            "refused": "unsupported",
            "range": "minimum and maximum, or minItems and maxItems",
            "length": "minLength and maxLength",
        }.items()
    },
}


# section -> how many keys stand above its renamed words: clients.acme.needs
_DEPTHS = {"": 0, "tools": 1, "clients": 2, "sdks": 2, "values": 2, "models": 3}


def with_new_words(tree: Table) -> Table:
    """Return a spec with new words in place of old ones, where one word took the place of one."""
    sections = [(_renamed(key, ""), _below(node, str(key.value))) for key, node in tree.entries]
    return tree._replace(entries=tuple(sections))


def _below(node: Node, section: str, depth: int = 1) -> Node:
    if not isinstance(node, Table) or depth > _DEPTHS.get(section, 0):
        return node
    is_last = depth == _DEPTHS[section]
    entries = [
        (_renamed(key, section) if is_last else key, _below(inner, section, depth + 1))
        for key, inner in node.entries
    ]
    return node._replace(entries=tuple(entries))


def _renamed(key: Scalar, section: str) -> Scalar:
    new = RENAMED_WORDS.get((section, str(key.value)), "")
    return key._replace(value=new) if new and " " not in new else key


def new_word(path: tuple[str | int, ...]) -> str | None:
    """Return the new name of the word that a path ends with, `("values", "temperature", "only")`; None without one."""
    *above, word = path
    return RENAMED_WORDS.get((str(above[0]) if above else "", str(word)))
