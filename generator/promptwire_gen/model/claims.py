"""Check that a spec's capability sections agree with its shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..problems import did_you_mean, quote
from ..spec.notation import Notation
from ..spec.pages import is_same_spec
from ..spec.shapes import ConstantShape, Hole, Listing, Object, Shape
from .continuing import check_server
from .message_places import check_places
from .neutral import DOTTED, OPTIONS, REQUEST, RESPONSE_FORMAT, TOOL_CHOICE_MODES
from .tool_formats import TOOL_FORMATS, describe_form, find_difference, format_of
from .wire import MessageShape, WireModel


def check_capabilities(model: WireModel, notation: Notation, broken: Collection[str] = ()) -> None:
    """Compare the sections instructions, continuation, tools, slots and flat_items with the shapes.

    Checks that depend on a section in `broken`, which has problems of its own, are skipped.
    """
    if "body" not in broken:
        _check_placement(model, notation)
        if "continuation" not in broken:
            check_server(model, notation)
    if "messages" not in broken:
        _check_roles(model, notation)
        _check_slots(model, notation)
    if not {"messages", "parts"} & set(broken):
        _check_joined(model, notation)
        check_merging(model, notation)
        check_first_message(model, notation)
        if "body" not in broken:
            check_places(model, notation)
    if not {"unions", "body", "parts"} & set(broken):
        _check_unions(model, notation)
        _check_dialect(model, notation)
        _check_format(model, notation)
    _check_tools(model, notation)
    _check_deferral(model, notation)
    _check_items(model, notation)


def _check_placement(model: WireModel, notation: Notation) -> None:
    instructions = model.instructions
    entries = [
        entry
        for entry in model.body.shape.fields
        if any(hole.path == ("instructions",) for hole in entry.shape.holes)
    ]
    place = ("instructions", "placement")
    if instructions.placement == "top_level":
        if not entries:
            hint = f"write {instructions.field or 'system'}?: $instructions in body"
            notation.report(
                place, "capability", "placement is top_level, but the body has no $instructions", hint
            )
        elif instructions.field is not None and instructions.field not in [entry.key for entry in entries]:
            message = (
                f"field is {quote(instructions.field)}, but $instructions stands in {quote(entries[0].key)}"
            )
            hint = f"write field: {entries[0].key}"
            notation.report(("instructions", "field"), "capability", message, hint)
    elif entries:
        claim = (
            f"placement is {instructions.placement}" if instructions.placement else "there is no placement"
        )
        message = f"{claim}, but the body holds $instructions in {quote(entries[0].key)}"
        notation.report(place, "capability", message, "write placement: top_level")


def _check_unions(model: WireModel, notation: Notation) -> None:
    """Reject a hole of a union without shapes, and several instruction layers without a shape for one."""
    missing = {union for union, variants in model.unions.items() if not variants}
    for hole, union in _find_union_holes(model):
        if union in missing:
            missing.discard(union)
            message = f"{quote(f'${hole.name}')} stands here, but unions.{union} has no shape"
            notation.report(
                hole.span, "capability", message, f"write unions.{union}.{_FIRST_KIND.get(union, 'kind')}"
            )
    instructions = model.instructions
    if "instruction" in missing and (
        instructions.several in ("blocks", "parts")
        or (instructions.placement == "first_message" and instructions.several != "join")
    ):
        place = ("instructions", "several" if instructions.several else "placement")
        claim = (
            f"several is {instructions.several}"
            if instructions.several
            else f"placement is {instructions.placement}"
        )
        message = f"{claim}, but no shape says how a layer of the instructions is written"
        notation.report(place, "capability", message, "write unions.instruction.layer")


def _find_union_holes(model: WireModel) -> Iterator[tuple[Hole, str]]:
    """Yield every hole in the shapes of a union, with the name of the union."""
    for hole in model.body.shape.holes:
        if (
            len(hole.path) == 1
            and hole.path[0] in _UNION_OF
            and not (hole.path[0] == "instructions" and hole.filters)
        ):
            yield hole, _UNION_OF[hole.path[0]]
    for variant in model.variants:
        for hole in variant.shape.holes:
            declared = variant.kind.fields.get(hole.path[0])
            if declared is not None and declared.type in ("cache", "tools"):
                yield hole, _UNION_OF[declared.type]


_UNION_OF = {
    "instructions": "instruction",
    "tools": "tool",
    "tool_choice": "tool_choice",
    "response_format": "response_format",
    "reasoning": "reasoning",
    "cache": "cache",
}
_FIRST_KIND = {"instruction": "layer", "tool": "function", "tool_choice": "auto", "cache": "mark"}


def _check_roles(model: WireModel, notation: Notation) -> None:
    instructions = model.instructions
    if instructions.placement == "first_message" and instructions.role is None:
        message = "placement is first_message, but no role says whose"
        notation.report(("instructions", "placement"), "capability", message, "write role: system")
    elif instructions.placement == "first_message" and instructions.role not in model.messages:
        message = f"role is {quote(str(instructions.role))}, but messages has no shape for it"
        hint = f"write messages.{instructions.role}"
        notation.report(("instructions", "role"), "capability", message, hint)
    if instructions.mid_conversation == "native" and not {"system", "developer"} & set(model.messages):
        message = "mid_conversation is native, but no message shape is system or developer"
        place = ("instructions", "mid_conversation")
        notation.report(place, "capability", message, "write messages.system")
    if "user" not in model.messages or "assistant" not in model.messages:
        message = "messages needs a shape for user and one for assistant"
        notation.report(("messages",), "capability", message, at_key=True)


def _check_dialect(model: WireModel, notation: Notation) -> None:
    functions = [variant for variant in model.unions["tool"] if variant.mode == "function"]
    if model.dialect is not None and not any("parameters" in variant.carried for variant in functions):
        message = (
            f"tools.dialect is {quote(model.dialect.name)}, but no shape of a function writes $parameters"
        )
        hint = "add unions.tool.function, or leave the dialect out"
        notation.report(("tools", "dialect"), "capability", message, hint)


def _check_format(model: WireModel, notation: Notation) -> None:
    """Compare the tool format with the shape of a function: its name, where its parameters stand, and its nesting."""
    claimed = model.tools.format if model.tools is not None else None
    functions = [each for each in model.unions["tool"] if each.mode == "function" and each.written]
    if claimed is None or not functions:
        return
    place, written = ("tools", "format"), functions[0]
    known = format_of(written.shape)
    if claimed in TOOL_FORMATS:
        difference = find_difference(TOOL_FORMATS[claimed], written.shape)
        if difference is not None:
            message = f"tools.format is {quote(claimed)}, but in unions.tool.{written.key} {difference}"
            form = f"write {written.key}: {describe_form(TOOL_FORMATS[claimed])}"
            instead = f"format: {known}" if known is not None else "a format with another name"
            notation.report(place, "capability", message, f"{form}, or {instead}")
    elif known is not None:
        message = (
            f"tools.format is {quote(claimed)}, but unions.tool.{written.key} has the form of {quote(known)}"
        )
        notation.report(place, "capability", message, f"write format: {known}")
    elif (hint := did_you_mean(claimed, TOOL_FORMATS)) is not None:
        notation.report(place, "capability", f"tools.format is {quote(claimed)}, which no API has", hint)


def _check_tools(model: WireModel, notation: Notation) -> None:
    claimed = model.tools.choice if model.tools is not None else ()
    shaped = {choice.mode: choice for choice in reversed(model.unions["tool_choice"])}
    for index, mode in enumerate(claimed):
        if mode not in shaped:
            hint = did_you_mean(mode, (set(TOOL_CHOICE_MODES) | set(shaped)) - set(claimed))
            hint = hint or f"add unions.tool_choice.{mode}, or leave it out here"
            message = f"tools.choice names {quote(mode)}, but no shape writes it"
            notation.report(("tools", "choice", index), "capability", message, hint)
    for mode, choice in shaped.items():
        if mode not in claimed:
            message = f"{quote(mode)} has a shape, but tools.choice lacks it"
            notation.report(choice.span, "capability", message, f"add {mode} to tools.choice")


def _check_deferral(model: WireModel, notation: Notation) -> None:
    if model.tools is None or model.tools.deferral is None:
        return
    tools = model.unions["tool"]
    place = ("tools", "deferral")
    if not any("deferred" in variant.carried for variant in tools if variant.mode == "function"):
        message = "tools.deferral is given, but no shape of a function writes $deferred"
        notation.report(place, "capability", message, "add it to unions.tool.function")
    if not any(variant.mode == "hosted" for variant in tools):
        message = "tools.deferral is given, but no shape writes the tool that searches"
        notation.report(place, "capability", message, "add unions.tool.hosted")


def _check_slots(model: WireModel, notation: Notation) -> None:
    names = {name for shape in model.messages.values() for name, _ in shape.slots}
    for name in model.slots:
        if name not in names:
            message, hint = f"no message holds the slot {quote(name)}", f"write {name}?: ${name} in a message"
            notation.report(("slots", name), "capability", message, hint, at_key=True)


def _check_joined(model: WireModel, notation: Notation) -> None:
    """Reject parts that are not text if content is joined into one text."""
    roles = [
        role for role, shape in model.messages.items() if any(_joins(entry.shape) for _, entry in shape.slots)
    ]
    results = [part for part in model.parts if part.mode.endswith("tool_result") and _joins(part.shape)]
    for part in model.parts:
        landing = part.slot == "content" and isinstance(part.shape, (Object, Listing))
        meets = [role for role in (*roles, *(["tool"] if results else [])) if part.serves(role)]
        if landing and meets:
            article = "an" if meets[0] == "assistant" else "a"
            message = f"{quote(part.key)} is no text, but content is joined in {article} {meets[0]} message"
            hint = f"write {part.mode}: $text" if part.mode == "text" else "give it a slot of its own"
            notation.report(part.span, "capability", message, hint)


def _joins(shape: Shape) -> bool:
    return any(
        hole.path == ("content",) and "join" in (filter_.name for filter_ in hole.filters)
        for hole in shape.holes
    )


def _check_items(model: WireModel, notation: Notation) -> None:
    for part in model.parts:
        if part.slot == "messages" and not model.flat_items:
            hint = "write flat_items: true at the top"
            notation.report(
                part.span, "capability", "an item of its own needs a wire with flat_items: true", hint
            )


def check_first_message(model: WireModel, notation: Notation) -> None:
    """Reject a first message of instructions that has more than a role and its content."""
    if model.instructions.placement != "first_message":
        return
    assigned = [rule.set["instructions.role"] for rule in model.rules if "instructions.role" in rule.set]
    listed = model.lists_instructions
    speakers = [model.instructions.speaker, *map(str, assigned), *(("system", "developer") if listed else ())]
    speaker, key = model.speaker, model.find_content_key(model.instructions.speaker)
    for role in dict.fromkeys(speakers):
        message = model.messages.get(role)
        if message is not None and not _is_role_and_content(message, speaker, key, listed=listed):
            word = message.wire_role
            shown = f"{{{speaker}: {word}, {key}: ...}}"
            text = f"instructions are written as {shown}, and messages.{role} is another shape"
            content = '"$content[]"' if listed else "$content"
            hint = f"write {role}: {{{speaker}: {word}, {key}: {content}}}, further keys with ?"
            notation.report(message.span, "capability", text, hint)


def _is_role_and_content(message: MessageShape, speaker: str, key: str, *, listed: bool) -> bool:
    entries = {entry.key: entry.shape for entry in message.shape.required}
    content = entries.get(key)
    if set(entries) != {speaker, key} or not isinstance(entries[speaker], ConstantShape):
        return False
    return isinstance(content, Hole) and content.path == ("content",) and content.listed is listed


def check_merging(model: WireModel, notation: Notation) -> None:
    """Reject merging if content is under several keys, or if a text element is not just its type and text."""
    if not model.merges:
        return
    holes = {
        entry.key: hole
        for message in model.messages.values()
        for entry in message.shape.fields
        for hole in entry.shape.holes
        if hole.path == ("content",)
    }
    place = ("passes", 0)
    if len(holes) > 1:
        keys = " and ".join(map(quote, holes))
        message = f"messages are joined under one key, and their content stands under {keys}"
        notation.report(place, "capability", message, "write one key for all roles, or leave out passes")
    bare = [hole for hole in holes.values() if not hole.listed]
    if bare and (any(hole.filters for hole in bare) or not _has_typed_text(model)):
        message = "messages are joined as lists, and text alone is no {type: ..., text: $text} in them"
        notation.report(place, "capability", message, 'write content: "$content[]", or leave out passes')


def _has_typed_text(model: WireModel) -> bool:
    """Return whether text in a list is an object with its type and the text."""
    texts = [
        part for part in model.parts if part.mode == "text" and part.for_plain and part.slot == "content"
    ]
    for part in texts:
        entries = part.shape.required if isinstance(part.shape, Object) else ()
        needed = {entry.key: entry.shape for entry in entries}
        text, kind = needed.pop("text", None), needed.pop("type", None)
        if needed or not isinstance(kind, ConstantShape) or not (isinstance(text, Hole) and not text.filters):
            return False
    return True


_PLAIN = frozenset({"int", "number", "bool", "str"})
_FIELDS = {name: field for name, field in (*OPTIONS.items(), *REQUEST.items()) if field.type in _PLAIN}
_INNER = {
    f"{head}.{name}": field
    for head, kind in (*DOTTED.items(), ("response_format", RESPONSE_FORMAT))
    for name, field in kind.fields.items()
    if field.type in _PLAIN and head != "continuation"
}


def check_defaults(model: WireModel, notation: Notation) -> None:
    """Check that each is a field with a single plain value, and that the body has no place for it."""
    fields, carried = {**_FIELDS, **_INNER}, model.body.carried | model.body.carried_options
    for name in model.defaults:
        place = ("defaults", name)
        if name not in fields:
            hint = (
                did_you_mean(name, fields)
                or "write a field of the request, such as n or response_format.strict"
            )
            message = f"{quote(name)} is not a field with one plain value"
            notation.report(place, "unknown-field", message, hint, at_key=True)
        elif name in carried and is_same_spec(notation.find_file(place), model.file):
            message = f"the body has a place for {quote(name)}: what is given is sent"
            notation.report(place, "has-place", message, "leave it out here, or in body", at_key=True)
