"""The modules of one wire: builder, facts, types, writing and reading, each as the context of its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from jinja2 import Environment

from ..model.offers import ShapeFilter
from ..model.wire import WireModel
from ..problems import Span, SpecError, SpecProblem, quote
from ..spec.wire_rules import IN_MESSAGES
from .answers import AnswerModules
from .docs import list_carried_fields
from .imports import import_for_shapes, make_import
from .read.reading_module import ReadingModules
from .types import TypesModules
from .wire.rules_module import RuleModules
from .wire.wire_module import has_own_clients, list_settings, make_wire_context
from .write.body import switches_key
from .write.writing_module import WritingModules

Context: TypeAlias = Mapping[str, Any]


class WireModules:
    """The emitters of the modules of all wires."""

    def __init__(self, filters: Mapping[str, ShapeFilter], jinja: Environment) -> None:
        """`filters` are those that shapes may name."""
        self._filters = filters
        self._writing = WritingModules(filters, jinja)
        self._reading = ReadingModules(filters, jinja, self._find_writers)
        self._types = TypesModules(filters, jinja)
        self._answers = AnswerModules(jinja)
        self.rules = RuleModules(jinja)

    def _find_writers(self, wire: WireModel) -> str:
        """Return the wire whose module defines all that writes a wire."""
        return self._writing.get_text(wire).origins["WRITERS"]

    def make_contexts(self, model: WireModel) -> dict[str, Callable[[], Context]]:
        """Return a function for each module of one wire that makes the context of its template."""
        writers, imports = self._writing.get_text(model), import_for_shapes(model, self._filters)
        functions = [*[each.name for each in writers.definitions], *self._reading.list_names(model)]
        _check_unique([*functions, *imports], model)
        _check_unique([definition.name for definition in self._types.get_text(model).definitions], model)
        return {
            "__init__": lambda: {
                **_make_builder_context(model),
                "answers": self._answers.find_home(model),
                "writers": writers.group_by_wire(("WRITERS", "write_body")),
            },
            "answers": lambda: self._answers.make_context(model),
            "clients": dict,
            "rules": lambda: self.rules.make_context(model),
            "wire": lambda: make_wire_context(model, self._filters, self.rules),
            "types": lambda: self._types.make_context(model),
            "writing": lambda: {**self._writing.make_context(model), "imports": imports.values()},
            "reading": lambda: {**self._reading.make_context(model), "imports": imports.values()},
        }

    def is_spared(self, model: WireModel, module: str) -> bool:
        """Return whether a module would be empty, or would only repeat its parent's."""
        if module == "answers":
            return model.answer is None or self._answers.find_home(model) != model.name
        if module == "rules":
            return self.rules.find_home(model) != model.name
        return module == "clients" and not (model.clients and has_own_clients(model))


def _find_renames(model: WireModel) -> str:
    """Return when rules rename keys of the body: "always", only for a request that was "read", or "" for never."""
    keys = {entry.key for entry in model.body.shape.fields}
    keys |= {IN_MESSAGES + entry.key for message in model.messages.values() for entry in message.shape.fields}
    pairs = [pair for rule in model.rules for pair in rule.rename.items() if switches_key(*pair)]
    return "" if not pairs else "always" if any(key in keys for key, _ in pairs) else "read"


def _make_builder_context(model: WireModel) -> dict[str, Any]:
    functions = {step.name: step.function for step in model.passes if step.function is not None}
    return {
        "renames": _find_renames(model),
        "moves": any(not switches_key(*pair) for rule in model.rules for pair in rule.rename.items()),
        "build_doc": _build_doc(model),
        "functions": _list_functions(model),
        "imports": [make_import(function, f"pass_{name}") for name, function in functions.items()],
        "steps": [(name, f"pass_{name}") for name in functions],
    }


def _list_functions(model: WireModel) -> list[str]:
    """Return the functions of the package except `build`, in alphabetical order."""
    functions = ["check", "explain", "read", "supports"]
    if model.answer is not None:
        functions += ["read_answer", "read_error", "stream", "write_answer", "write_error"]
    if model.stream is not None and model.stream.write is not None:
        functions.append("write_stream")
    return sorted(functions)


def _check_unique(names: Iterable[str], model: WireModel) -> None:
    """Raise SpecError for two functions or types of one name, of which the second would replace the first."""
    for name, number in Counter(names).items():
        if number > 1:
            message = f"two shapes, kinds or slots would both give {quote(name)} in the generated module"
            raise SpecError(
                [SpecProblem(Span(model.file, 1, 1, 1), "same-name", message, "rename one of them")]
            )


def _build_doc(model: WireModel) -> str:
    settings = ", ".join(list_settings(model))
    edits = [f"    passes    {step.name}: {step.title}\n" for step in model.steps]
    if model.dialect is not None:
        edits.append(f"    schemas   {model.dialect.name}: {model.dialect.title}\n")
    return (
        f"Build the exact request for {model.title}.\n\n"
        f"{list_carried_fields(model)}"
        f"    settings  {settings}\n"
        f"{''.join(edits)}"
        "    policies  a `Policies`, a preset (`strict`, `portable`, `lenient`, `verbatim`), or choices\n"
        "\n    The body is a new dict, but large JSON values (schemas, arguments, results, citations, elements,\n"
        "    extra) are shared with the request. Deep-copy the body before mutating it.\n\n"
        "    Raises RequestError (MissingField, NoPlace, Refused, InvalidRequest), SettingError or PolicyError.\n    "
    )
