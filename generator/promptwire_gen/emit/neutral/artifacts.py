"""The runtime's node classes: one module for each YAML file of the neutral model, as the context of its template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ...layout import MODEL
from ...neutral.node_classes import Module, NeutralModel, NodeClass, NodeField
from ...neutral.source import (
    list_arguments,
    read_citations,
    read_host_errors,
    read_hosted_kinds,
    read_neutral_model,
    read_own_content,
)
from ...spec.policies import OLD_NAMES, OLD_WORDS, POLICY_GROUPS, PRESETS, list_choices
from ..artifact import Artifact
from ..literals import write_literal
from .constructors import (
    list_least_numbers,
    list_schema_fields,
    list_steps,
    list_type_tests,
    make_class_doc,
    write_default,
    write_stored_value,
)

_FOLDER, _SOURCES = "neutral", "generator/promptwire_gen"


def make_model_artifacts() -> Iterator[Artifact]:
    """Yield one module of classes for each file, the package module, and the tables about all classes."""
    model = read_neutral_model()
    yield _make_artifact("__init__", "package", dict)
    for module in model.modules:
        yield _make_artifact(
            module.name, "module", partial(_describe_module, module, model), f"neutral/{module.name}"
        )
    yield _make_artifact("parts", "parts", partial(_list_part_modules, model))
    yield _make_artifact("kind_words", "kind_words", partial(_list_kinds, model))
    yield _make_artifact("hosted", "hosted", lambda: {"kinds": read_hosted_kinds()}, "neutral/hosted")
    yield _make_artifact("policy_choices", "policy_choices", _list_policies, "spec/policies")
    yield _make_artifact("policy_texts", "policy_texts", lambda: {"groups": POLICY_GROUPS}, "spec/policies")
    yield _make_artifact("tables", "tables", partial(_list_tables, model))


def _make_artifact(
    name: str, template: str, context: Callable[[], dict[str, Any]], file: str = "neutral/*"
) -> Artifact:
    """Return one file of the package; its header names the YAML file that it is made from."""
    template = f"{_FOLDER}/{template}.py.j2"
    sources = (f"{_SOURCES}/{file}.yaml", f"templates/{template}")
    return Artifact(
        path=f"{MODEL}{name}.py", template=template, context=partial(_make_context, sources, context)
    )


def _make_context(sources: tuple[str, ...], context: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    return {"sources": sources, **context()}


def _describe_module(module: Module, model: NeutralModel) -> dict[str, Any]:
    earlier = model.modules[: model.modules.index(module)]
    defines_base = any(node.name == "Part" for node in module.nodes)
    parts = any(map(_is_part, module.nodes)) and not defines_base
    return {
        # the module of the keyword arguments that all parts take
        "changes_from": model.nodes["Part"].module if parts else None,
        "module": module,
        "classes": [_describe_class(node) for node in module.nodes],
        "imports": list_importable_names(earlier),
    }


def _list_part_modules(model: NeutralModel) -> dict[str, Any]:
    """Return every module that defines a part."""
    modules = [module for module in model.modules if any(map(_is_part, module.nodes))]
    names = sorted(name for module in modules for name in list_names(module))
    return {"modules": [(module.name, list_names(module)) for module in modules], "names": names}


def _is_part(node: NodeClass) -> bool:
    return node.name == "Part" or node.declaration.base == "Part"


def _list_kinds(model: NeutralModel) -> dict[str, Any]:
    fields = [field for node in model.nodes.values() for field in node.fields]
    return {
        "parts": [node for node in model.nodes.values() if node.declaration.base == "Part"],
        "tools": [*model.list_classes("tools"), model.nodes["Opaque"]],
        "called": {field.name: field.called for field in fields if field.called != field.name},
        "imports": list_importable_names(model.modules),
    }


def _list_policies() -> dict[str, Any]:
    """Return group -> policy -> its choices, the presets, and the names and words of an earlier version."""
    return {
        "groups": {group: list_choices(group) for group in POLICY_GROUPS},
        "presets": PRESETS,
        "old_names": OLD_NAMES,
        # every repair had the word `error`
        "old_words": {group: words for group, words in OLD_WORDS.items() if group != "repairs"},
    }


def _list_tables(model: NeutralModel) -> dict[str, Any]:
    """Return class name -> field -> its class of loss, of all fields that lose less than meaning, and other tables."""
    rows = {
        node.name: {
            field.name: field.declaration.loss
            for field in node.fields
            if field.declaration.loss not in (None, "meaning")
        }
        for node in model.nodes.values()
    }
    return {
        "losses": {name: fields for name, fields in rows.items() if fields},
        "options": read_own_content(),
        "citations": read_citations(),
        "forms": read_host_errors(),
    }


# hand-written runtime module -> the names that constructors and annotations use
_WRITTEN = {
    "..nodes.checks": "as_format as_instructions as_messages as_names as_parts as_schema as_texts as_tools as_tuple "
    "check_fields check_given check_start has_odd is_map_of is_number not_one_source unknown_word",
    "..nodes.next_request": "NextRequestMixin",
    "..nodes.node": "CustomToolCallMixin NO_ITEMS Node ToolCallMixin new_node set_class mutable_twin",
    "..nodes.plain": "begins_as_said form_of given_names is_blank is_usual_call is_usual_result kind_of_reasoning "
    "request_given request_turns",
    "..typed": "TYPE_CHECKING Any Callable Iterable Mapping TypeAlias",
    "..wire_json.kinds": "class_of",
}


def list_importable_names(modules: Iterable[Module]) -> dict[str, list[str]]:
    """Return the names that a module of classes may import: module path as an import writes it -> names."""
    written = {place: names.split() for place, names in _WRITTEN.items()}
    return written | {f".{module.name}": list_names(module) for module in modules}


def list_names(module: Module) -> list[str]:
    """Return all names that a module defines."""
    empty = [node.declaration.empty for node in module.nodes]
    constants = [field.declaration.constant for node in module.nodes for field in node.fields]
    names = [*module.before, *module.after, *(node.name for node in module.nodes)]
    return [*names, *filter(None, (*empty, *constants))]


_PLAIN = "whether nothing optional is given, so that builders may take their fast path."
_FORM = "which usual form it has, for the fast path of builders; empty where more than parts is given."
_SOURCE = "the name of the one field that holds it."
_GIVEN = "the names of the fields that are given."
_GIVEN_UNCOMMON = "the names of the given options and uncommon fields."
_TURNS = "bits for what is unusual in its turns, which `promptwire_runtime.nodes.plain` names."


def _describe_class(node: NodeClass) -> dict[str, Any]:
    """Return the context of one class: names, types and single expressions."""
    declaration = node.declaration
    own = [field for field in node.fields if not field.inherited]
    noted = list(_list_flags(node))
    return {
        "node": node,
        # the base of all parts, whose `replace` would accept fewer fields than theirs
        "is_base": node.name == "Part",
        "base": ", ".join(
            [declaration.base or "Node", *([declaration.methods] if declaration.methods else [])]
        ),
        "doc": make_class_doc(node, [(name, doc) for name, _, doc in noted]),
        "kind": declaration.kind if declaration.table in ("tools", "none") else None,
        "slots": _write_names([*(field.name for field in own), *(name for name, _, _ in noted)]),
        "match_args": _write_names([field.name for field in node.fields if not field.keyword]),
        "parameters": tuple(_list_parameters(node)),
        "annotations": (
            *((field.name, field.holds) for field in own),
            *((name, annotation) for name, annotation, _ in noted),
        ),
        "constants": tuple(_list_constants(node)),
        "arguments": tuple(_list_arguments(node)),
        # tests of which one is true if a value may not fit
        "doubts": list_type_tests(node),
        # fields that accept a class that declares a JSON Schema
        "schemas": list_schema_fields(node),
        "least": list_least_numbers(node),
        "steps": list_steps(node),
        "sources": declaration.sources,
        # assignments of the fields
        "held": tuple(_assign_fields(node)),
        # tests that are true for a plain node
        "plain": tuple(_list_plain_tests(node)),
        # the flag of such a message, instead of True
        "form": declaration.plain_word,
        # the values of `sources` of which exactly one is given
        "alone": _list_given_sources(node),
        # the name of the source that is given
        "chosen": _choose_source(
            sorted(declaration.sources, key=lambda name: node.by_name[name].declaration.beside or "")
        ),
        # tests that are true if none of the recorded fields is given
        "absent": tuple([f"{field.name} is None" for field in node.noted]),
        "noted": tuple([field.name for field in node.noted]),
        # the parameters of the function that makes a node of values which reading has checked
        "made": tuple([_write_made_parameter(node.by_name[name]) for name in declaration.made]),
        # tests that are true if such a node is plain
        "made_plain": tuple(_list_plain_tests(node, declaration.made)),
        # the fields that this function leaves None
        "left": tuple(_list_fields_left_none(node)),
        # the fields that have another default
        "defaults": tuple(_list_defaults(node)),
        "properties": tuple(
            [
                (name, prop.annotation, prop.doc, _call_on_self(prop.call))
                for name, prop in node.properties.items()
            ]
        ),
    }


def _list_flags(node: NodeClass) -> Iterator[tuple[str, str, str]]:
    """Yield the flags that a node computes at construction, without its base's: name, annotation and description."""
    declaration = node.declaration
    if declaration.plain_word is not None:
        yield "fast_path", "str", _FORM
    elif declaration.plain and declaration.base is None:
        yield "is_plain", "bool", _PLAIN
    if declaration.sources:
        yield "source", "str", _SOURCE
    if declaration.given is not None:
        yield "given", "frozenset[str]", _GIVEN if declaration.given == "all" else _GIVEN_UNCOMMON
    if declaration.given == "uncommon":
        yield "turns", "int", _TURNS


