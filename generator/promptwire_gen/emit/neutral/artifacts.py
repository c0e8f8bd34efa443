"""The files of the runtime's node classes: one module for each file of the neutral model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...neutral.node_classes import Module, NeutralModel
from ...neutral.source import neutral_model
from ..artifact import MODEL, Artifact
from .views import class_views, constructor_fields, imported, property_call, words_of

_MODULE, _PACKAGE, _FIELDS = "neutral/module.py.j2", "neutral/package.py.j2", "neutral/fields.py.j2"
_KINDS = "neutral/kind_words.py.j2"
_SOURCES = "generator/promptwire_gen/neutral"


def model_artifacts() -> Iterator[Artifact]:
    """Give a module of classes for each file, the package itself, and what type checkers know of its fields."""
    model = neutral_model()
    yield Artifact(
        path=f"{MODEL}__init__.py", template=_PACKAGE, context={"sources": _sources("*", _PACKAGE)}
    )
    for module in model.modules:
        yield Artifact(
            path=f"{MODEL}{module.name}.py", template=_MODULE, context=partial(_module, module, model)
        )
    yield Artifact(path=f"{MODEL}named_fields.py", template=_FIELDS, context=partial(_fields, model))
    yield Artifact(path=f"{MODEL}kind_words.py", template=_KINDS, context=partial(_kinds, model))


def _sources(file: str, template: str) -> tuple[str, ...]:
    return f"{_SOURCES}/{file}.yaml", f"templates/{template}"


def _module(module: Module, model: NeutralModel) -> dict[str, Any]:
    classes = class_views(module)
    words = [word for view in classes for word in words_of(view)]
    words += [*module.before.values(), *module.after.values()]
    words += ["TypeAlias"] if module.before or module.after else []
    calls = {
        prop.call: property_call(prop.call) for view in classes for prop in view.node.properties.values()
    }
    return {
        "sources": _sources(module.name, _MODULE),
        "module": module,
        "classes": classes,
        "imports": imported(module, model, words),
        "calls": calls,
    }


def _fields(model: NeutralModel) -> dict[str, Any]:
    classes = [(node, constructor_fields(node)) for node in model.nodes.values() if node.declaration.kind]
    titled = [(node, rows) for node, rows in classes if rows]
    words = [annotation for _, rows in titled for _, annotation in rows]
    return {
        "sources": _sources("*", _FIELDS),
        "classes": titled,
        "imports": imported(Module("", "", {}, {}, ()), model, words),
    }


def _kinds(model: NeutralModel) -> dict[str, Any]:
    parts = [node for node in model.nodes.values() if node.declaration.base == "Part"]
    tools = [*model.listed("tools"), model.nodes["Opaque"]]
    fields = [field for node in model.nodes.values() for field in node.fields]
    words = ["Part", *(node.name for node in (*parts, *tools))]
    return {
        "sources": _sources("*", _KINDS),
        "parts": parts,
        "tools": tools,
        "called": {field.name: field.called for field in fields if field.called != field.name},
        "imports": imported(Module("", "", {}, {}, ()), model, words),
    }
