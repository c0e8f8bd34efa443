"""The linter: problems of a request body, before it is sent or after an API has rejected it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..build.wire import Wire
from ..errors import MissingField, PromptwireError, RequestError, SettingError
from ..model.parts import Opaque
from ..read.bodies import read_body
from ..read.readers import Readers
from ..read.result import Reading
from ..repairs.engine import errors_of
from ..repairs.outcomes import problem_of
from ..reporting.derived_keys import unknown_steps
from ..reporting.policies import Policies
from ..rules.applying import IN_MESSAGES
from ..wire_json.bounds import MOST_LEVELS
from ..wire_json.kinds import class_of, is_list, is_object
from .body_places import BodyPlaces
from .findings import Finding, Steps
from .tracing import Trace
from .typed_json import Fault, faults

_IDS = (".id", ".call_id")
# ids of the body itself are judged, and its blank text where the API rejects such text
_JUDGING = Policies(ids="error")
_JUDGING_BLANKS = Policies(ids="error", blank="error")


def lint(
    body: Any, url: str | None, *, wire: Wire, readers: Readers, kind: Any, build: Callable[..., Any]
) -> tuple[Finding, ...]:
    """Return all findings in a body; `kind` is the TypedDict of bodies, `build` the function of the wire.

    What no shape knows comes first, then what a strict build of the request would refuse.
    """
    odd = _odd_key(body)
    if odd is not None:
        return (
            Finding(
                steps=(), what="unreadable", message=f"the body has the key {odd[:80]}, which is not text"
            ),
        )
    trace = Trace()
    try:
        reading = read_body(trace.readers(readers), wire, build, body, url)
    except PromptwireError as error:
        text = str(error).removeprefix(f"{wire.name}: ")
        wrong = _typed(faults(body, kind)) if is_object(body) else []
        return (Finding(steps=(), what="unreadable", message=text), *wrong)
    # nodes were read from the copy that the reading holds
    body = reading.body
    places = BodyPlaces(body, reading.counted, trace)
    # text instead of messages is read, though few APIs accept it
    texts = [(key,) for key in readers.listed if class_of(body.get(key)) is str]
    unread = [*texts, *_unread(places)]
    assumed = reading.noted[0]
    typed = [*faults(body, kind)] if unread or assumed else []
    findings = [finding for steps in unread for finding in _explained(steps, typed, body, kind)]
    # where nothing else is wrong at its place, the assumption itself is the finding
    for row in assumed:
        told = _explained(row.steps, typed, body, kind)
        findings += told or [Finding(steps=row.steps, what="deviation", message=row.why)]
    # who sends a body may name the model in the URL alone
    in_url = url is None and not readers.model
    findings += [
        _of_error(error, places, typed)
        for error in _refusals(reading, build, _JUDGING_BLANKS if wire.drops_blank else _JUDGING)
        if not (in_url and isinstance(error, MissingField) and error.field == "model")
    ]
    findings += _respelled(body, reading, wire)
    return tuple(dict.fromkeys(findings))


def _respelled(body: dict[str, Any], reading: Reading, wire: Wire) -> Iterator[Finding]:
    """Yield the keys that the model refuses under this name, and that a build would spell otherwise."""
    model = reading.request.model
    rules = [rule for rule in wire.holding(model, reading.settings or None) if rule.rename]
    places: list[tuple[Steps, str]] = [((key,), key) for key in body] if rules else []
    if any(key.startswith(IN_MESSAGES) for rule in rules for key in rule.rename) and is_list(
        body.get("messages")
    ):
        items = enumerate(body["messages"])
        places += [
            (("messages", number, key), IN_MESSAGES + key)
            for number, item in items
            if is_object(item)
            for key in item
        ]
    for steps, key in places:
        word, said = key, None
        for rule in rules:
            if word in rule.rename:
                word, said = rule.rename[word], rule
        if said is not None and word != key:
            message = f'"{steps[-1]}" is refused for {model or "this model"}: {said.because}; write "{word}"'
            yield Finding(steps=steps, what="refused", message=message, source=said.source)


def _odd_key(body: Any) -> str | None:
    """Return the first key of a body that is not text, as JSON requires; bodies beyond all bounds are not searched."""
    level: list[Any] = [body]
    for _ in range(MOST_LEVELS):
        for item in level:
            if is_object(item):
                # a caller may pass any dict
                keys: list[Any] = list(item)
                odd = [key for key in keys if class_of(key) is not str]
                if odd:
                    return repr(odd[0])
        level = [
            inner
            for item in level
            if is_object(item) or is_list(item)
            for inner in (item.values() if is_object(item) else item)
        ]
    return None


def _typed(rows: Iterable[Fault]) -> list[Finding]:
    return [Finding(steps=row.steps, what=row.what, message=row.message) for row in rows]


def _refusals(reading: Reading, build: Callable[..., Any], policies: Policies) -> list[RequestError]:
    try:
        return errors_of(build, reading.request, reading.settings or None, policies)
    except SettingError:  # what a URL shows may lack what a build needs
        return errors_of(build, reading.request, None, policies)


def _unread(places: BodyPlaces) -> Iterator[Steps]:
    """Yield the places of JSON that no shape covers."""
    for path, node in places.nodes.items():
        kept = getattr(node, "kept", None)
        if isinstance(node, Opaque):
            steps = places.of_item(node.value)
            yield places.find((), node.place, node.value) if steps is None else steps
        elif kept is not None:
            base = places.of_node(path) or places.find((), path, None)
            if kept.shape and path.startswith("tool"):
                # tools and choices are read as other APIs write them, too
                yield base
            yield from ((*base, *steps) for steps in unknown_steps(kept.form, spelled=False))


def _explained(steps: Steps, typed: list[Fault], body: Any, kind: Any) -> list[Finding]:
    """Return the type errors at a place that no shape covers.

    Where they take any JSON, nothing is known to be wrong.
    """
    for rows in (typed, faults(body, kind, loose=False)):
        told = list(rows)
        if inside := [row for row in told if row.steps[: len(steps)] == steps]:
            return _typed(inside)
    return []


def _of_error(error: RequestError, places: BodyPlaces, typed: list[Fault]) -> Finding:
    """Convert an error of a strict build into a finding with its place in the body."""
    what = problem_of(error).what
    unpaired = what == "refused" and not error.source and error.field.endswith(_IDS)
    steps = (
        places.of_missing(error, [row.steps for row in typed if row.what == "missing"])
        if what == "missing"
        else places.of_error(error)
    )
    return Finding(
        steps=steps,
        what="unpaired" if unpaired else what,
        message=error.reason,
        source=error.source,
    )
