"""The arguments of `Wire`: where requests go, with which settings, and what is known about the API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...model.continuing import server_state
from ...model.filters import ShapeFilter
from ...model.neutral import COMMON_OPTIONS
from ...model.transport import INSIDE
from ...model.wire import WireModel
from ...spec.shapes import Hole, Object, Shape
from ..imports import function_name
from ..python import Expression, call, display, frozen_words, literal, literal_tuple, name, tuple_of

_SETTING = re.compile(r"\$\{?([a-z_][a-z0-9_]*)")

# default values of the fields of `Wire`
_DEFAULTS = {
    "url_filters": display([]),
    "batches": display([]),
    "stand_in": literal(None),
    "deciding": tuple_of([]),
    "address_only": frozen_words([]),
    "defaults": display([]),
    "hoist": literal(False),
    "names": literal(""),
    "unique_names": literal(False),
    "drops_blank": literal(False),
    "pairs": literal(""),
    "waiting": literal({}),
    "answered": frozen_words([]),
    "state": literal(None),
    "signatures": literal(None),
    "added": frozen_words([]),
    "wrapping": tuple_of([]),
    "prompt": tuple_of([]),
    "cache_marks": frozen_words([]),
}


def wire_facts(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, Expression]:
    """Return every argument but the functions and the rules, in the order of the fields."""
    cache_marks = _cache_marks(model)
    return {
        "name": literal(model.name),
        "title": literal(model.title),
        "api": literal(model.api),
        "method": literal(model.transport.method or ""),
        "settings": _settings(model),
        "urls": _urls(model),
        "url_filters": _url_filters(model, filters),
        "stand_in": _stand_in(model),
        "deciding": _deciding(model),
        "address_only": frozen_words(sorted(_address_only(model))),
        "secrets": literal(secrets(model)),
        "common": frozen_words(sorted(COMMON_OPTIONS & model.body.carried_options)),
        "batches": _batches(model),
        "defaults": literal(dict(model.defaults)),
        "hoist": literal(model.instructions.hoist),
        "names": literal(model.tool_names),
        "unique_names": literal(model.unique_names),
        "drops_blank": literal(model.drops_blank),
        "pairs": literal(model.pairs),
        "waiting": literal(model.waiting),
        "answered": frozen_words(sorted(model.answered)),
        "state": _state(model),
        "signatures": _signatures(model),
        "added": frozen_words(sorted(_added(model))),
        "wrapping": literal_tuple(model.body.wrapping),
        "prompt": tuple_of([literal_tuple(place) for place in (_prompt(model) if cache_marks else ())]),
        "cache_marks": frozen_words(sorted(cache_marks)),
    }


def given_facts(facts: Mapping[str, Expression]) -> dict[str, Expression]:
    """Return the facts that differ from the defaults of `Wire`."""
    return {key: value for key, value in facts.items() if _DEFAULTS.get(key) != value}


def secrets(model: WireModel) -> dict[str, str]:
    """Return the settings that authenticate, each with the environment variable shown in its place."""
    facts = {
        setting: auth.env or setting.upper()
        for auth in model.transport.auth
        for setting, _ in INSIDE.findall(auth.value or "")
    }
    return dict(sorted(facts.items()))


def setting_names(model: WireModel) -> list[str]:
    """Return every setting that a caller may give.

    The last is `query`, for parameters of the URL that a gateway wants; what runs here has no URL.
    """
    own = [] if model.transport.local else ["query"]
    return [*dict.fromkeys([*model.transport.settings, *secrets(model)]), *own]


def _settings(model: WireModel) -> Expression:
    """Return the table of settings, a `Setting` each."""
    entries: list[tuple[str, Expression]] = []
    for setting_name in setting_names(model):
        setting = model.transport.settings.get(setting_name)
        arguments: dict[str, Expression] = {}
        if setting is not None and setting.default is not None:
            arguments["default"] = literal(setting.default)
        if setting is not None and setting.choices:
            arguments["choices"] = literal_tuple(setting.choices)
        if setting is not None and setting.type == "list":
            arguments["listed"] = literal(True)
        entries.append((setting_name, call("Setting", **arguments)))
    return display(entries)


def _urls(model: WireModel) -> Expression:
    """Return the forms of the URL as rows of text, stream flag and settings, the first that holds first."""
    return tuple_of([
        tuple_of([
            literal(form.url),
            literal(form.when.stream),
            display([(key, literal_tuple(values)) for key, values in form.when.settings.items()]),
        ])
        for form in model.transport.url
    ])  # fmt: skip


def _batches(model: WireModel) -> Expression:
    """Return the services for batches, each with its facts."""
    return literal({name: service.facts() for name, service in model.transport.batches.items()})


def _url_filters(model: WireModel, filters: Mapping[str, ShapeFilter]) -> Expression:
    """Return the functions that read what a filter wrote into the URL, by the filter's name."""
    words = {
        word
        for form in model.transport.url
        for _, hole in INSIDE.findall(form.url)
        for word in hole.split("|")[1:]
    }
    reads = {word: filters[word].reads for word in sorted(words)}
    return display([(word, name(function_name(read))) for word, read in reads.items() if read is not None])


