"""Find the rules that an API's error message is about, by the words that they share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from ..build.wire import Wire
from ..reporting.wording import subject
from ..rules.rule import Rule

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# what stands in every message
_COMMON = frozenset(
    (  # noqa: SIM905  # words are read better so
        "a an and are as at be been but by can do does each for from has have if in into is it its me must no not of "
        "on only or please so than that the their them this to too use used value values was were when which with you "
        "your error errors unsupported request requests invalid model models support supported supports parameter "
        "parameters message messages api field type recorded sdk docs page live may set enabled allowed consult our "
        "documentation"
    ).split()
)
_ENDINGS = re.compile(r"(?:ies|ing|ed|es|s)$")
# of the weight of all words of a message, so much must be shared
_LEAST_SHARE = 0.35
_LEAST_WORDS = 2
_SENTENCES = re.compile(r"[.:;]\s+|\n")
# a name that a message quotes is a field or a value
_QUOTED = re.compile(r"['\"`]([A-Za-z_][A-Za-z0-9_.\[\]-]*)['\"`]")
_MOST_RULES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A rule that an error message may mean.

    subjects  what it is about, in words
    because, source  what it says, and who says so
    models    patterns of the models that it names; empty for all
    share     how much of the message it shares, from 0 to 1
    """

    subjects: tuple[str, ...]
    because: str
    source: str
    models: tuple[str, ...]
    share: float

    def __str__(self) -> str:
        """Show it as one line."""
        models = f" [{', '.join(self.models)}]" if self.models else ""
        return f"{', '.join(self.subjects)}: {self.because}{models} ({self.source})"


def meant_rules(wire: Wire, message: str) -> tuple[Meant, ...]:
    """Return the rules of a wire that an error message may be about, likeliest first.

    Empty where none shares enough with it: what the rules do not know, nobody says.
    """
    rules = [rule for rule in wire.rules if rule.reject]
    words = [
        _words([rule.because, rule.source, *map(repr, (*rule.reject, *rule.given, *rule.unless))])
        for rule in rules
    ]
    counts = Counter(word for own in words for word in own)
    weights = {word: log(1 + len(rules) / max(counts[word], 1)) for word in {*counts, *_words([message])}}
    told = _sentences(message)
    named = _words(_QUOTED.findall(message))
    rows: dict[tuple[str, str], tuple[float, Meant]] = {}
    for rule, own in zip(rules, words, strict=True):
        fields = named & _words([condition.path.text for condition in rule.reject])
        shares = [
            _share(said, own, weights) for said in told if len(said & own) >= _LEAST_WORDS or said & fields
        ]
        key, share = (rule.because, rule.source), max(shares, default=0.0)
        # a message that matches as a whole is likelier than one of which a sentence matches
        rank = share + _share(told[0], own, weights)
        if share >= _LEAST_SHARE and (key not in rows or rows[key][0] < rank):
            rows[key] = rank, _meant(rule, share)
    ranked = sorted(rows.values(), key=lambda row: -row[0])
    return tuple([meant for _, meant in ranked[:_MOST_RULES]])


def _sentences(message: str) -> list[frozenset[str]]:
    """Return the words of a message, and of each of its sentences."""
    return [_words([text]) for text in (message, *_SENTENCES.split(message))]


def _share(said: frozenset[str], own: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the share of a message whose words a rule has too, from 0 to 1."""
    whole = sum([weights[word] for word in said])
    return sum([weights[word] for word in said & own]) / whole if whole else 0.0


def _meant(rule: Rule, share: float) -> Meant:
    subjects = tuple(dict.fromkeys([subject(condition.path) for condition in rule.reject]))
    return Meant(
        subjects=subjects,
        because=rule.because,
        source=rule.source,
        models=rule.model.texts,
        share=round(share, 2),
    )


def _words(texts: Iterable[str]) -> frozenset[str]:
    found = {word.lower() for text in texts for word in _WORDS.findall(text)}
    return frozenset([_ENDINGS.sub("", word) or word for word in found - _COMMON])
