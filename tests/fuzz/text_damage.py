"""Damage to texts: lines and characters left out, doubled, exchanged, or replaced by what parsers stumble over."""

from __future__ import annotations

from random import Random

PIECES = (
    "", " ", "\t", "\n", "\r\n", "\x00", "\x85", "\u2028", "\ufeff", "\ud800", '"', "'", ":", ": ", "- ", "?", "&a ", "*a", "<<: ",
    "{", "}", "[", "]", "|", ">", "#", "!!python/object:os.system ", "!!binary ", "---\n", "...\n", "%", "@", "`", "$", "${", "$model",
    "null", "~", "1e999", "0x", "1" * 5000, "[" * 1500, "{a: " * 300, "  ", "**", "../", "a" * 3000, "\\u", "\\ud800",
)  # fmt: skip


def damaged_text(random: Random, text: str, most: int = 3) -> str:
    """Damage a text in up to `most` places."""
    for _ in range(random.randint(1, most)):
        text = _by_line(random, text) if random.random() < 0.5 else _by_character(random, text)
    return text


def _by_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    way = random.randrange(6)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, lines[other])
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 3:
        lines[at] = random.choice((" ", "  ", "- ")) + lines[at]
    elif way == 4:
        lines[at] = lines[at][1:]
    else:
        key, colon, _ = lines[at].partition(":")
        lines[at] = f"{key}{colon} {random.choice(PIECES)}"
    return "\n".join(lines)


def _by_character(random: Random, text: str) -> str:
    start = random.randint(0, len(text))
    stop = min(len(text), start + random.choice((0, 0, 1, 1, 3, 20)))
    return text[:start] + random.choice((*PIECES, text[start:stop] * 2, "")) + text[stop:]