def _stand_in(model: WireModel) -> Expression:
    """Return the setting that rules look at instead of the model."""
    settings = model.transport.settings.items()
    return literal(next((key for key, setting in settings if setting.stands_for == "model"), None))


def _deciding(model: WireModel) -> Expression:
    """Return the settings that a rule asks for, or that stand for what it asks for."""
    rule_settings = {setting for rule in model.rules for setting in rule.settings}
    settings = [
        key for key, setting in model.transport.settings.items() if key in rule_settings or setting.stands_for
    ]
    return literal_tuple(settings)


def _address_only(model: WireModel) -> set[str]:
    """Return the settings that only some forms of the URL use, so that they have no effect with the others."""
    transport = model.transport
    in_forms = [
        {*form.when.settings, *(hole for hole, _ in INSIDE.findall(form.url))} for form in transport.url
    ]
    elsewhere = {
        *_SETTING.findall(" ".join([*transport.headers.values(), *_auth_texts(model)])),
        *(hole.path[-1] for hole in model.body.shape.holes if hole.path[0] == "settings"),
        *(setting for row in transport.auth for setting in row.when.settings),
        *(setting for rule in model.rules for setting in rule.settings),
        *(key for key, setting in transport.settings.items() if setting.stands_for),
    }
    return {
        setting
        for setting in transport.settings
        if 0 < sum(setting in holes for holes in in_forms) < len(in_forms) and setting not in elsewhere
    }


def _auth_texts(model: WireModel) -> list[str]:
    return [text for row in model.transport.auth for text in (row.value, row.service, row.region) if text]


def _state(model: WireModel) -> Expression:
    """Build the `ServerState` of a wire, without arguments that equal its defaults."""
    state = server_state(model)
    if state is None:
        return literal(None)
    texts = {"omits": state.omits, "spares": state.spares, "binds": state.binds, "fields": state.fields}
    given = {name: literal_tuple(values) for name, values in texts.items() if values}
    begins = {"begins": literal(dict(state.begins))} if state.begins else {}
    return call("ServerState", literal(state.by), **given, **begins)


def _signatures(model: WireModel) -> Expression:
    """Build the `SignatureFamilies` of a wire."""
    signatures = model.signatures
    if signatures is None:
        return literal(None)
    reads = display([(family, literal_tuple(others)) for family, others in signatures.reads.items()])
    return call("SignatureFamilies", literal(signatures.family), reads, literal(signatures.source))


def _added(model: WireModel) -> set[str]:
    """Return the keys of an answer by which it is told that a client put something into it."""
    return {
        path.partition(".")[0] for client in model.clients.values() for path in client.adds if "." not in path
    }


def _prompt(model: WireModel) -> list[tuple[str, ...]]:
    """Return the places of tools, instructions and messages in the body, in this order."""
    places = dict(_places(model.body.sent_shape, ()))
    return [places[field] for field in ("tools", "instructions", "messages") if field in places]


def _places(shape: Shape, way: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each field of the request that is one key of the body, and the path of the key."""
    for entry in shape.fields if isinstance(shape, Object) else ():
        if isinstance(entry.shape, Hole) and len(entry.shape.path) == 1:
            yield entry.shape.path[0], (*way, entry.key)
        yield from _places(entry.shape, (*way, entry.key))


def _cache_marks(model: WireModel) -> set[str]:
    """Return the keys of cache marks: those of elements that are marks, or those that hold one."""
    if model.marks_cache:
        whole = [mark.shape for mark in model.unions["cache"] if isinstance(mark.shape, Object)]
        return {entry.key for shape in whole for entry in shape.fields}
    return {
        entry.key
        for variant in model.variants
        for piece in variant.shape.pieces
        if isinstance(piece, Object)
        for entry in piece.fields
        if isinstance(entry.shape, Hole) and entry.shape.path == ("cache",)
    }
