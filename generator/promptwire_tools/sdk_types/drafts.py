"""Draft the sections of a spec from the kind of a request body; what the types do not say is marked to be settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic.alias_generators import to_snake

from promptwire_gen.model.neutral import OPTIONS

from .kinds import Kind, ListKind, RecordKey, RecordKind

# keys of bodies, in snake_case -> the hole that they hold on nearly every API
_HOLES: Mapping[str, str] = {
    "model": "model", "model_id": "model", "max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens",
    "max_new_tokens": "max_tokens", "max_tokens_to_sample": "max_tokens", "max_gen_len": "max_tokens",
    "max_token_count": "max_tokens", "maximum_tokens": "max_tokens", "stop_sequences": "stop", "k": "top_k",
    "p": "top_p", "random_seed": "seed", "stream": "stream", "num_generations": "n", "num_results": "n",
    "parallel_tool_calls": "tool_choice.parallel", "user": "user_id", "metadata": "metadata",
    "reasoning_effort": "reasoning.effort",
}  # fmt: skip
_LISTS = ("messages", "contents", "input", "chat_history")
_PROMPTS = ("prompt", "input_text", "inputs", "input", "text", "query", "message")
_ROLES = ("system", "user", "assistant")
_MODES = ("auto", "none", "required", "any")


@dataclass(slots=True)
class SpecDraft:
    """Lines of YAML for each section of a spec.

    body      keys of the body; the last one holds the messages
    unions    shapes of tools, tool choices and response formats
    messages, parts  shapes of messages and parts
    slots, choice    the slots of a message, and the modes of tool_choice
    prompt, system   whether the conversation is one text, and whether messages may be the system's
    tool_format   the format of the tools, if the compiler knows it
    max_tokens, model, place, content  keys that the example fills
    settle    what the types leave open, for the sections without lines of their own
    """

    body: list[str] = field(default_factory=list[str])
    messages: list[str] = field(default_factory=list[str])
    parts: list[str] = field(default_factory=list[str])
    unions: list[str] = field(default_factory=list[str])
    slots: str = "{content: list}"
    choice: str = "[]"
    tools: bool = False
    tool_format: str = ""
    prompt: bool = False
    system: bool = True
    max_tokens: str = ""
    model: str = ""
    place: str = "messages"
    content: str = "content"
    joined: bool = True
    settle: list[str] = field(default_factory=list[str])


def draft_of(body: RecordKind) -> SpecDraft:
    """Draft the sections of a spec whose body has these keys."""
    draft = SpecDraft()
    place = _place_of_messages(body.keys)
    taken: set[str] = set()
    for name, key in body.keys.items():
        if name != place:
            _add_key(draft, name, key, taken)
    if "model" not in taken:
        draft.settle.append("no key of the body names the model; where the URL does, it has ${model|segment}")
    if place is None:
        place = "messages"
        draft.body.append("# to settle: the types name no key that holds the conversation")
    _add_messages(draft, place, body.keys.get(place))
    return draft


def _place_of_messages(keys: Mapping[str, RecordKey]) -> str | None:
    lists = [name for name in _LISTS if name in keys and _records(keys[name])]
    lists += [name for name, key in keys.items() if any("role" in row.keys for row in _records(key))]
    prompts = [name for word in _PROMPTS for name in keys if to_snake(name) == word]
    return next(iter([*lists, *prompts]), None)


def _records(key: RecordKey) -> list[RecordKind]:
    """Return the records in the lists at a key."""
    return [
        row
        for each in key.kind
        if isinstance(each, ListKind)
        for row in each.kind
        if isinstance(row, RecordKind)
    ]


def _add_key(draft: SpecDraft, name: str, key: RecordKey, taken: set[str], indent: str = "") -> None:
    """Add a key of the body, or, with an indent, one of an object in it."""
    word = to_snake(name)
    hole = _hole(word)
    if not indent and _add_union(draft, name, word, key):
        return
    inner = [row for row in key.kind if isinstance(row, RecordKind)]
    known = [below for below in inner[0].keys if _hole(to_snake(below))] if inner else []
    if not indent and len(known) > 1:
        draft.body.append(f"{name}?:")
        for below, row in inner[0].keys.items():
            _add_key(draft, below, row, taken, "  ")
        return
    if hole is None or hole in taken or (hole == "tool_choice.parallel" and not draft.tools):
        if key.required:
            draft.body.append(
                f"{indent}# to settle: the API requires {name}; a request gives it as vendor option"
            )
        draft.body.append(f"{indent}{name}?: $vendor.{word}")
        return
    taken.add(hole)
    mark = "" if hole == "model" and key.required else "?"
    shape = f"${hole}"
    if hole == "stop" and not any(isinstance(row, ListKind) for row in key.kind):
        shape = "$stop|one"
        draft.body.append(
            f"{indent}# to settle: the types have one text here, so a request may have one stop text"
        )
    draft.body.append(f"{indent}{name}{mark}: {shape}")
    draft.max_tokens = name if hole == "max_tokens" and not indent else draft.max_tokens
    draft.model = name if hole == "model" else draft.model


def _hole(word: str) -> str | None:
    return _HOLES.get(word) or (word if word in OPTIONS else None)


def _add_union(draft: SpecDraft, name: str, word: str, key: RecordKey) -> bool:
    """Add tools, a tool choice or a response format; return whether their types are of a usual form."""
    match word:
        case "tools":
            return _add_tools(draft, name, key)
        case "tool_choice":
            return draft.tools and _add_choice(draft, name, key)
        case "response_format":
            return _add_formats(draft, name, key)
        case _:
            return False


# what is written around a function, the key of its parameters -> a format that the compiler knows
_FORMATS = {("type: function, ", "parameters"): "openai", ("", "input_schema"): "anthropic"}


def _add_tools(draft: SpecDraft, name: str, key: RecordKey) -> bool:
    for record in _records(key):
        inner = (
            [row for row in record.keys["function"].kind if isinstance(row, RecordKind)]
            if ("function" in record.keys)
            else []
        )
        function = inner[0] if inner else record
        schema = next(
            (key for key in ("parameters", "input_schema", "inputSchema") if key in function.keys), None
        )
        if "name" not in function.keys or schema is None:
            continue
        more = [f"{key}?: ${key}" for key in ("description", "strict") if key in function.keys]
        shape = ", ".join(["name: $name", *more, f"{schema}?: $parameters"])
        outer = "type: function, " if "type" in record.keys and inner else ""
        shape = f"{{{outer}function: {{{shape}}}}}" if inner else f"{{{shape}}}"
        draft.tool_format = _FORMATS.get((outer, schema), "")
        draft.unions += ["tool:", f"  function: {shape}"]
        draft.body.append(f"{name}?: $tools")
        draft.tools = True
        return True
    return False


def _add_choice(draft: SpecDraft, name: str, key: RecordKey) -> bool:
    words = [mode for mode in _MODES if mode in key.words or mode in _type_words(key.kind)]
    if "required" in words and "any" in words:
        words.remove("any")
    modes = {word: "required" if word == "any" else word for word in words}
    inside = {row: _words_of_type(row) for row in key.kind if isinstance(row, RecordKind)}
    named = any("function" in row.keys for row in inside)
    if not modes and not named:
        return False
    bare = bool(key.words) or any(not isinstance(row, RecordKind) for row in key.kind) or named
    rows = [f"  {mode}: {word if bare else f'{{type: {word}}}'}" for word, mode in modes.items()]
    if named:
        rows.append("  named: {type: function, function: {name: $name}}")
    draft.choice = f"[{', '.join([*modes.values(), *(['named'] if named else [])])}]"
    draft.unions += ["tool_choice:", *rows]
    draft.body.append(f"{name}?: $tool_choice")
    if bare and not key.words:
        draft.body.append("# to settle: the words of tool_choice are those that most APIs have")
    return True


def _add_formats(draft: SpecDraft, name: str, key: RecordKey) -> bool:
    words = _type_words(key.kind)
    rows = [
        f"  {kind}: {{type: {word}}}"
        for kind, word in (("text", "text"), ("json", "json_object"))
        if word in words
    ]
    for row in key.kind:
        if isinstance(row, RecordKind) and "json_schema" in row.keys:
            inner = [each for each in row.keys["json_schema"].kind if isinstance(each, RecordKind)]
            known = [*inner[0].keys] if inner else []
            schema = next((word for word in ("schema", "schema_definition") if word in known), "schema")
            more = [f"{word}?: ${word}" for word in ("name", "description", "strict") if word in known]
            inside = ", ".join([*more, f"{schema}: $schema"])
            rows.append(f"  json_schema: {{type: json_schema, json_schema: {{{inside}}}}}")
            break
    if not rows:
        return False
    draft.unions += ["response_format:", *rows]
    draft.body.append(f"{name}?: $response_format")
    return True


def _type_words(kind: Kind) -> set[str]:
    return {word for row in kind if isinstance(row, RecordKind) for word in _words_of_type(row)}


def _words_of_type(record: RecordKind) -> tuple[str, ...]:
    return record.keys["type"].words if "type" in record.keys else ()


def _add_messages(draft: SpecDraft, place: str, key: RecordKey | None) -> None:
    records = [] if key is None else _records(key)
    draft.place = place
    if key is not None and not records:
        _add_prompt(draft, place)
        return
    words = {word for row in records for word in (row.keys["role"].words if "role" in row.keys else ())}
    names = ("content", "parts", "text")
    draft.content = next((name for name in names for row in records if name in row.keys), "content")
    held = [row.keys[draft.content] for row in records if draft.content in row.keys]
    draft.body.append(f"{place}: $messages")
    draft.system = not words or "system" in words or "developer" in words
    if not words:
        draft.messages.append("# to settle: the types do not list the words for roles")
    draft.joined = not any(isinstance(each, ListKind) for row in held for each in row.kind)
    filled = f"{draft.content}: $content" + ("|join" if draft.joined else "")
    calls = draft.tools and any("tool_calls" in row.keys for row in records)
    draft.messages += _roles(draft, words, filled, calls=calls)
    typed = any("type" in each.keys for row in held for each in _records(row))
    _add_parts(draft, filled, typed=typed, calls=calls)
    if not draft.system:
        draft.settle.append("no message is the system's: write where instructions stand")


def _add_parts(draft: SpecDraft, filled: str, *, typed: bool, calls: bool) -> None:
    """Add the shapes of text, calls and results; `filled` is the content of a message."""
    text = "$text" if draft.joined else "{text: $text}"
    draft.parts.append(f"text: {'{type: text, text: $text}' if typed else text}")
    if not draft.joined:
        draft.settle.append(
            f"{draft.content} may be bare text here; where it is always a list, write $content[]"
        )
    if calls:
        draft.slots = "{content: list, tool_calls: list}"
        call = "{id: $id, type: function, function: {name: $name, arguments: $arguments|json}}"
        draft.parts.append(f"tool_call@assistant>tool_calls: {call}")
        result = f"{{role: tool, tool_call_id: $call_id, {filled}}}"
        draft.parts.append(f"tool_result@tool,user>messages: {result}")
        draft.settle.append(
            "the shapes of calls and results are those of most APIs; compare them with the reference"
        )
    elif draft.tools:
        draft.settle.append("no message has tool_calls: write parts for calls and their results")


def _roles(draft: SpecDraft, words: set[str], filled: str, *, calls: bool) -> Iterator[str]:
    """Yield the shape of the message of each role, with the words of the types."""
    others = {"system": "developer", "assistant": "model"}
    for role in _ROLES:
        if role == "system" and not draft.system:
            continue
        other = others.get(role, role)
        spoken = other if role not in words and other in words else role
        more = filled.replace(": ", "?: ", 1) + ", tool_calls?: $tool_calls"
        yield f"{role}: {{role: {spoken}, {more if role == 'assistant' and calls else filled}}}"


def _add_prompt(draft: SpecDraft, place: str) -> None:
    draft.prompt, draft.joined = True, True
    draft.body.append(f"{place}: $messages")
    draft.messages += [f"{role}: {{role: {role}, content: $content|join}}" for role in _ROLES]
    draft.parts.append("text: $text")
    draft.settle.append(
        "the prompt is one text, here of one message; a conversation has marks, which `prompt` states for the models"
    )
