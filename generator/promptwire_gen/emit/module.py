"""The context of a module's template: every function, constant and type of one wire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model.filters import ShapeFilter
from ..model.wire import Alternative, WireModel
from ..problems import Problem, Span, SpecError, quote
from ..spec.notation import Hole, holes
from .body import BodyEmitter, unconditional
from .body_reading import BodyReader
from .conversation import ConversationEmitter, write_instructions
from .imports import Imports
from .messages import MessageEmitter
from .nodes import Function, subject_of, vendor_constant, write_node
from .places import Place
from .python import code, frozen_words, literal, lookup
from .reading import dispatch, read_node
from .text_shapes import bare_text_shape, nested_role
from .transport import TransportEmitter
from .typed_dicts import Records
from .unions import READ_FALLBACKS, UnionEmitter, constants_read
from .watching import watched

# which holes of the body complete a union's node
_ELSEWHERE = ("tool_choice", "reasoning")


def module_context(model: WireModel, filters: Mapping[str, ShapeFilter], template: str) -> dict[str, Any]:
    """Everything that `module.py.j2` lays out."""
    imports = Imports()
    imports.use(
        "promptwire_runtime",
        "Built",
        "PromptwireError",
        "Policies",
        "Reading",
        "Request",
        "STRICT",
        "Wire",
        "Words",
    )
    imports.use("promptwire_runtime.reading", "Reader", "body_to_read")
    request = Place("request", None, filters, imports, marks=model.marks_cache)
    places = {a.label: _place(a, filters, imports, model) for a in _alternatives(model)}
    body = BodyEmitter(model, request)
    transport = TransportEmitter(model, filters, imports)
    written = _writers(model, places, request, body)
    read = _readers(model, places, request)
    _check_unique(
        [function.header.partition("(")[0].removeprefix("def ") for function in (*written, *read)], model
    )
    records = Records(model).collect()
    _check_unique([*imports.names(), *(record.name for record in records.records), *records.aliases], model)
    constants = body.constants()
    constants += [text for a in _alternatives(model) if (text := vendor_constant(a)) is not None]
    return {
        "sources": (model.file, template),
        "model": model,
        "records": records.records,
        "aliases": records.aliases,
        "constants": constants,
        "common": body.common(),
        "batch": transport.batch(),
        "transport": transport.function(),
        "signing": transport.signing(),
        "settings": transport.settings(),
        "urls": transport.urls(),
        "url_filters": transport.url_filters(),
        "stand_in": transport.stand_in(),
        "secrets": code(literal(transport.secrets)),
        "keys": code(frozen_words(model.keys)),
        "words": code(frozen_words(model.constants)),
        "rules": [_rule(rule, imports) for rule in model.rules],
        "writers": written,
        "readers": read,
        "capabilities": capabilities(model),
        "renames": any(rule.rename for rule in model.rules),
        "build_doc": _build_doc(model, transport),
        "read_doc": _read_doc(model),
        "model_key": _model_key(model),
        "needs": [model.body.messages.key, *model.body.messages.synonyms]
        if not model.body.messages.optional
        else [],
        "imports": imports.lines(),
    }


def _check_unique(names: Iterable[str], model: WireModel) -> None:
    """Refuse to emit two functions or types of one name: the second would silently replace the first."""
    seen: set[str] = set()
    for one in names:
        if one in seen:
            message = f"two shapes, kinds or slots would both give {quote(one)} in the generated module"
            raise SpecError([Problem(Span(model.file, 1, 1, 1), "same-name", message, "rename one of them")])
        seen.add(one)


def _build_doc(model: WireModel, transport: TransportEmitter) -> str:
    settings = ", ".join([*transport.secrets, *model.transport.settings])
    return (
        f"Build the exact request for {model.title}.\n\n"
        f"    settings  {settings}\n"
        "    policies  a `Policies`, or the name of a preset: `strict`, `lenient`, `verbatim`\n"
        "    Raises RequestError (MissingField, NoPlace, Refused, InvalidRequest), SettingError or PolicyError.\n    "
    )


def _read_doc(model: WireModel) -> str:
    held = f" that holds {model.body.messages.key}" if not model.body.messages.optional else ""
    return (
        "Read a body of this wire into a neutral Request; unknown keys and spellings are kept on its nodes.\n\n"
        f"    Raises BodyError when the body is no JSON object{held}.\n    "
    )


def _model_key(model: WireModel) -> str:
    """The expression that looks the model's name up in a body."""
    for entry in model.body.shape.fields:
        if isinstance(entry.shape, Hole) and entry.shape.path == ("model",):
            return code(lookup("found", (entry.key, *entry.synonyms)))
    return "None"


def _alternatives(model: WireModel) -> list[Alternative]:
    return [*model.parts, *(row for rows in model.unions.values() for row in rows)]


