"""Artifacts of the runtime's node classes: one module for each YAML file of the neutral model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ...layout import MODEL
from ...neutral.node_classes import Module, NeutralModel, NodeClass
from ...neutral.source import hosted_kinds, neutral_model, own_content
from ...spec.policies import OLD_NAMES, OLD_WORDS, POLICY_GROUPS, PRESETS, choices_of
from ..artifact import Artifact
from .views import class_views, fields_by_name

_FOLDER, _SOURCES = "neutral", "generator/promptwire_gen"


def model_artifacts() -> Iterator[Artifact]:
    """Return one module of classes for each file, the package module, and the tables about all classes."""
    model = neutral_model()
    yield _artifact("__init__", "package", dict)
    for module in model.modules:
        yield _artifact(module.name, "module", partial(_module, module, model), f"neutral/{module.name}")
    yield _artifact("parts", "parts", partial(_parts, model))
    yield _artifact("named_fields", "fields", partial(_fields, model))
    yield _artifact("kind_words", "kind_words", partial(_kinds, model))
    yield _artifact("hosted", "hosted", lambda: {"kinds": hosted_kinds()}, "neutral/hosted")
    yield _artifact("own_content", "own_content", lambda: {"options": own_content()}, "neutral/own_content")
    yield _artifact("policy_choices", "policy_choices", _policies, "spec/policies")
    yield _artifact("policy_texts", "policy_texts", lambda: {"groups": POLICY_GROUPS}, "spec/policies")
    yield _artifact("loss_classes", "loss_classes", partial(_losses, model))


def _artifact(
    name: str, template: str, context: Callable[[], dict[str, Any]], file: str = "neutral/*"
) -> Artifact:
    """Return one file of the package; its header names the YAML file that it is made from."""
    template = f"{_FOLDER}/{template}.py.j2"
    sources = (f"{_SOURCES}/{file}.yaml", f"templates/{template}")
    return Artifact(path=f"{MODEL}{name}.py", template=template, context=partial(_context, sources, context))


def _context(sources: tuple[str, ...], context: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    return {"sources": sources, **context()}


def _module(module: Module, model: NeutralModel) -> dict[str, Any]:
    earlier = model.modules[: model.modules.index(module)]
    return {"module": module, "classes": class_views(module), "imports": importable(earlier)}


def _parts(model: NeutralModel) -> dict[str, Any]:
    """Return every module that defines a part."""
    modules = [module for module in model.modules if any(map(_is_part, module.nodes))]
    names = sorted(name for module in modules for name in names_of(module))
    return {"modules": [(module.name, names_of(module)) for module in modules], "names": names}


def _is_part(node: NodeClass) -> bool:
    return node.name == "Part" or node.declaration.base == "Part"


def _fields(model: NeutralModel) -> dict[str, Any]:
    nodes = [node for node in model.nodes.values() if node.declaration.named_fields]
    return {
        "classes": [(node, fields_by_name(node)) for node in nodes],
        "imports": importable(model.modules),
    }


def _kinds(model: NeutralModel) -> dict[str, Any]:
    fields = [field for node in model.nodes.values() for field in node.fields]
    return {
        "parts": [node for node in model.nodes.values() if node.declaration.base == "Part"],
        "tools": [*model.listed("tools"), model.nodes["Opaque"]],
        "called": {field.name: field.called for field in fields if field.called != field.name},
        "imports": importable(model.modules),
    }


def _policies() -> dict[str, Any]:
    """Return group -> policy -> its choices, the presets, and the names and words of an earlier version."""
    return {
        "groups": {group: choices_of(group) for group in POLICY_GROUPS},
        "presets": PRESETS,
        "old_names": OLD_NAMES,
        # every repair had the word `error`
        "old_words": {group: words for group, words in OLD_WORDS.items() if group != "repairs"},
    }


def _losses(model: NeutralModel) -> dict[str, Any]:
    """Return class name -> field -> its class of loss, of all fields that lose less than meaning."""
    rows = {
        node.name: {
            field.name: field.declaration.loss
            for field in node.fields
            if field.declaration.loss not in (None, "meaning")
        }
        for node in model.nodes.values()
    }
    return {"losses": {name: fields for name, fields in rows.items() if fields}}


# hand-written runtime module -> the names that constructors and annotations use
_WRITTEN = {
    "..nodes.checks": "as_instructions as_messages as_names as_parts as_schema as_texts as_tools as_tuple "
    "check_fields check_given check_start has_odd is_map_of is_number not_one_source unknown_word",
    "..nodes.next_request": "NextRequestMixin",
    "..nodes.node": "CustomToolCallMixin NO_ITEMS Node ToolCallMixin new_node set_class mutable_twin",
    "..nodes.plain": "begins_as_said form_of given_names is_blank is_usual_call is_usual_result kind_of_reasoning "
    "request_given request_turns",
    "..typed": "TYPE_CHECKING Any Callable Iterable Mapping TypeAlias",
    "..wire_json.kinds": "class_of",
}


def importable(modules: Iterable[Module]) -> dict[str, list[str]]:
    """Return the importable names beside these classes: module path as written in an import -> names."""
    written = {place: names.split() for place, names in _WRITTEN.items()}
    return written | {f".{module.name}": names_of(module) for module in modules}


def names_of(module: Module) -> list[str]:
    """Return all names that a module defines."""
    empty = [node.declaration.empty for node in module.nodes]
    constants = [field.declaration.constant for node in module.nodes for field in node.fields]
    names = [*module.before, *module.after, *(node.name for node in module.nodes)]
    return [*names, *filter(None, (*empty, *constants))]
