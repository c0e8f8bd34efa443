"""What a module of the neutral model may import: all that is there; what it does not use is left out later."""

from __future__ import annotations

from collections.abc import Iterable

from ...neutral.node_classes import Module

# hand-written module of the runtime -> what constructors call, and names for annotations
_WRITTEN = {
    "..nodes.coercion": "as_instructions as_messages as_names as_parts as_schema as_texts as_tools as_tuple",
    "..nodes.checks": "check_fields check_given check_start has_odd is_map_of is_number not_one_source unknown_word",
    "..nodes.arguments": "ToolCallMixin",
    "..nodes.next_request": "NextRequestMixin",
    "..nodes.node": "NO_ITEMS Node set_class mutable_twin",
    "..nodes.plain": "form_of given_names is_blank is_usual_call is_usual_result kind_of_reasoning request_given",
    "..typed": "Any Callable Iterable Mapping TypeAlias",
    "..wire_json.kinds": "class_of",
}


def importable(modules: Iterable[Module]) -> dict[str, list[str]]:
    """Give what is there beside these modules of classes: place, as a module of the model writes it -> names."""
    written = {place: names.split() for place, names in _WRITTEN.items()}
    return written | {f".{module.name}": names_of(module) for module in modules}


def names_of(module: Module) -> list[str]:
    """Give all names that a module defines."""
    empty = [node.declaration.empty for node in module.nodes]
    constants = [field.declaration.constant for node in module.nodes for field in node.fields]
    names = [*module.before, *module.after, *(node.name for node in module.nodes)]
    return [*names, *filter(None, (*empty, *constants))]
