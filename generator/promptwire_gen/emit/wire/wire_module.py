"""The module of a wire's facts and capabilities, as the context of `templates/module/wire.py.j2`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.answer_model import COUNTS, AnswerModel
from ...model.neutral import COMMON_OPTIONS, MESSAGE
from ...model.offers import ShapeFilter
from ...model.transport import INSIDE
from ...model.wire import Variant, WireModel
from ...spec.answer_sections import FINISHES
from ...spec.notation import snake_case
from ...spec.schema import THINGS, SettingSpec, TransportSection
from ...spec.shapes import Hole, Object, Shape
from ..imports import get_function_name, import_filters
from .rules_module import RuleModules
from .transport_functions import WireTransport

_SETTING = re.compile(r"\$\{?([a-z_][a-z0-9_]*)")


def make_wire_context(
    model: WireModel, filters: Mapping[str, ShapeFilter], rule_modules: RuleModules
) -> dict[str, Any]:
    """Return the context of the template.

    `above` is the transport of the parent, whose functions a dialect takes if its own have the same text; `tables` says
    whether the rules and the clients are the wire's own: None where it has none, False where they are the parent's.
    """
    rules = rule_modules.find_home(model)
    return {
        "transport": WireTransport(model.transport, filters),
        "above": None if model.parent is None else WireTransport(model.parent.transport, filters),
        "facts": _derive_facts(model, filters),
        "tables": {
            "rules": None if rules is None else rules == model.name,
            "knows_models": any(family.known for family in model.requests_of.families),
            "clients": has_own_clients(model) if model.clients else None,
        },
        "capabilities": describe_capabilities(model),
        "imports": import_filters(_find_transport_filters(model.transport), filters).values(),
    }


def has_own_clients(model: WireModel) -> bool:
    """Return whether a wire has clients that its parent does not have."""
    return model.clients != ({} if model.parent is None else model.parent.clients)


def _find_transport_filters(transport: TransportSection) -> Iterable[str]:
    """Return the filters of its URLs, headers and credentials."""
    texts = [form.url for form in transport.url] + [*transport.headers.values()]
    texts += [
        text for auth in transport.auth for text in (auth.value, auth.sign, auth.service, auth.region) if text
    ]
    return dict.fromkeys(word for text in texts for word in re.findall(r"\|([a-z_]+)", text))


def _derive_facts(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, Any]:
    """Return the facts that are derived from the model, by the name of the argument of `Wire`."""
    cache_marks = _find_cache_marks(model)
    return {
        "settings": _describe_settings(model),
        "url_filters": _find_url_filters(model, filters),
        "stand_in": _find_stand_in(model),
        "deciding": _find_deciding_settings(model),
        "is_dated": any(rule.since or rule.until for rule in model.rules),
        "address_only": sorted(_find_address_settings(model)),
        "secrets": list_secrets(model),
        "common": sorted(COMMON_OPTIONS & model.body.carried_options),
        "batches": {name: service.list_facts() for name, service in model.transport.batches.items()},
        "answered": sorted(model.answered),
        "added": sorted(_find_added_keys(model)),
        "prompt": _find_prompt_places(model) if cache_marks else [],
        "cache_marks": sorted(cache_marks),
    }


def list_secrets(model: WireModel) -> dict[str, str]:
    """Return the settings that authenticate, each with the environment variable shown in its place."""
    facts = {
        setting: auth.env or setting.upper()
        for auth in model.transport.auth
        for setting, _ in INSIDE.findall(auth.value or "")
    }
    return dict(sorted(facts.items()))


def list_settings(model: WireModel) -> list[str]:
    """Return every setting that a caller may give.

    The last is `query`, for URL parameters that a gateway wants; local models have no URL.
    """
    own = [] if model.transport.local else ["query"]
    return [*dict.fromkeys([*model.transport.settings, *list_secrets(model)]), *own]


def _describe_settings(model: WireModel) -> dict[str, SettingSpec | None]:
    """Return the settings by name; None for one that only authenticates, or that any gateway may want."""
    return {name: model.transport.settings.get(name) for name in list_settings(model)}


def _find_url_filters(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, str]:
    """Return the functions that read filtered values from a URL, by the filter's name."""
    words = {
        word
        for form in model.transport.url
        for _, hole in INSIDE.findall(form.url)
        for word in hole.split("|")[1:]
    }
    reads = {word: filters[word].reads for word in sorted(words)}
    return {word: get_function_name(read) for word, read in reads.items() if read is not None}


def _find_stand_in(model: WireModel) -> str | None:
    """Return the setting that rules look at instead of the model."""
    settings = model.transport.settings.items()
    return next((key for key, setting in settings if setting.stands_for == "model"), None)


def _find_deciding_settings(model: WireModel) -> list[str]:
    """Return the settings that rules depend on, directly or in place of a field."""
    rule_settings = {setting for rule in model.rules for setting in rule.settings}
    return [
        key for key, setting in model.transport.settings.items() if key in rule_settings or setting.stands_for
    ]