def _assign_fields(node: NodeClass) -> Iterator[tuple[str, str]]:
    """Yield assignments of up to three fields a line, the most that Python compiles without a tuple."""
    for start in range(0, len(node.fields), 3):
        row = node.fields[start : start + 3]
        yield (
            ", ".join([f"node.{field.name}" for field in row]),
            ", ".join([write_stored_value(field) for field in row]),
        )


def _write_made_parameter(field: NodeField) -> str:
    """Return the parameter of a field whose value was looked at; one that a node may lack is None by default."""
    return f"{field.name}: {field.holds}" + (" = None" if field.optional else "")


def _list_fields_left_none(node: NodeClass) -> Iterator[str]:
    """Yield the fields that the function for checked values leaves None."""
    for field in node.fields:
        if field.name not in node.declaration.made and field.declaration.default is None:
            yield f"node.{field.name}"


def _list_defaults(node: NodeClass) -> Iterator[tuple[str, str]]:
    """Yield the fields that have another default than None, and that default for a new node."""
    for field in node.fields:
        default = field.declaration.default
        if default is not None:
            yield field.name, "{}" if default == {} else write_default(field)


def _list_plain_tests(node: NodeClass, given: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the tests of a plain node; only the `given` fields can have a value, or all for None."""
    declaration = node.declaration
    if declaration.plain or declaration.plain_word:
        yield from [f"{field.name} is None" for field in node.counted if given is None or field.name in given]
        for name in declaration.sources:
            beside = node.by_name[name].declaration.beside
            if beside is not None:
                yield f"({name} is None or {beside} is None)"
    if isinstance(declaration.plain, str):
        yield declaration.plain


def _list_given_sources(node: NodeClass) -> tuple[str, ...]:
    """Return the expressions of which exactly one may be given; a source counts if its companion is missing."""
    beside = {name: node.by_name[name].declaration.beside for name in node.declaration.sources}
    return tuple(
        [name if other is None else f"{name} if {other} is None else None" for name, other in beside.items()]
    )


def _choose_source(sources: Sequence[str]) -> tuple[str, ...]:
    names = [write_literal(name) for name in sources]
    tests = [f"{name} if {source} is not None" for name, source in zip(names, sources, strict=True)]
    return (*tests[:-1], *names[-1:])


def _list_parameters(node: NodeClass) -> Iterator[str]:
    """Yield the parameters of the constructor's signature."""
    starred = False
    for field in node.fields:
        if field.keyword and not starred:
            starred = True
            yield "*"
        default = write_default(field)
        yield f"{field.name}: {field.takes}{f' = {default}' if default else ''}"


def _write_names(names: Iterable[str]) -> str:
    """Return names as a tuple display; without a trailing comma, ruff fills the lines."""
    texts = [write_literal(name) for name in names]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _list_constants(node: NodeClass) -> Iterator[tuple[str, str]]:
    for field in node.fields:
        if field.declaration.constant is not None:
            yield field.declaration.constant, _write_names(field.declaration.values)
    if node.declaration.given is not None:
        name = "OPTION_NAMES" if node.declaration.given == "all" else "UNCOMMON_FIELDS"
        yield name, _write_names([field.name for field in node.noted])


def _call_on_self(call: str) -> str:
    """Return the call of a computed property with the node's fields as arguments."""
    name = call.partition("(")[0]
    return f"{name}({', '.join([f'self.{argument}' for argument in list_arguments(call)])})"


def _list_arguments(node: NodeClass) -> Iterator[tuple[str, str, str, list[NodeField]]]:
    """Yield the TypedDicts of a node's keyword arguments: name, base, description and the fields that it adds."""
    base = f"{node.declaration.base}Changes" if node.declaration.base else "TypedDict"
    own = [field for field in node.fields if not field.inherited]
    if node.declaration.named_fields:
        named = list_fields_by_name(node)
        yield (
            f"{node.name}Fields",
            base,
            f"Keyword arguments of {node.name} that constructors pass on.",
            named,
        )
        base, own = f"{node.name}Fields", [field for field in own if field not in named]
    said = "every part" if node.name == "Part" else f"{node.name}.replace"
    yield f"{node.name}Changes", base, f"Keyword arguments of {said}.", own


def list_fields_by_name(node: NodeClass) -> list[NodeField]:
    """Return a node's own keyword-only fields without sources and their companions."""
    sources = node.declaration.sources
    return [
        field
        for field in node.fields
        if field.keyword
        and not field.inherited
        and field.name not in sources
        and not (sources and field.declaration.looked_at)
    ]
