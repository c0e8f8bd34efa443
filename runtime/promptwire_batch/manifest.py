"""The manifest of a batch: its job, its files with digests, and how far it was written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from promptwire_runtime.wire_json.characters import whole_text

from .errors import BatchError
from .job import Job
from .shards import Shard

NAME = "manifest.json"
_VERSION = 1
Counts = Counter[tuple[str, str]]


@dataclass(slots=True)
class Manifest:
    """The state of a batch after its last checkpoint.

    Attributes:
        job: What its lines become.
        inputs: The files that are read, with their sizes.
        shards: The files that are written.
        round: The number of the last round: 1 when the batch is first written, one more for each retry.
        position: The input that is read, the position there, and the lines before it.
        written: Whether all inputs are read and all files complete.
        requests: How many lines the first round has.
        duplicates: How many requests were there before, with `deduplicate`.
        refused: How many lines cannot be converted.
        changed: How many requests were changed on the way.
        refused_bytes: The size of `refused.jsonl`.
        results_bytes: The size of `results.jsonl`.
        changes: The changes and the number of lines that each is in.
        reasons: Why lines cannot be converted, and how many.
    """

    job: Job
    inputs: list[tuple[str, int]]
    shards: list[Shard] = field(default_factory=list[Shard])
    round: int = 1
    position: tuple[int, int, int] = (0, 0, 0)
    written: bool = False
    requests: int = 0
    duplicates: int = 0
    refused: int = 0
    changed: int = 0
    refused_bytes: int = 0
    results_bytes: int = 0
    changes: Counts = field(default_factory=Counts)
    reasons: Counter[str] = field(default_factory=Counter[str])

    def as_json(self) -> dict[str, Any]:
        """Return the manifest as plain data."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        return {
            "version": _VERSION,
            **plain,
            "job": self.job.as_json(),
            "shards": [asdict(shard) for shard in self.shards],
            "changes": [[*change, count] for change, count in self.changes.most_common()],
            "reasons": dict(self.reasons.most_common()),
        }

    def encoded(self) -> str:
        """Return the text of the file; names of inputs that are not UTF-8 are escaped."""
        text = json.dumps(self.as_json(), ensure_ascii=False, indent=1)
        return f"{text if text == whole_text(text) else json.dumps(self.as_json(), indent=1)}\n"

    @classmethod
    def decoded(cls, text: str, where: str) -> Manifest:
        """Read the text of a file. Raises BatchError for a file of another form."""
        try:
            plain = json.loads(text)
            if plain.pop("version") != _VERSION:
                raise BatchError(f"{where}: the manifest is of another version of promptwire")
            plain["job"] = Job(**plain["job"])
            plain["inputs"] = [(name, size) for name, size in plain["inputs"]]
            plain["shards"] = [Shard(**shard) for shard in plain["shards"]]
            plain["position"] = tuple(plain["position"])
            plain["changes"] = Counts({(action, name): count for action, name, count in plain["changes"]})
            plain["reasons"] = Counter[str](plain["reasons"])
            return cls(**plain)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BatchError(f"{where}: not a manifest of a batch: {error}") from error

    def round_of(self, shard: int) -> int:
        """Return the round of a file, by its number."""
        return int(self.shards[shard].file.partition("/")[0].removeprefix("round-"))

    def current(self) -> list[Shard]:
        """Return the files of the last round."""
        return [shard for shard in self.shards if shard.file.startswith(f"round-{self.round}/")]


def differences(job: Job, other: Mapping[str, Any]) -> list[str]:
    """Return in which fields a job differs from another one, as text."""
    return [
        f"{name} is {other.get(name)!r} there"
        for name, value in job.as_json().items()
        if other.get(name) != value
    ]
