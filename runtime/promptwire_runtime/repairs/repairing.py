"""The repair of a problem: the one that its rule names, else those of its class and field."""

from __future__ import annotations

from importlib import import_module

from ..build.adapted_schemas import is_about_schemas
from ..errors import InvalidRequest, MissingField, NoPlace, PolicyError
from ..model.field_fixes import field_fixes
from ..model.request import Message
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING, cast
from .choosing import HISTORY_REPAIRS, history_repairs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..errors import RequestError
    from ..reporting.policies import Policies
    from .edits import Repair

# name of a repair -> module and function, imported when it is first needed
REPAIRS: dict[str, str | Repair] = {
    "drop": ".fields:drop",
    "omit": ".fields:omit",
    "nearest": ".fields:nearest",
    "set": ".fields:set_value",
    "rename": ".fields:rename_value",
    "merge": ".fields:merge",
    "fill": ".filling:fill",
    "format_as_words": ".answer_formats:format_as_words",
    **HISTORY_REPAIRS,
}
# numbers of nodes, of which some are left out only where meaning may be dropped
_COUNTS = frozenset({"messages.count", "tools.count"})
# errors about the response format as a whole
_FORMATS = frozenset({"kind", "response_format", "response_format.kind", "schema", "response_format.schema"})


def repair_named(name: str, policies: Policies) -> Repair:
    """Return the repair of a name, or the function that the policies have under it."""
    own: Any = policies.fixes.get(name)
    if callable(own):
        return cast("Repair", own)
    # the rule of a plugin names a function of its own
    repair = REPAIRS.get(name, name)
    if isinstance(repair, str):
        if ":" not in repair:
            raise PolicyError(f'"{name}" is not a repair; use one of {", ".join(REPAIRS)}, or a function')
        module, _, function = repair.partition(":")
        repair = getattr(import_module(module, __package__), function)
        if name in REPAIRS:
            REPAIRS[name] = repair
    return repair


def candidates(error: RequestError, policies: Policies, *, drops: bool) -> Iterator[str]:
    """Yield the names of the repairs for a problem, the best first.

    `drops`: whether meaning may be dropped.
    """
    own = next((name for name in (error.rule, error.field) if name and name in policies.fixes), "")
    if own:
        yield own if callable(policies.fixes[own]) else policies.fixes[own]
        return
    word = error.fix.partition(": ")[0]
    if word:
        yield word
    elif not error.no_repair:
        yield from _usual(error)
    if isinstance(error, NoPlace):
        # a build itself drops fields without a place; rules must not see a node of which nothing is sent
        is_message = isinstance(error.node, Message)
        if drops and error.field in (spec_word(error.node), *(("role",) if is_message else ())):
            yield "omit"
        return
    if isinstance(error, InvalidRequest):
        return
    if drops and error.field in _COUNTS:
        yield "nearest"
    if drops or (not error.no_repair and (error.loss != "meaning" or "drop" in field_fixes(error.field)[0])):
        yield "drop"
    if drops:
        yield "omit"


def _usual(error: RequestError) -> Iterator[str]:
    """Yield the repairs of problems of this class and field."""
    yield from history_repairs(error, error.node)
    if is_about_schemas(error.field):
        return
    if isinstance(error, NoPlace) and _is_about_reasoning(error):
        yield "nearest_reasoning"
    if isinstance(error, MissingField) and error.field == "max_tokens":
        yield "fill"
    if error.field in _FORMATS and not isinstance(error, MissingField):
        yield "format_as_words"
    if isinstance(error, NoPlace) and _is_plain_text(error):
        # every API answers in text
        yield "drop"


def _is_plain_text(error: RequestError) -> bool:
    """Return whether a value asks for an answer in plain text."""
    if error.field == "modalities":
        return error.value == ("text",)
    form: Any = error.value if error.field == "response_format" else error.node
    return error.field in _FORMATS and getattr(form, "kind", None) == "text"


def _is_about_reasoning(error: RequestError) -> bool:
    """Return whether a problem is about how much a model thinks."""
    head, _, name = error.field.rpartition(".")
    return (head or error.path) == "reasoning" and name in ("kind", "mode", "effort", "budget")
