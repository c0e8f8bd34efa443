"""Templates of a prompt: a conversation as one text under a key of the body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..problems import quote
from ..spec.nodes import Path
from ..spec.notation import Notation
from ..spec.schema import PromptTemplateSpec
from ..spec.shapes import ConstantShape, Hole, Object
from .wire import WireModel

# where the text of a message stands in its template
TEXT_HOLE = "${text}"
ROLES = ("system", "user", "assistant")


def split_turns(template: PromptTemplateSpec) -> dict[str, str]:
    """Return the role -> the text of a message, with the hole in it, for all roles of a template."""
    texts = {"system": template.system, "user": template.user, "assistant": template.assistant}
    return {role: text for role, text in texts.items() if text is not None}


def is_unmarked(template: PromptTemplateSpec) -> bool:
    """Return whether the prompt is the text of the user's only message, as it is."""
    return split_turns(template) == {"user": TEXT_HOLE} and not (
        template.begin or template.end or template.models
    )


def check_prompt(model: WireModel, notation: Notation) -> None:
    """Reject templates that reading could not recognise, and shapes that are more than one text."""
    for place, message, hint in (*_find_template_problems(model), *_find_shape_problems(model)):
        notation.report(place, "bad-prompt", message, hint)


def _find_template_problems(model: WireModel) -> Iterator[tuple[Path, str, str]]:
    settings = model.transport.settings.values()
    names_model = "model" in model.body.carried or any(setting.stands_for for setting in settings)
    for index, template in enumerate(model.prompt):
        place: Path = ("prompt", index)
        if template.models and not names_model:
            hint = "write model: $model in the body, ${model} in the URL, or a setting with stands_for: model"
            yield (*place, "models"), "a request has no place for the model that chooses this template", hint
        for role, text in split_turns(template).items():
            if text.count(TEXT_HOLE) != 1 or "$" in text.replace(TEXT_HOLE, ""):
                hint = f"write {TEXT_HOLE} in it, once and alone"
                yield (*place, role), f"the message of {role} has no text, or more than one hole", hint
            elif role not in model.messages:
                hint = f"write messages: {{{role}: {{role: {role}, content: $content|join}}}}"
                yield (*place, role), f"messages has no shape of {quote(role)}", hint
        around = [template.begin, template.end, *split_turns(template).values()]
        if "".join(around[:3]).replace(TEXT_HOLE, ""):
            pass
        elif len(model.prompt) > 1 or not is_unmarked(template):
            message = "every text has this form, so reading could not recognise it"
            hint = 'write marks, or user: "${text}" alone where the prompt is the only message of the user'
            yield place, message, hint
        marks = [turn.partition(TEXT_HOLE) for turn in (template.user, template.assistant or TEXT_HOLE)]
        if template.assistant is not None and not (marks[0][2] + marks[1][0] and marks[1][2] + marks[0][0]):
            hint = "write the marks between user and assistant"
            yield (*place, "assistant"), "nothing separates the messages of user and assistant", hint


def _find_shape_problems(model: WireModel) -> Iterator[tuple[Path, str, str]]:
    body = model.body
    if body.last or body.results is not None or body.messages.aliases:
        yield (
            ("body",),
            "the prompt is one text, and the body has more places of messages",
            "write key: $messages",
        )
    beside = {entry.shape.holes[0].path[1] for entry in body.beside}
    # where no template has the assistant, its shape is that of answers
    written = {role for template in model.prompt for role in split_turns(template)}
    messages = {
        role: shape for role, shape in model.messages.items() if role != "assistant" or role in written
    }
    held = {slot for shape in messages.values() for slot, _ in shape.slots}
    for slot in model.slots:
        if (
            slot != "content"
            and slot in held | beside
            and (slot not in beside or model.slots[slot] != "list")
        ):
            message = f"the prompt is one text, and {quote(slot)} has no key beside it"
            yield ("slots", slot), message, f"write {slot}: list, and {slot}?: $messages.{slot} in the body"
    for entry in body.beside:
        if not entry.optional or entry.aliases:
            message = f"{quote(entry.key)} stands beside the prompt where a message has such content"
            yield ("body", entry.key), message, f"write {entry.key}?: ${entry.shape.holes[0].name}"
    for part in model.parts:
        if part.standalone:
            message = f"the prompt is one text, and {quote(part.key)} is an item of its own"
            yield ("parts", part.key), message, "leave it out"
    key = model.find_content_key("user")
    for role, shape in messages.items():
        slots = {slot_key.key: slot for slot, slot_key in shape.slots if slot in beside}
        others = [field for field in shape.shape.fields if field.key not in slots or not field.optional]
        if not _is_text(replace(shape.shape, fields=tuple(others)), model.speaker, key):
            hint = f"write {{{model.speaker}: {role}, {key}: $content|join}}"
            yield ("messages", role), "a message of a prompt is a role and a text", hint


def _is_text(shape: Object, speaker: str, content: str) -> bool:
    """Return whether a message is `{role: word, content: $content|join}`."""
    fields = {entry.key: entry.shape for entry in shape.required}
    text = fields.get(content)
    is_joined = isinstance(text, Hole) and [used.name for used in text.filters] == ["join"]
    constant = isinstance(fields.get(speaker), ConstantShape)
    return is_joined and constant and len(shape.fields) == 2 and shape.extra_keys is None
