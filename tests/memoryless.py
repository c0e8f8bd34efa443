"""Bodies that are built again without form memory, compared with the recorded ones leaf by leaf.

An exact round trip cannot see a writer that forgets a value, because `kept` puts the value back. Here `kept` is taken
off every node first, so that each leaf must come from a field of the request. Three tables list what such a body may
say in another way, each row with its reason; everything else must be there, as often as it was recorded.
"""

from __future__ import annotations

import json
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, ForwardRef, Union, get_args, get_origin, get_type_hints, is_typeddict

from promptwire.plugins import Kept
from tests.internals.commands import is_list, is_object
from tests.laws.traces import init_fields

Leaf = tuple[str, str]
OPENAI = r"openai_\w+|azure_openai_\w+"
CHAT = r"\w+_chat|mistral_agents|onnx_genai"
GEMINI = r"gemini_generate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A path that is another spelling of `becomes`; both bodies are compared under the latter."""

    wires: str = r"\w+"
    path: str
    becomes: str | Callable[[re.Match[str]], str]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Implied:
    """A leaf that a fresh body may leave out: by its path, by its value as JSON text, and by a note that says so.

    With `noted`, only where the build has a note whose action and field match this pattern.
    """

    wires: str = r"\w+"
    path: str = r".*"
    value: str = r"(?s:.*)"
    noted: str = ""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A path, after aliases, whose equal values are compared without their number."""

    wires: str = r"\w+"
    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """Values that are compared in one spelling."""

    wires: str = r"\w+"
    path: str
    spell: Callable[[Any], Any]
    reason: str


def _upper(found: re.Match[str]) -> str:
    return found[1].upper()


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _standard_base64(value: Any) -> Any:
    return value.replace("-", "+").replace("_", "/").rstrip("=") if isinstance(value, str) else value


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


ALIASES = (
    Alias(
        wires=GEMINI,
        path=r"_([a-z])",
        becomes=_upper,
        reason="keys are read in both casings and written in camel case",
    ),
    Alias(
        wires=GEMINI,
        path=r"^(tools|systemInstruction\.parts)(?=\.)",
        becomes=r"\1[]",
        reason="one object is read as a list of one",
    ),
    Alias(
        wires=GEMINI,
        path=r"\b(?:responseSchema|response(?=\.(?:type|properties)))\b",
        becomes="responseJsonSchema",
        reason="schemas are written as JSON Schema, which has every keyword of the OpenAPI subset",
    ),
    Alias(
        wires=GEMINI,
        path=r"^(tools\[\]\.functionDeclarations\[\]\.parameters)\b",
        becomes=r"\1JsonSchema",
        reason="schemas are written as JSON Schema, which has every keyword of the OpenAPI subset",
    ),
    Alias(
        path=r"\b(system|content|input|prompt)\[\]\.text$",
        becomes=r"\1",
        reason="a text alone is written as a string where the API takes one",
    ),
    Alias(
        wires=r"\w+_responses|gemini_interactions",
        path=r"^input$",
        becomes="input[].content",
        reason="a text alone is written as a list of one message",
    ),
    Alias(
        wires=CHAT,
        path=r"^max_completion_tokens$",
        becomes="max_tokens",
        reason="the older and the newer key of one limit; a fresh body has the key that the API documents",
    ),
    Alias(
        wires=OPENAI, path=r"^user$", becomes="safety_identifier", reason="the older key of the same value"
    ),
    Alias(
        wires=CHAT,
        path=r"^functions\[\]",
        becomes="tools[].function",
        reason="the deprecated list of functions",
    ),
    Alias(
        wires=CHAT,
        path=r"^tools\[\]\.(?=(name|description|parameters)\b)",
        becomes="tools[].function.",
        reason="the deprecated form of a function",
    ),
    Alias(
        wires=CHAT,
        path=r"^function_call$",
        becomes="tool_choice",
        reason="the deprecated key of the tool choice",
    ),
    Alias(
        wires=r"\w+_responses",
        path=r"^tools\[\]\.function\.",
        becomes="tools[].",
        reason="tools in the form of Chat Completions are read, and written in the API's own form",
    ),
    Alias(
        wires=r"anthropic_\w+",
        path=r"^output_format\b",
        becomes="output_config.format",
        reason="the key that the beta had",
    ),
    Alias(
        wires="bedrock_converse",
        path=r"^additionalModelRequestFields\.output_config\b",
        becomes="outputConfig",
        reason="the ARN of a profile hides the model, and with it that its effort has a key of its own",
    ),
    Alias(
        wires="cohere_chat",
        path=r"^response_format\.schema\b",
        becomes="response_format.json_schema",
        reason="an older key of the same schema",
    ),
    Alias(
        wires="openrouter_chat",
        path=r"^reasoning_effort$",
        becomes="reasoning.effort",
        reason="OpenAI's key of the same value",
    ),
    Alias(
        wires=r"mistral_\w+",
        path=r"\.thinking\[\]\.text$",
        becomes=".thinking",
        reason="a thought in pieces is written in one piece",
    ),
    Alias(
        wires="aptix_responses",
        path=r"^tools\[\]\.input_schema\b",
        becomes="tools[].parameters",
        reason="tools in Anthropic's form are read, and written in the API's own form",
    ),
    Alias(
        wires="gemini_interactions",
        path=r"^input\[\]\.content\[\]\.(call_id|name)$",
        becomes=r"input[].\1",
        reason="a result inside a user's turn is written as a turn of its own",
    ),
    Alias(
        wires="openrouter_chat",
        path=r"^messages\[\]\.reasoning_details\[\]\.text$",
        becomes="messages[].reasoning",
        reason="a plain thought is written as a detail",
    ),
    Alias(
        wires=CHAT,
        path=r"^messages\[\]\.reasoning(_content)?$",
        becomes="messages[].reasoning",
        reason="servers name this key in two ways; one is written",
    ),
    Alias(
        wires="mistral_chat",
        path=r"\.image_url$",
        becomes=".image_url.url",
        reason="a URL alone is read in place of the object",
    ),
    Alias(
        wires="xai_chat",
        path=r"^tool_choice\.name$",
        becomes="tool_choice.function.name",
        reason="Anthropic's form of the same choice is read",
    ),
)

IMPLIED = (
    Implied(
        wires="perplexity_chat",
        path=r"messages\[\]\.content\[\]\.(type|file_url\.url)",
        reason="a document given by bare data has no media type, which another shape needs",
    ),
    Implied(
        wires="bedrock_nova",
        path=r"inferenceConfig\.max_new_tokens",
        reason="an alias of inferenceConfig.maxTokens",
    ),
    Implied(value="null", reason="a key that is null says the same as a key that is absent"),
    Implied(
        path=r"^(tools|system|chat_history|.*\.(annotations|content|tool_calls|stop_?[sS]equences|required))$",
        value=r"\[\]",
        reason="a list without entries says the same as a key that is absent",
    ),
    Implied(
        path=r"^(generationConfig|inferenceConfig|additionalModelRequestFields|options)$",
        value=r"\{\}",
        reason="an object without options says the same as a key that is absent",
    ),
    Implied(
        path=r"^(instructions|system|systemInstruction\.parts(\[\])?\.text)$",
        value='""',
        reason="empty instructions say the same as no instructions",
    ),
    Implied(
        path=r"\b(system|content)\[\]\.type$",
        value='"(text|input_text|output_text)"',
        reason="the type of a text that is written as a string",
    ),
    Implied(
        wires=r"\w+_responses|gemini_interactions",
        path=r"^input\[\]\.type$",
        value='"(message|user_input)"',
        reason="the type of a message, which is optional",
    ),
    Implied(wires=GEMINI, path=r"\.thought$", value="false", reason="the default of a part"),
    Implied(
        wires=GEMINI, path=r"^systemInstruction\.role$", reason="the API ignores the role of instructions"
    ),
    Implied(
        wires=GEMINI,
        path=r"^contents\[\]\.role$",
        value='"function"',
        reason="an older role of tool results; `user` is written",
    ),
    Implied(
        wires=GEMINI,
        path=r"^model$",
        noted=r"dropped vendor\.gemini_generate\.model",
        reason="the URL names the model; a second one in the body is read only",
    ),
    Implied(
        wires=GEMINI,
        path=r"^toolConfig\.functionCallingConfig\.mode$",
        value='"VALIDATED"',
        reason="the model decides whether to call, as in AUTO, which is written",
    ),
    Implied(
        wires="gemini_interactions",
        path=r"^input\[\]\.content\[\]\.(type|result\..*)$",
        reason="a result inside a user's turn is written as a turn of its own, an object as its JSON text",
    ),
    Implied(
        wires=CHAT,
        path=r"^messages\[tool\]\.name$",
        reason="the name of a tool result repeats that of the call with the same id; it is read only",
    ),
    Implied(
        wires=CHAT,
        path=r"\.tool_calls\[\]\.(index|type)$",
        value='0|"function"',
        reason="keys of an answer that a caller sent back; the API does not need them",
    ),
    Implied(
        wires="compatible_chat",
        path=r"^(keep_alive|options|messages\[\]\.images)\b",
        noted=r"dropped vendor\.compatible_chat\.",
        reason="keys of Ollama's own API, which its compatible API ignores, are read only",
    ),
    Implied(
        wires="compatible_chat",
        path=r"^messages\[\]\.content\[\]\.(type$|file_url\.)",
        noted="dropped media_type",
        reason="a file of unknown media type is read only",
    ),
    Implied(
        wires="compatible_chat",
        path=r"^messages\[tool\]\.content\[\]\.(type$|image_url\.)",
        noted="dropped image",
        reason="an image in a tool result, which some servers refuse, is read only",
    ),
    Implied(
        wires="compatible_chat",
        path=r"^messages\[tool\]\.(role|content)$",
        noted="missing call_id",
        reason="a tool result without the id of its call is read only",
    ),
    Implied(
        wires="deepseek_chat",
        path=r"^seed$",
        noted="dropped seed",
        reason="the API ignores it; it is read only",
    ),
    Implied(
        wires=r"openrouter_chat",
        path=r"^include_reasoning$",
        reason="an older key of `reasoning.exclude`, which is written",
    ),
    Implied(
        wires="openrouter_chat",
        path=r"^messages\[\]\.cache_control\.",
        value='"ephemeral"',
        reason="instructions are text, which has no place for a key of the message that only memory holds",
    ),
    Implied(
        wires="openrouter_chat",
        path=r"^reasoning\.enabled$",
        value="true",
        reason="a budget turns reasoning on",
    ),
    Implied(
        wires="xai_chat",
        path=r"^tool_choice\.type$",
        value='"tool"',
        reason="Anthropic's form of the same choice is read",
    ),
)

REPEATED = (
    Repeated(
        wires=CHAT,
        path=r"^messages\[\]\.reasoning$",
        reason="some clients send a thought under both keys; one is written",
    ),
    Repeated(
        wires=r"\w+_responses",
        path=r"^tools\[\]\.name$",
        reason="some clients name a function under two keys; one is written",
    ),
)

SPELLINGS = (
    Spelling(
        wires=GEMINI,
        path=r"\.inline_?[dD]ata\.data$",
        spell=_standard_base64,
        reason="base64 is read in both alphabets and written in the standard one",
    ),
    Spelling(
        wires=GEMINI,
        path=r"\.thinking_?[lL]evel$",
        spell=_lower,
        reason="levels are read in both casings and written in upper case",
    ),
    Spelling(
        wires="cohere_v1",
        path=r"^chat_history\[\]\.role$",
        spell=_lower,
        reason="roles are read in any casing",
    ),
    Spelling(
        wires=r"mistral_\w+",
        path=r"^tool_choice$",
        spell=lambda mode: "any" if mode == "required" else mode,
        reason="two words for one mode",
    ),
    Spelling(path=r"\.arguments$", spell=_parsed, reason="arguments of calls are compared as JSON"),
    Spelling(
        wires="bedrock_converse",
        path=r"\.jsonSchema\.schema$",
        spell=_parsed,
        reason="JSON text is compared as JSON",
    ),
)


@dataclass(frozen=True, slots=True)
class _Place:
    """How the leaves at one path are compared."""

    path: str
    needed: bool
    spellings: tuple[Callable[[Any], Any], ...]
    implied: tuple[Implied, ...]
    repeated: bool


@cache
def _place(wire: str, path: str) -> _Place:
    """Return how the leaves at a path are compared: under which path, in which spelling, and whether they are needed."""
    alias = path
    for row in ALIASES:
        if re.fullmatch(row.wires, wire):
            alias = re.sub(row.path, row.becomes, alias)
    return _Place(
        path=alias,
        needed=has_key(wire, path) or has_key(wire, alias),
        spellings=tuple([row.spell for row in SPELLINGS if _applies(row, wire, path)]),
        implied=tuple([row for row in IMPLIED if _applies(row, wire, path)]),
        repeated=any(_applies(row, wire, alias) for row in REPEATED),
    )


def _applies(row: Implied | Repeated | Spelling, wire: str, path: str) -> bool:
    return bool(re.fullmatch(row.wires, wire) and re.search(row.path, path))


def has_key(wire: str, path: str) -> bool:
    """Return whether a wire's own types declare the key at a path, or leave its value open."""
    hints: list[Any] = [import_module(f"promptwire.{wire}.types").Body]
    for key in re.sub(r"\[(tool)?\]", ".[]", path).split("."):
        hints = [option for hint in hints for option in _options(hint)]
        if Any in hints:
            return True
        hints = [inner for hint in hints for inner in _inner(hint, key)]
    return bool(hints)


