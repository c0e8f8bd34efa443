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
# words that every message has
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
# the least share of the weight of a message's words that a rule must have
_LEAST_SHARE = 0.35
_LEAST_WORDS = 2
_SENTENCES = re.compile(r"[.:;]\s+|\n")
# a name that a message quotes is a field or a value
_QUOTED = re.compile(r"['\"`]([A-Za-z_][A-Za-z0-9_.\[\]-]*)['\"`]")
_MOST_RULES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingRule:
    """A rule that an error message may refer to.

    Attributes:
        subjects: The fields that it rejects, in words.
        because: Its reason.
        source: Its citation.
        models: The patterns of the models that it names; empty for all.
        share: The share of the message's words that the rule has, from 0 to 1.
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


def matching_rules(wire: Wire, message: str) -> tuple[MatchingRule, ...]:
    """Return the rules of a wire that an error message may be about, likeliest first.

    Return an empty tuple if no rule has enough of its words.
    """
    rules = [rule for rule in wire.rules if rule.reject]
    words = [
        _words([rule.because, rule.source, *map(repr, (*rule.reject, *rule.given, *rule.unless))])
        for rule in rules
    ]
    counts = Counter(word for own in words for word in own)
    weights = {word: log(1 + len(rules) / max(counts[word], 1)) for word in {*counts, *_words([message])}}
    sentences = _sentences(message)
    named = _words(_QUOTED.findall(message))
    rows: dict[tuple[str, str], tuple[float, MatchingRule]] = {}
    for rule, own in zip(rules, words, strict=True):
        fields = named & _words([condition.path.text for condition in rule.reject])
        shares = [
            _share_of_words(sentence, own, weights)
            for sentence in sentences
            if len(sentence & own) >= _LEAST_WORDS or sentence & fields
        ]
        key, share = (rule.because, rule.source), max(shares, default=0.0)
        # a rule that matches the whole message is likelier than one that matches a sentence
        rank = share + _share_of_words(sentences[0], own, weights)
        if share >= _LEAST_SHARE and (key not in rows or rows[key][0] < rank):
            rows[key] = rank, _matching_rule(rule, share)
    ranked = sorted(rows.values(), key=lambda row: -row[0])
    return tuple([meant for _, meant in ranked[:_MOST_RULES]])


def _sentences(message: str) -> list[frozenset[str]]:
    """Return the words of a message, and of each of its sentences."""
    return [_words([text]) for text in (message, *_SENTENCES.split(message))]


def _share_of_words(sentence: frozenset[str], own: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the share of a message whose words a rule has too, from 0 to 1."""
    whole = sum([weights[word] for word in sentence])
    return sum([weights[word] for word in sentence & own]) / whole if whole else 0.0


def _matching_rule(rule: Rule, share: float) -> MatchingRule:
    subjects = tuple(dict.fromkeys([subject(condition.path) for condition in rule.reject]))
    return MatchingRule(
        subjects=subjects,
        because=rule.because,
        source=rule.source,
        models=rule.model.texts,
        share=round(share, 2),
    )


def _words(texts: Iterable[str]) -> frozenset[str]:
    found = {word.lower() for text in texts for word in _WORDS.findall(text)}
    return frozenset([_ENDINGS.sub("", word) or word for word in found - _COMMON])
