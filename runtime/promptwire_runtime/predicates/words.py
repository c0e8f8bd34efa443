"""Tests of text that builders make themselves; `promptwire_text.conditions` says what they mean for rules."""

from __future__ import annotations

from promptwire_text.conditions import NO_WORDS, Words, is_unlike

__all__ = ["NO_WORDS", "Words", "is_unlike"]