def _options(hint: Any) -> list[Any]:
    """Return the members of a union, or the only type."""
    if get_origin(hint) in (Union, UnionType):
        return [option for member in get_args(hint) for option in _options(member)]
    return [hint]


def _inner(hint: Any, key: str) -> list[Any]:
    """Return the types that a type has under a key; `[]` stands for the entries of a list."""
    if is_typeddict(hint):
        hints = _hints(hint)
        return [hints[key]] if key in hints else []
    if get_origin(hint) is list:
        return [*get_args(hint)] if key == "[]" else []
    return [get_args(hint)[1]] if get_origin(hint) in (dict, Mapping) else []


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the keys of a TypedDict; its module's aliases are text, which only a forward reference can join."""
    names = vars(import_module(kind.__module__))
    aliases = {
        name: ForwardRef(alias)
        for name, alias in names.items()
        if isinstance(alias, str) and name[0].isupper()
    }
    return get_type_hints(kind, localns={**vars(typing), **names, **aliases})


def strip_memory(value: Any) -> Any:
    """Return a node without the form memory of itself and of every node inside it."""
    return without(value, lambda name, inner: None if name == "kept" else inner)


def strip_all(value: Any) -> Any:
    """Return a node as a caller makes it: no form memory, no provenance, arguments of calls as objects."""

    def change(name: str, inner: Any) -> Any:
        if name in ("kept", "provenance"):
            return None
        if name == "arguments" and is_object(parsed := _parsed(inner)):
            return parsed
        return inner

    return without(value, change)