def _find_address_settings(model: WireModel) -> set[str]:
    """Return the settings that only some forms of the URL use, so that they have no effect with the others."""
    transport = model.transport
    in_forms = [
        {*form.when.settings, *(hole for hole, _ in INSIDE.findall(form.url))} for form in transport.url
    ]
    elsewhere = {
        *_SETTING.findall(" ".join([*transport.headers.values(), *_list_auth_texts(model)])),
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


def _list_auth_texts(model: WireModel) -> list[str]:
    return [text for row in model.transport.auth for text in (row.value, row.service, row.region) if text]


def _find_added_keys(model: WireModel) -> set[str]:
    """Return the keys that clients add to an answer, by which such answers are recognised."""
    return {
        path.partition(".")[0] for client in model.clients.values() for path in client.adds if "." not in path
    }


def _find_prompt_places(model: WireModel) -> list[tuple[str, ...]]:
    """Return the places of tools, instructions and messages in the body, in this order."""
    places = dict(_find_key_paths(model.body.sent_shape, ()))
    return [places[field] for field in ("tools", "instructions", "messages") if field in places]


def _find_key_paths(shape: Shape, way: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each field of the request that is one key of the body, and the path of the key."""
    for entry in shape.fields if isinstance(shape, Object) else ():
        if isinstance(entry.shape, Hole) and len(entry.shape.path) == 1:
            yield entry.shape.path[0], (*way, entry.key)
        yield from _find_key_paths(entry.shape, (*way, entry.key))


def _find_cache_marks(model: WireModel) -> set[str]:
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


def describe_capabilities(model: WireModel) -> dict[str, Any]:
    """Return the capabilities of a wire, from its sections and shapes, as plain JSON."""
    steps, instructions = [step.name for step in model.steps], model.instructions
    reasoning = _list_reasoning_fields(model)
    return {
        "instructions": {
            "native": str(instructions.native).lower(),
            "placement": instructions.placement or "none",
            "several": instructions.several or "join",
            "mid_conversation": instructions.mid_conversation or "unknown",
        },
        "continuation": _describe_continuation(model),
        "tools": _describe_tools(model),
        "parts": _list_parts(model),
        "options": sorted(model.body.carried_options),
        "request": sorted(model.body.carried - model.body.carried_options),
        "response_formats": _list_modes(model.unions["response_format"]),
        "reasoning": sorted(set[str]().union(*reasoning.values())),
        **({"reasoning_modes": reasoning} if reasoning else {}),
        "message": _list_message_fields(model),
        **({} if model.answer is None else {"answers": _describe_answers(model, model.answer)}),
        "vendor": sorted(model.body.vendor),
        **({"passes": steps} if steps else {}),
        **({} if model.delivery == "structured" else {"delivery": model.delivery}),
    }


def _describe_continuation(model: WireModel) -> dict[str, Any]:
    """Return how a conversation continues and, if a server keeps it, the parts that are kept or sent again."""
    section = model.continuation
    words = {name: getattr(section, name) for name in THINGS if getattr(section, name) is not None}
    kept = {"keeps": list(section.keeps), "sent": words, "binds": list(section.binds)} if words else {}
    return {"mode": section.mode, "fields": list(section.fields), **kept}


def _describe_tools(model: WireModel) -> dict[str, Any]:
    choices = model.unions["tool_choice"]
    return {
        "format": model.tools.format if model.tools is not None else None,
        **({} if model.dialect is None else {"dialect": model.dialect.name}),
        "kinds": _list_modes(model.unions["tool"]),
        "choice": _list_modes(choices),
        "parallel": model.chooses_parallel,
        **_describe_deferral(model),
    }


def _describe_deferral(model: WireModel) -> dict[str, Any]:
    """Return the tool that finds deferred tools, and the models known to use it; empty if there is none."""
    known = model.tools.deferral if model.tools is not None else None
    if known is None:
        return {}
    search = known.search.model_dump(exclude_none=True)
    return {"deferral": {"search": search, "model": list(known.model), "not_model": list(known.not_model)}}


def _describe_answers(model: WireModel, answer: AnswerModel) -> dict[str, Any]:
    """Return the known facts about the wire's answers."""
    return {
        "stream": None if model.stream is None else model.stream.framing,
        "counts": [count for count in COUNTS if count in answer.counts],
        "finish": [word for word in FINISHES if word in answer.section.finish.values()],
    }


def list_token_counts(model: WireModel) -> dict[str, str]:
    """Return the keys of the API whose counts each field of `Usage` is the sum of."""
    answer = model.answer
    if answer is None:
        return {}
    sums = {name: [answer.counts[name]] for name in COUNTS if name in answer.counts}
    for name, into in answer.section.beside.items():
        if name in answer.counts and into in sums:
            sums[into].append(answer.counts[name])
    for whole, paths in answer.added_counts.items():
        # the same path in snake_case is not a further count
        others = {tuple(map(snake_case, path)) for path in paths if path != tuple(map(snake_case, path))}
        sums.setdefault(whole, []).extend([path for path in paths if path not in others])
    return {name: " + ".join([".".join(path) for path in paths]) for name, paths in sums.items()}


def _list_reasoning_fields(model: WireModel) -> dict[str, list[str]]:
    """Return the reasoning settings that each mode has a place for; `alone` are those that need no mode."""
    alone = {hole.path[1] for hole in model.body.shape.holes if hole.path[:-1] == ("reasoning",)}
    modes = {"alone": alone} if alone else {}
    for variant in [each for each in model.unions["reasoning"] if each.written]:
        modes.setdefault(variant.mode, set()).update(hole.path[0] for hole in variant.shape.holes)
    return {mode: sorted(names) for mode, names in modes.items()}


def _list_message_fields(model: WireModel) -> list[str]:
    """Return the fields of messages, role and parts aside, that some message of the API has a key for."""
    holes = {hole.path[0] for message in model.messages.values() for hole in message.shape.holes}
    return sorted(holes & MESSAGE.fields.keys())


def _list_parts(model: WireModel) -> dict[str, list[str]]:
    """Return the kinds of parts that are written, each with its sources."""
    sources: dict[str, list[str]] = {}
    for part in model.parts:
        if part.written:
            words = sources.setdefault(part.mode, [])
            if part.kind.sources and part.source and part.source not in words:
                words.append(part.source)
    return sources


def _list_modes(variants: Iterable[Variant]) -> list[str]:
    return list(dict.fromkeys([variant.mode for variant in variants]))
