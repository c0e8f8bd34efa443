"""The modules of one wire: builder, facts, types, writing and reading, each as the context of its template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model.filters import ShapeFilter
from ..model.wire import Alternative, WireModel
from ..problems import Problem, Span, SpecError, quote
from .body import BodyEmitter, is_top_level
from .body_losses import unconditional
from .conversation import write_instructions
from .docs import carried_fields
from .function import Function
from .hole_types import HoleTypes
from .imports import Imports
from .messages import MessageEmitter
from .nodes import plain_display, subject_of, vendor_constant, write_node
from .places import Place
from .python import code
from .read.module import ReadingModules
from .text_shapes import bare_text_shape
from .transport import TransportEmitter
from .typed_dicts import Records
from .unions import UnionEmitter
from .usual import usual_display
from .watching import watched
from .wire_facts import wire_context

# which holes of the body complete a union's node
_ELSEWHERE = ("tool_choice", "reasoning")


def package_contexts(
    model: WireModel, filters: Mapping[str, ShapeFilter], readings: ReadingModules
) -> dict[str, dict[str, Any]]:
    """The contexts of one wire's modules, by the name of the module; each template lays out one of them."""
    writing, writers = _writing_context(model, filters)
    reading, readers = readings.of(model).context(), readings.of(model).module.whole
    records = Records(model, HoleTypes(model, filters)).collect()
    imported = {name for imports in (writing, reading) for name in imports["names"]}
    _check_unique([*(function.name for function in writers), *readers, *imported], model)
    _check_unique([*(record.name for record in records.records), *records.aliases], model)
    return {
        "__init__": _builder_context(model, filters),
        "wire": wire_context(model, filters),
        "types": {"records": records.records, "aliases": records.aliases},
        "writing": writing,
        "reading": {"read_doc": _read_doc(model), **reading},
    }


def _renames(model: WireModel) -> str:
    """When rules rename keys of the body: always, only where a request was read (`rare`), or never."""
    keys = {entry.key for entry in model.body.shape.fields}
    pairs = [pair for rule in model.rules for pair in rule.rename.items() if is_top_level(*pair)]
    return "" if not pairs else "always" if any(key in keys for key, _ in pairs) else "rare"


def _builder_context(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, Any]:
    imports = Imports()
    imports.use("promptwire_runtime", "BuildContext", "Built", "PromptwireError", "STRICT")
    imports.use("promptwire_runtime.typed", "TYPE_CHECKING")
    steps = [
        (each.name, imports.renamed(each.function, f"pass_{each.name}"))
        for each in model.passes
        if each.function is not None
    ]
    if steps:
        imports.function("promptwire_runtime.build.extensions:passed")
    return {
        "renames": _renames(model),
        "build_doc": _build_doc(model, TransportEmitter(model, filters, Imports())),
        "read_doc": _read_doc(model),
        "imports": imports.lines(),
        "steps": steps,
    }


def _writing_context(
    model: WireModel, filters: Mapping[str, ShapeFilter]
) -> tuple[dict[str, Any], list[Function]]:
    imports = Imports()
    imports.use("promptwire_runtime", "BuildContext", "Request")
    imports.use("promptwire_runtime.typed", "TYPE_CHECKING")
    request = Place("request", None, filters, imports, marks=model.marks_cache)
    places = {a.label: _place(a, filters, imports, model) for a in _alternatives(model)}
    body = BodyEmitter(model, request)
    writers = _writers(model, places, request, body)
    constants = body.constants()
    constants += [text for a in _alternatives(model) if (text := vendor_constant(a)) is not None]
    constants += ["_NAMES = WIRE.known_names"] if model.tool_names else []
    imports.keep({"TYPE_CHECKING", *(word for function in writers for word in function.words)})
    context = {
        "constants": constants,
        "functions": writers,
        "names_wire": any("WIRE" in function.words for function in writers),
        "imports": imports.lines(),
        "names": imports.names(),
    }
    return context, writers


def _check_unique(names: Iterable[str], model: WireModel) -> None:
    """Refuse to emit two functions or types of one name: the second would silently replace the first."""
    seen: set[str] = set()
    for one in names:
        if one in seen:
            message = f"two shapes, kinds or slots would both give {quote(one)} in the generated module"
            raise SpecError([Problem(Span(model.file, 1, 1, 1), "same-name", message, "rename one of them")])
        seen.add(one)


def _build_doc(model: WireModel, transport: TransportEmitter) -> str:
    own = ["query"] if transport.takes_query else []
    settings = ", ".join([*transport.secrets, *model.transport.settings, *own])
    edits = [f"    passes    {each.name}: {each.title}\n" for each in model.steps]
    if model.dialect is not None:
        edits.append(f"    schemas   {model.dialect.name}: {model.dialect.title}\n")
    return (
        f"Build the exact request for {model.title}.\n\n"
        f"{carried_fields(model)}"
        f"    settings  {settings}\n"
        f"{''.join(edits)}"
        "    policies  a `Policies`, a preset (`strict`, `lenient`, `verbatim`), or choices (`orphans=keep`)\n"
        "    Raises RequestError (MissingField, NoPlace, Refused, InvalidRequest), SettingError or PolicyError.\n    "
    )


def _read_doc(model: WireModel) -> str:
    held = f" that holds {model.body.messages.key}" if not model.body.messages.optional else ""
    return (
        "Read a body of this wire into a neutral Request; unknown keys and spellings are kept on its nodes.\n\n"
        f"    Raises BodyError when the body is no JSON object{held}.\n    "
    )


def _alternatives(model: WireModel) -> list[Alternative]:
    return [*model.parts, *(row for rows in model.unions.values() for row in rows)]


def _place(
    alternative: Alternative, filters: Mapping[str, ShapeFilter], imports: Imports, model: WireModel
) -> Place:
    role = model.content_role(alternative.mode)
    collapses = bare_text_shape(model, role) is not None
    nested = f"write_content_{role}"
    return Place(
        subject_of(alternative.kind), alternative.kind, filters, imports, nested, collapses, model.marks_cache,
        keyed=alternative.keyed is not None,
        dialect=model.dialect if (alternative.union, alternative.mode) == ("tool", "function") else None,
    )  # fmt: skip


def _writers(model: WireModel, places: dict[str, Place], request: Place, body: BodyEmitter) -> list[Function]:
    out: list[Function] = []
    for alternative in _alternatives(model):
        function = write_node(alternative, places[alternative.label], _elsewhere(model, alternative))
        out.append(watched(function, alternative, places[alternative.label], model))
    displays = {each.name.removeprefix("write_"): text for each in out if (text := plain_display(each))}
    for alternative in model.parts:
        usual = usual_display(alternative, places[alternative.label], model)
        if usual is not None:
            displays[alternative.label] = code(usual)
    out += UnionEmitter(model, request).functions()
    messages = MessageEmitter(model, request, displays)
    out += messages.functions()
    if model.instructions.placement == "first_message":
        out.append(write_instructions(model, request))
    out += [body.write_rare(), body.write(messages.forms)]
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