def strip_forms(value: Any) -> Any:
    """Return a node whose form memory has nothing left but the names of shapes."""
    return without(
        value,
        lambda name, inner: (
            Kept(wire=inner.wire, shape=inner.shape) if name == "kept" and inner is not None else inner
        ),
    )


def without(value: Any, change: Callable[[str, Any], Any]) -> Any:
    """Return a node with fields of itself and of every node inside it changed."""
    if isinstance(value, tuple):
        items: tuple[Any, ...] = value
        changed = tuple([without(item, change) for item in items])
        same = all(new is old for new, old in zip(changed, items, strict=True))
        return items if same else changed
    changes: dict[str, Any] = {}
    kind: Any = type(value)
    for name in init_fields(kind):
        inner = getattr(value, name)
        new = change(name, inner)
        new = without(new, change) if new is inner else new
        if new is not inner:
            changes[name] = new
    return replace(value, **changes) if changes else value


def missing_leaves(wire: str, body: Any, built: Any) -> Counter[Leaf]:
    """Return the leaves of a recorded body that a build lacks, each as often as it is missing."""
    noted = [f"{note.action} {note.field}" for note in built.notes]
    return needed_leaves(wire, body, noted) - needed_leaves(wire, built.body)


def needed_leaves(wire: str, body: Any, noted: Sequence[str] = ()) -> Counter[Leaf]:
    """Return the leaves that a fresh body must have, each with the path and in the spelling that it is compared in."""
    found: Counter[Leaf] = Counter()
    for path, value in _leaves(body):
        place = _place(wire, path)
        text = _text(value)
        if not place.needed or any(_is_implied(row, text, noted) for row in place.implied):
            continue
        for spell in place.spellings:
            text = _text(spell(json.loads(text)))
        leaf = place.path, text
        found[leaf] = 1 if place.repeated else found[leaf] + 1
    return found


def _is_implied(row: Implied, text: str, noted: Sequence[str]) -> bool:
    return bool(re.fullmatch(row.value, text)) and (
        not row.noted or any(re.search(row.noted, line) for line in noted)
    )


def _text(value: Any) -> str:
    """Return a value as JSON text, numbers of equal value as the same text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of every JSON leaf; an index of a list is written `[]`, or `[tool]` for its messages."""
    if is_object(value) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif is_list(value) and value:
        for inner in value:
            role = inner.get("role") if is_object(inner) else None
            yield from _leaves(inner, f"{path}[tool]" if role == "tool" else f"{path}[]")
    else:
        yield path, value
