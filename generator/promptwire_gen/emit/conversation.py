"""The function that writes instructions as the first messages."""

from __future__ import annotations

from ..model.wire import WireModel
from .function import Function
from .places import Place
from .python import Statement, code, frozen_words, literal


def write_instructions(model: WireModel, place: Place) -> Function:
    """The function that writes instructions as the first messages."""
    place.imports.use("promptwire_runtime.build.instructions", "runs_of_role")
    place.imports.use("promptwire_runtime", "Instruction")
    header = (
        "def write_instructions(given: tuple[Instruction, ...], build: BuildContext, out: list[Any], "
        "role: str | None) -> None:"
    )
    spoken = code(literal(model.instructions.role))
    known = code(frozen_words(sorted(set(model.messages) & {"system", "developer"})))
    layers = "[build.writers.layer(layer, build) for layer in layers]"
    block: list[Statement] = [
        "short = len(layers) == 1 and layers[0].plain",
        f'out.append({{"role": own, "content": layers[0].text if short else {layers}}})',
    ]
    if model.instructions.several == "join":
        place.imports.use("promptwire_runtime.build.instructions", "texts_of_layers")
        place.imports.use("promptwire_runtime.build.shape_filters", "write_join")
        texts = "write_join(texts_of_layers(tuple(layers), build))"
        block = [f'out.append({{"role": own, "content": {texts}}})']
    body: list[Statement] = [
        (f"for own, layers in runs_of_role(given, role or {spoken}, {known}, build):", block)
    ]
    return Function(
        header, "Write layers of instructions as the first messages, one for each run of a role.", body
    )
