"""Words of specs that were renamed: an old one is a problem at its place that names the new one."""

from __future__ import annotations

from collections.abc import Mapping

# (section, old word) -> new word; the section is a top-level key of a spec, empty for such keys themselves
RENAMED_WORDS: Mapping[tuple[str, str], str] = {
    ("", "group"): "flat_items",
    ("", "implied"): "defaults",
    ("", "twins"): "aliases",
    ("clients", "needs"): "required",
    ("clients", "rest"): "extra_keys",
    ("clients", "says"): "sets",
    ("clients", "takes"): "accepts",
    ("rules", "add"): "asks, a section of its own: {LIST: {FIELD: {word: WORD, source: PAGE}}}",
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


def new_word(path: tuple[str | int, ...]) -> str | None:
    """Return the new name of the word that a path ends with, `("values", "temperature", "only")`; None without one."""
    *above, word = path
    return RENAMED_WORDS.get((str(above[0]) if above else "", str(word)))
