"""Judge examples of answers and of errors that an API sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..api import answer_coverage
from ..nodes.records import replace
from .faults import CaseFault, count_faults, differing, steps

_EXAMPLE, _AGAIN = "the example has", "read and written again, it is"


def answer_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Check that an answer says what its example says, is understood whole, and is written again."""
    del cases
    answer = module.read_answer(row["body"])
    yield from says_faults(row, answer)
    written = module.write_answer(answer)
    yield from differing(row["body"], written, ("body",), _EXAMPLE, _AGAIN)
    coverage = answer_coverage(module, answer)
    for key in coverage.unknown:
        # the key of a whole answer, or of an object inside it
        owner, _, inner = key.partition(".")
        message = f"`{inner or owner}` is not understood when this answer is read: no shape has this key"
        yield CaseFault(("body", *steps(inner)), message, "add a key to the shape, or correct the example")
    yield from count_faults(coverage)


_ERROR_WORDS = ("kind", "message", "type", "code", "field")


def error_answer_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Check that an error response says what its example says, and is written again, also from its words alone."""
    del cases
    error = module.read_error(row["status"], row["body"])
    words = _words_of(error)
    retryable = {"retryable": error.retryable} if "retryable" in row["says"] else {}
    found = [*differing(row["says"], words | retryable, ("says",), "the example says", "the error has")]
    written = module.write_error(error)
    found += differing(row["body"], written, ("body",), _EXAMPLE, _AGAIN)
    yield from found
    if not found:
        again = module.read_error(row["status"], module.write_error(replace(error, raw=None)))
        # writing may add the API's type of this kind
        kept = {name: value for name, value in _words_of(again).items() if name in words}
        has, is_ = "the error has", "written by its shape and read again, it has"
        yield from differing(words, kept, ("says",), has, is_)


def _words_of(error: Any) -> dict[str, Any]:
    """Return what callers see of an error, without what is unknown."""
    return {name: value for name in _ERROR_WORDS if (value := getattr(error, name)) is not None}


def says_faults(row: Mapping[str, Any], answer: Any) -> Iterator[CaseFault]:
    """Check that an answer says what an example says of it."""
    # an example leaves out what is empty
    wanted = {key: value for key, value in row["says"].items() if value not in ("", [])}
    yield from differing(wanted, content(answer), ("says",), "the example says", "the answer has")


def counts_of(usage: object) -> dict[str, Any]:
    """Return the counts of tokens by name; none for an answer without usage."""
    return {} if usage is None else {name: count for name, count in vars(usage).items() if name != "raw"}


def content(answer: Any) -> dict[str, Any]:
    """Return what callers see of an answer, without empty values."""
    calls = [
        {"id": call.id, "name": call.name, "arguments": getattr(call, "arguments", None)}
        for call in answer.calls
    ]
    values = {
        name: getattr(answer, name) for name in ("id", "model", "text", "reasoning", "refusal", "finish")
    }
    values["calls"] = [{key: value for key, value in call.items() if value is not None} for call in calls]
    counts = counts_of(answer.usage)
    values["usage"] = {name: count for name, count in counts.items() if count is not None} or None
    return {name: value for name, value in values.items() if value not in (None, "", [])}
