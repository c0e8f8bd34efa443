"""The plugin: one of everything that a plugin may add. Only the compiler imports this module."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from promptwire_gen.plugin_api import (
    Artifact,
    Pass,
    Plugin,
    Project,
    SchemaDialect,
    ShapeFilter,
    Span,
    SpecProblem,
    WireModel,
)

HERE = Path(__file__).resolve().parent
TEMPLATE = "wordcount.txt.j2"
LONGEST_TITLE = 8


class WordCount(Plugin):
    """`words/<wire>.txt` counts the words of one wire's title and examples; `words/all.txt` sums them up."""

    name = "wordcount"

    def spec_folders(self) -> Iterable[Path]:
        """Bring the wire `poem_chat`."""
        return (HERE / "specs",)

    def template_folders(self) -> Iterable[Path]:
        """Bring the template of the target."""
        return (HERE / "templates",)

    def filters(self) -> Iterable[ShapeFilter]:
        """Bring `lines`: a list of texts as one text, a line each."""
        functions = "wordcount_plugin.lines"
        return (ShapeFilter("lines", f"{functions}:write_lines", f"{functions}:read_lines"),)

    def passes(self) -> Iterable[Pass]:
        """Bring `capitals`: verses begin with a capital."""
        return (Pass("capitals", "wordcount_plugin.steps:capitals", "verses begin with a capital"),)

    def dialects(self) -> Iterable[SchemaDialect]:
        """Bring `plain`: no property has a default."""
        return (SchemaDialect("plain", "wordcount_plugin.steps:plain", "properties without a default"),)

    def check(self, project: Project) -> Iterable[SpecProblem]:
        """Refuse a title that is too long for the table."""
        for wire in project.wires:
            words = len(wire.title.split())
            if words > LONGEST_TITLE:
                message = f"the title has {words} words, more than {LONGEST_TITLE}"
                yield SpecProblem(Span(wire.file, 1, 1, 1), "long-title", message, "shorten it")

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """One file a wire, and one about all."""
        counts = {wire.name: count(wire) for wire in project.wires}
        for wire in project.wires:
            yield self._artifact(wire.name, {wire.name: counts[wire.name]}, wire.file, wire.name)
        yield self._artifact("all", counts, "provider_specs", None)

    def _artifact(self, name: str, counts: dict[str, int], source: str, wire: str | None) -> Artifact:
        context = {"sources": (source, f"wordcount_plugin/templates/{TEMPLATE}"), "counts": counts}
        return Artifact(path=f"words/{name}.txt", template=TEMPLATE, context=context, wire=wire)


def count(wire: WireModel) -> int:
    """Count the words of a wire's title and of the names of its examples."""
    return len(" ".join([wire.title, *(example.name for example in wire.examples)]).split())
