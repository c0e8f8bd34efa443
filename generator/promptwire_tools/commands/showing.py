"""The commands that show and format specs: `gen show` and `gen fmt`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import DIFFERENT, FINE, WRONG, fail
from promptwire_cli.options import Format
from promptwire_gen.cli.compiled import exit_on_problems, print_problems
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_gen.problems import Span
    from promptwire_gen.spec.nodes import Node

    from ..effective import Effective

_COLUMN = 78
# sections, other than `examples`, that contain examples
_WITH_EXAMPLES = ("answer", "stream")


@answered
def show(
    wire: Annotated[str, typer.Argument(metavar="WIRE", show_default=False, help="Its name: xai_chat.")],
    sections: Annotated[
        list[str] | None, typer.Argument(metavar="[SECTION]...", help="Only these: body, rules.")
    ] = None,
    examples: Annotated[bool, typer.Option("--examples", help="With all examples.")] = False,
) -> int:
    """Show a complete spec, with the place of each line.

    Sections inherited from the specs that it extends are included; the spec's own lines are marked with *. The output
    is itself a valid spec. With --examples, examples are included.
    """
    from promptwire_gen.layout import find_layout
    from promptwire_gen.plugins import PluginError, find_plugins, plugin_calls
    from promptwire_gen.problems import SpecError, did_you_mean, quote
    from promptwire_gen.spec.pages import find_files_of_wires
    from promptwire_text.words import names_meant

    from ..effective import merge_chain

    layout = find_layout()
    try:
        sources = layout.read_specs(plugin_calls.list_spec_folders(find_plugins()))
    except PluginError as error:
        return fail(f"gen: {error}")
    names = find_files_of_wires(sources)
    if wire not in names:
        hint = names_meant(wire, names) or f"the wires are {', '.join(names)}"
        return fail(f"gen: {quote(wire)} is not a wire: {hint}")
    try:
        found = merge_chain(wire, sources, names)
    except SpecError as error:
        print_problems(error.problems, sources, Format.TEXT)
        return WRONG
    known = [str(key.value) for key, _ in found.tree.entries]
    for section in sections or ():
        if section not in known:
            hint = did_you_mean(section, known) or f"its sections are {', '.join(known)}"
            return fail(f"gen: {wire} has no section {quote(section)}: {hint}")
    chosen = sections or [name for name in known if examples or name != "examples"]
    for line in _lines(found, chosen, examples=examples or bool(sections)):
        typer.echo(line)
    return FINE


def _lines(found: Effective, sections: list[str], *, examples: bool) -> Iterator[str]:
    """Yield the sections, each line with its place, and what the chain removes from them."""
    from promptwire_gen.spec.nodes import Table

    from ..yaml_text import Printer

    wire, *above = found.chain
    if above:
        yield f"# {wire}, which extends {', which extends '.join(above)}; lines with * are its own"
    previous = 0
    for key, value in found.tree.entries:
        if key.value not in sections:
            continue
        shown = value if examples else _without_examples(str(key.value), value)
        lines = list(Printer(_COLUMN - 2, _is_of_one_file).lines(Table(((key, shown),), key.span)))
        if previous > 1 or (previous and len(lines) > 1):
            yield ""
        previous = len(lines)
        for line in lines:
            yield f"{line.text:<{_COLUMN}} {_dim('# ' + _place(line.span, found))}"
    removed = [row for row in found.removed.items() if row[0][0] in sections]
    if removed:
        yield ""
        yield _dim("# not taken over:")
    for path, span in removed:
        yield _dim(f"{'#   ' + '.'.join(path):<{_COLUMN}} # {_place(span, found)}")


def _is_of_one_file(node: Node, span: Span) -> bool:
    """Return whether all that a collection holds is from the file of its key, so that one place is enough."""
    from promptwire_gen.spec.nodes import Scalar

    from ..yaml_text import nodes_in

    return all(inner.span.file == span.file for inner in nodes_in(node) if isinstance(inner, Scalar))


def _without_examples(section: str, node: Node) -> Node:
    from promptwire_gen.spec.nodes import Table

    if section not in _WITH_EXAMPLES or not isinstance(node, Table):
        return node
    return Table(tuple([entry for entry in node.entries if entry[0].value != "examples"]), node.span)


def _place(span: Span, found: Effective) -> str:
    place = f"{span.file.removeprefix('provider_specs/')}:{span.line}"
    if len(found.chain) == 1:
        return place
    return f"{'*' if span.file in found.own else ' '} {place}"


def _dim(text: str) -> str:
    return typer.style(text, dim=True)


@answered
def fmt(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")
    ] = False,
) -> int:
    """Format the specs of the project.

    Writes facts and rules in block style, one claim a line, with the claim before its proof. Shapes and examples keep
    their flow style where it fits on the line. Old words are replaced by those that they were renamed to. Values,
    comments and their order stay as they are.
    """
    from promptwire_gen.layout import find_layout
    from promptwire_text.files import replacing

    from ..formatting import format_changed

    layout = find_layout()
    files = layout.find_spec_files()
    sources = {file: text for file, text in layout.read_specs().items() if file in files}
    with exit_on_problems(layout, Format.TEXT, sources):
        changed = format_changed(sources)
    for file, text in changed.items():
        if not check:
            with replacing(files[file]) as stream:
                stream.write(text.encode())
        typer.echo(f"{'unformatted' if check else 'formatted'} {file}")
    advice = ": run gen fmt" if changed else ""
    typer.echo(f"{len(changed)} of {len(files)} files {f'would change{advice}' if check else 'changed'}")
    return DIFFERENT if check and changed else FINE
