"""The problems of a request body, before it is sent or after an API has rejected it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..build.wire import Wire
from ..errors import MissingField, Problem, PromptwireError, RequestError, SettingError
from ..model.parts import Opaque
from ..read.bodies import read_body
from ..read.readers import Readers
from ..read.result import Reading
from ..repairs.engine import errors_of
from ..reporting.derived_keys import unknown_steps
from ..reporting.policies import Policies
from ..rules.rule import IN_MESSAGES
from ..wire_json.copies import MOST_LEVELS
from ..wire_json.kinds import class_of, is_list, is_object
from ..wire_json.places import Steps
from .body_places import BodyPlaces, Trace
from .checking import doubts_about
from .typed_json import keys_of, problem_at, type_problems

_IDS = (".id", ".call_id")
# ids of the body itself are judged, and its blank text where the API rejects such text
_JUDGING = Policies(ids="error")
_JUDGING_BLANKS = Policies(ids="error", blank="error")


def check_body(  # noqa: PLR0913  # the tables of a wire
    body: Any,
    url: str | None,
    settings: Mapping[str, Any] | None,
    *,
    wire: Wire,
    readers: Readers,
    kind: Any,
    build: Callable[..., Any],
) -> tuple[Problem, ...]:
    """Return all problems of a body; `kind` is the TypedDict of bodies, `build` the function of the wire.

    Keys and values that differ from the spec come first, then the problems of a strict build of the request.

    Raises:
        SettingError: for settings that the wire does not have.
    """
    odd = _odd_key(body)
    if odd is not None:
        return (problem_at((), "unreadable", f"the body has the key {odd[:80]}, which is not text"),)
    trace = Trace()
    try:
        reading = read_body(trace.readers(readers), wire, build, body, url)
    except PromptwireError as error:
        text = str(error).removeprefix(f"{wire.name}: ")
        wrong = type_problems(body, kind) if is_object(body) else ()
        return (problem_at((), "unreadable", text), *wrong)
    # nodes were read from the copy that the reading holds
    body = reading.body
    places = BodyPlaces(body, reading.counted, trace)
    # text instead of messages is read, though few APIs accept it
    texts = [(key,) for key in readers.listed if class_of(body.get(key)) is str]
    unread = [*texts, *_unread(places)]
    assumed = reading.noted[0]
    typed = [*type_problems(body, kind)] if unread or assumed else []
    problems = [problem for steps in unread for problem in _explained(steps, typed, body, kind)]
    # where nothing else is wrong at its place, the assumption itself is the problem
    for steps, note in assumed:
        problems += _explained(steps, typed, body, kind) or [problem_at(steps, "deviation", note.why)]
    # the URL alone may name the model
    in_url = url is None and not readers.model
    problems += [
        _of_error(error, places, typed)
        for error in _errors_of(reading, build, settings, _JUDGING_BLANKS if wire.drops_blank else _JUDGING)
        if not (in_url and isinstance(error, MissingField) and error.field == "model")
    ]
    problems += _respelled(body, reading, wire)
    problems += _constants_missing(body, kind, problems)
    for doubt in doubts_about(reading.request, wire, settings):
        # of a body, problems have a path alone
        doubt.path, doubt.field = doubt.field, ""
        problems.append(doubt)
    return tuple(dict.fromkeys(problems))


def _constants_missing(body: dict[str, Any], kind: Any, known: list[Problem]) -> list[Problem]:
    """Return the keys of a body that only a build adds, such as a version, and that the body lacks."""
    # the model may stand in the URL; a build judges it
    judged = {"model", *[problem.steps[0] for problem in known if problem.steps]}
    missing = sorted(keys_of(kind).required - body.keys() - judged)
    found = (type_problems({}, kind)) if missing else ()
    return [problem for problem in found if problem.steps[0] in missing]


def _respelled(body: dict[str, Any], reading: Reading, wire: Wire) -> Iterator[Problem]:
    """Yield the keys that the model rejects under this name, and that a build renames."""
    model = reading.request.model
    rules = [rule for rule in wire.rules_for(model, reading.settings or None) if rule.rename]
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
            yield problem_at(steps, "refused", message, source=said.source)


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


def _errors_of(
    reading: Reading,
    build: Callable[..., Any],
    settings: Mapping[str, Any] | None,
    policies: Policies,
) -> list[RequestError]:
    """Return the errors of a strict build of a body; `settings` add to those that the body and its URL show."""
    shown = {**reading.settings, **(settings or {})}
    try:
        return errors_of(build, reading.request, shown or None, policies)
    except SettingError:  # a URL may lack settings that a build needs
        return errors_of(build, reading.request, settings, policies)


def _unread(places: BodyPlaces) -> Iterator[Steps]:
    """Yield the places of JSON that the spec does not describe."""
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


def _explained(steps: Steps, typed: list[Problem], body: Any, kind: Any) -> list[Problem]:
    """Return the type errors at a place that the spec does not describe; none if the types accept any JSON there."""
    for problems in (typed, type_problems(body, kind, loose=False)):
        if inside := [problem for problem in problems if problem.steps[: len(steps)] == steps]:
            return inside
    return []


def _of_error(error: RequestError, places: BodyPlaces, typed: list[Problem]) -> Problem:
    """Return the problem of a strict build with its place in the body."""
    what = error.what
    if what == "refused" and not error.source and error.field.endswith(_IDS):
        what = "unpaired"
    if what == "missing":
        missing = [problem.steps for problem in typed if problem.what == "missing"]
        steps = places.of_missing(error, missing)
    else:
        steps = places.of_error(error)
    return problem_at(steps, what, error.reason, source=error.source)
