"""Names that a module of the neutral model may import; unused imports are removed later."""

from __future__ import annotations

from collections.abc import Iterable

from ...neutral.node_classes import Module

# hand-written runtime module -> the names that constructors and annotations use
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
    """Return the importable names beside these classes: module path as written in an import -> names."""
    written = {place: names.split() for place, names in _WRITTEN.items()}
    return written | {f".{module.name}": names_of(module) for module in modules}


def names_of(module: Module) -> list[str]:
    """Return all names that a module defines."""
    empty = [node.declaration.empty for node in module.nodes]
    constants = [field.declaration.constant for node in module.nodes for field in node.fields]
    names = [*module.before, *module.after, *(node.name for node in module.nodes)]
    return [*names, *filter(None, (*empty, *constants))]