def _place(
    alternative: Alternative, filters: Mapping[str, ShapeFilter], imports: Imports, model: WireModel
) -> Place:
    role = nested_role(alternative)
    collapses = bare_text_shape(model, role) is not None
    nested = f"_write_content_{role}"
    return Place(
        subject_of(alternative.kind), alternative.kind, filters, imports, nested, collapses, model.marks_cache
    )


def _writers(model: WireModel, places: dict[str, Place], request: Place, body: BodyEmitter) -> list[Function]:
    out: list[Function] = []
    for alternative in _alternatives(model):
        function = write_node(
            alternative, places[alternative.label], _elsewhere(model, alternative), model.file
        )
        out.append(watched(function, alternative, places[alternative.label], model))
    out += UnionEmitter(model, request).functions()
    out += MessageEmitter(model, request).functions()
    if model.instructions.placement == "first_message":
        out.append(write_instructions(model, request))
    out += [body.write_rare(), body.write()]
    return out


def _readers(model: WireModel, places: dict[str, Place], request: Place) -> list[Function]:
    lifted = model.instructions.placement != "top_level"
    out = [
        read_node(a, places[a.label], constants_read(a), model.file)
        for a in _alternatives(model)
        if not a.write_only and not (lifted and a.union == "instruction")
    ]
    for union, rows in model.unions.items():
        if rows and not (lifted and union == "instruction"):
            function, returns, fallback = READ_FALLBACKS[union]
            out.append(
                dispatch(function, rows, places, returns, fallback, f"Read one {union.replace('_', ' ')}.")
            )
    out += ConversationEmitter(model, request, places).functions()
    out.append(BodyReader(model, request).read())
    return out


def _elsewhere(model: WireModel, alternative: Alternative) -> frozenset[str]:
    """The fields of a union's node that the body writes in another place whenever they are there."""
    if alternative.union not in _ELSEWHERE:
        marked = model.marks_cache and alternative.union in ("part", "tool", "instruction")
        return frozenset({"cache"}) if marked else frozenset()
    return frozenset(
        hole.path[1]
        for hole in unconditional(model.body.shape)
        if hole.path[0] == alternative.union and len(hole.path) == 2
    )


def _rule(rule: Any, imports: Imports) -> str:
    imports.use("promptwire_runtime", "Rule")
    fields: list[str] = []
    rows = {
        "model": rule.when.model, "not_model": rule.when.not_model, "given": rule.when.given,
        "reject": rule.reject, "allow": rule.allow,
    }  # fmt: skip
    for name, value in rows.items():
        if value:
            fields.append(f"{name}={_tuple(value)}")
    if rule.when.settings:
        inner = ", ".join(f"{code(literal(k))}: {_tuple(v)}" for k, v in rule.when.settings.items())
        fields.append(f"settings={{{inner}}}")
    if rule.rename:
        fields.append(f"rename={code(literal(dict(rule.rename)))}")
    if rule.set:
        fields.append(f"assign={code(literal({k: str(v) for k, v in rule.set.items()}))}")
    fields += [f"because={code(literal(rule.because))}", f"source={code(literal(rule.source))}"]
    return f"Rule({', '.join(fields)})"


def _tuple(values: Any) -> str:
    return "(" + "".join(f"{code(literal(value))}, " for value in values) + ")"


def capabilities(model: WireModel) -> dict[str, Any]:
    """What a wire can do, from its sections and shapes, as plain JSON."""
    parts: dict[str, list[str]] = {}
    for part in model.parts:
        if part.written:
            rows = parts.setdefault(part.mode, [])
            word = part.source if part.kind.sources and part.source else ""
            if word and word not in rows:
                rows.append(word)
    choices = list(dict.fromkeys(row.mode for row in model.unions["tool_choice"]))
    return {
        "instructions": {
            "native": model.instructions.native,
            "placement": model.instructions.placement,
            "several": model.instructions.several,
            "mid_conversation": model.instructions.mid_conversation,
        },
        "continuation": {"mode": model.continuation.mode, "fields": list(model.continuation.fields)},
        "tools": {
            "format": model.tools.format if model.tools is not None else None,
            "kinds": list(dict.fromkeys(row.mode for row in model.unions["tool"])),
            "choice": choices,
            "parallel": any(
                h.path in (("tool_choice", "parallel"), ("parallel",))
                for shape in (model.body.shape, *(r.shape for r in model.unions["tool_choice"]))
                for h in holes(shape)
            ),
        },
        "parts": parts,
        "options": sorted(model.body.carried_options),
        "request": sorted(model.body.carried - model.body.carried_options),
        "response_formats": list(dict.fromkeys(row.mode for row in model.unions["response_format"])),
        "reasoning": sorted(
            {h.path[1] for h in holes(model.body.shape) if h.path[0] == "reasoning" and len(h.path) == 2}
            | {h.path[0] for row in model.unions["reasoning"] for h in holes(row.shape)}
        ),
        "vendor": sorted(model.body.vendor),
    }
