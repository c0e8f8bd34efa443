"""Repairs of tools that only a history names, of other providers, and of kinds that an API does not have."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..build.shape_filters import write_json
from ..model.hosted import hosted_words, words_of_type
from ..model.parts import (
    CALLS,
    RESULTS,
    CustomToolCall,
    CustomToolResult,
    HostedTool,
    Tool,
    ToolAddition,
    ToolCall,
    ToolGroup,
    ToolResult,
)
from ..model.request import Message
from ..model.tools import CustomTool
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping
from .changes import EditLog, with_changed_parts
from .registry import repair
from .texts import marked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_CALLED = (*CALLS, *RESULTS)
# the fields of a grammar
_GRAMMAR = ("syntax", "definition")
# the key of a custom tool's text in the arguments of a function, as `parsed_arguments` has it
INPUT = "input"
STUB = "This tool was available earlier and is not any more. Do not call it."


def _input_schema() -> dict[str, Any]:
    """Return a new schema of one text, so that no two requests share it."""
    return {
        "type": "object",
        "properties": {INPUT: {"type": "string"}},
        "required": [INPUT],
        "additionalProperties": False,
    }


def _no_arguments() -> dict[str, Any]:
    """Return a new schema of no arguments, so that no two requests share it."""
    return {"type": "object", "properties": {}}


@repair("tool_stubs", refused="part *.part !tool.part", rank=45)
def stub_tools(request: Request, log: EditLog) -> Request:
    """Return the request with a tool for each name that calls of its history have, where it has no tools.

    Under `tool_stubs="as_text"`, calls and results become marked text instead. Problems of other parts change nothing.
    """
    if request.tools or not any(_has_calls(node) for node, _ in log.asked):
        return request
    if log.choice == "as_text":
        return _calls_as_text(request, log, f"{log.title} requires tools with calls; sent as text")
    called = [part for message in request.messages for part in message.parts if isinstance(part, _CALLED)]
    named: dict[str, Any] = {part.name: part for part in reversed(called) if part.name is not None}
    # results without calls may have no name
    names = dict(reversed(named.items())) or {"earlier_tool": called[0]}
    tools: list[Tool] = []
    for name, node in names.items():
        log.add(
            "added", node, "name", f"{log.title} requires tools with calls; a stand-in for {name} was added"
        )
        tools.append(log.made(node, Tool(name, STUB, _no_arguments())))
    return replace(request, tools=tuple(tools))


def _has_calls(node: object) -> bool:
    """Return whether a node is a call or a result, or a message with one."""
    return isinstance(node, _CALLED) or (isinstance(node, Message) and any(map(_has_calls, node.parts)))


@repair(
    "foreign_parts",
    off="off drop",
    refused="*part.tool_call *part.tool_result *part.custom_tool_call *part.custom_tool_result",
    no_place="tool.role tool_call tool_result custom_tool_call custom_tool_result",
    rank=70,
)
def calls_as_text(request: Request, log: EditLog) -> Request:
    """Return the request with all calls and results as marked text, for APIs without tools."""
    return _calls_as_text(request, log, f"{log.title} has no calls of tools; sent as text")


def _calls_as_text(request: Request, log: EditLog, why: str) -> Request:
    names = {
        part.id: part.name
        for message in request.messages
        for part in message.parts
        if isinstance(part, CALLS)
    }

    def change(part: Part) -> Part | tuple[Part, ...]:
        if isinstance(part, CALLS):
            text = write_json(part.arguments if isinstance(part, ToolCall) else part.input)
            log.add("replaced", part, spec_word(part), why)
            return log.texts(part, [marked("tool_call", text, name=part.name, id=part.id)])
        if isinstance(part, RESULTS):
            name = part.name or names.get(part.call_id)
            log.add("replaced", part, spec_word(part), why)
            return log.texts(part, [f"[result of {name or 'a tool'}, call {part.call_id}]", *part.parts])
        return part

    changed = with_changed_parts(request, log, change)
    messages = [log.changed(each, role="user") if each.role == "tool" else each for each in changed.messages]
    return replace(changed, messages=tuple(messages))


@repair("hosted_tools", refused="tool tools.type", no_place="hosted_tool hosted_tool.*")
def map_hosted_tools(request: Request, log: EditLog) -> Request:
    """Return the request with rejected tools of another provider replaced by this API's own of the same kind.

    Settings that both tools have are kept, and others dropped. Where the API has an option of the request instead of a
    tool, it is set, with the settings that it shares. Under `hosted_tools="drop"`, the tools are left out.
    """
    if not request.tools:
        return request
    tools: list[Any] = []
    options: dict[str, Any] = {}
    found_all = False
    for tool in request.tools:
        if log.asks_for(tool) and isinstance(tool, HostedTool):
            found_all |= _map_tool(tool, request, log, tools, options)
        else:
            tools.append(tool)
    if found_all:
        tools = [_undeferred(tool, log) for tool in tools]
    changes: dict[str, Any] = {"tools": tuple(tools) or None}
    if options:
        wire, vendor = log.context.wire.name, request.vendor or {}
        changes["vendor"] = {**vendor, wire: _with_options(vendor.get(wire, {}), options)}
    return replace(request, **changes)


def _with_options(given: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a request with others; what the request says itself counts, and its lists go on."""
    joined = {**added, **given}
    for name, value in added.items():
        if is_list(value) and is_list(given.get(name)):
            joined[name] = [*given[name], *[each for each in value if each not in given[name]]]
    return joined


def _undeferred(tool: Any, log: EditLog) -> Any:
    """Return a tool, and those in its group, that is sent at once: nothing is there that would find it."""
    if isinstance(tool, ToolGroup):
        inside = tuple([_undeferred(each, log) for each in tool.tools])
        return tool if inside == tool.tools else log.changed(tool, tools=inside)
    if not getattr(tool, "deferred", None):
        return tool
    log.add("dropped", tool, "deferred", f"{log.title} has no tool that would find it")
    return log.changed(tool, deferred=None)


def _own_tool(tool: HostedTool, words: Mapping[str, Any]) -> HostedTool | None:
    if "type" not in words or any(fnmatchcase(tool.type, word) for word in words["types"]):
        return None
    return HostedTool(words["type"], words.get("name"), words.get("config"), cache=tool.cache)


def _map_tool(
    tool: HostedTool, request: Request, log: EditLog, tools: list[Any], options: dict[str, Any]
) -> bool:
    """Add to `tools`, or to the `options` of the request, what this API has instead of a tool.

    Returns:
        Whether the tool searched for others, which no tool does now.
    """
    words = hosted_words(tool.type, log.context.wire.name, log.context.wire.api)
    if "option" in words:
        options[words["option"]], lost = _shared(tool, words)
        log.add("replaced", tool, "hosted", f"{log.title} has {words['option']} instead of a tool{lost}")
        return False
    own = _own_tool(tool, words)
    if own is not None:
        settings, lost = _shared(tool, words, _server_of(tool, request), options)
        own = replace(own, config={**(own.config or {}), **settings} or None)
        log.add("replaced", tool, "hosted", f"{log.title} calls this tool {own.type}{lost}")
        if not any(own == each for each in tools):
            tools.append(log.made(tool, own))
    elif "omit" in words or log.choice == "drop":
        log.add("dropped", tool, "hosted", words.get("omit") or f"{log.title} has no such tool")
        return "omit" in words
    else:
        tools.append(tool)
    return False


def _server_of(tool: HostedTool, request: Request) -> Mapping[str, Any]:
    """Return the server that a tool names, of those that an option of its own API lists; empty where it names none."""
    servers: Mapping[str, Any] = words_of_type(tool.type).get("servers") or {}
    for name, key in servers.get("by", {}).items():
        named = (tool.config or {}).get(name)
        if named is None:
            continue
        listed = [each.get(servers["option"]) for each in (request.vendor or {}).values()]
        for server in [server for each in listed if is_list(each) for server in each]:
            if is_mapping(server) and server.get(key) == named:
                constant: set[str] = {*(servers.get("config") or {}), key}
                return {word: value for word, value in server.items() if word not in constant}
    return {}


def _shared(
    tool: HostedTool,
    words: Mapping[str, Any],
    server: Mapping[str, Any] | None = None,
    options: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], str]:
    """Return the settings of a tool at the places that the API has for them, and a text that names all others.

    What the API says of a server in an option of its own is added to the `options` of the request.
    """
    places: Mapping[str, str] = words.get("settings") or {}
    servers: Mapping[str, Any] = words.get("servers") or {}
    of_server: Mapping[str, str] = servers.get("settings") or {}
    shared: dict[str, Any] = {}
    listed: dict[str, Any] = dict(servers.get("config") or {})
    lost: list[str] = []
    for path, value in _leaves({**(tool.config or {}), **(server or {})}, {*places, *of_server}):
        if path not in places and path not in of_server:
            lost.append(path)
        if path in places:
            _put(shared, places[path], value)
        if path in of_server:
            _put(listed, of_server[path], value)
    if servers and options is not None:
        options.setdefault(servers["option"], []).append(listed)
    return shared, f"; settings are dropped: {', '.join(lost)}" if lost else ""


def _put(target: dict[str, Any], place: str, value: Any) -> None:
    *outer, last = place.split(".")
    for key in outer:
        target = target.setdefault(key, {})
    target[last] = value


def _leaves(config: Mapping[str, Any], whole: set[str], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and value of each setting; null settings are not set, and those in `whole` are not looked into."""
    for key, value in config.items():
        if is_mapping(value) and f"{prefix}{key}" not in whole:
            yield from _leaves(value, whole, f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", value


@repair(
    "custom_tools",
    refused="*part.custom_tool_call *part.custom_tool_result",
    no_place="custom_tool custom_tool_call custom_tool_result",
)
def custom_as_functions(request: Request, log: EditLog) -> Request:
    """Return the request with free-text tools, their calls and results as functions with one text argument, `input`."""
    why = f'{log.title} has no free-text tools; sent as a function with the argument "{INPUT}"'
    tools: list[Any] = []
    for tool in request.tools or ():
        if isinstance(tool, CustomTool):
            log.add("replaced", tool, "custom", why, given=tool.name, sent=tool.name)
            description = "\n\n".join([piece for piece in (tool.description, _grammar(tool.format)) if piece])
            made = Tool(
                tool.name, description or None, _input_schema(), deferred=tool.deferred, cache=tool.cache
            )
            tools.append(log.made(tool, made))
        else:
            tools.append(tool)

    def change(part: Part) -> Part:
        made: Part = part
        if isinstance(part, CustomToolCall):
            log.add("replaced", part, "custom_tool_call", why)
            made = ToolCall(part.id, part.name, {INPUT: part.input}, signature=part.signature, **_own(part))
        elif isinstance(part, CustomToolResult):
            log.add("replaced", part, "custom_tool_result", why)
            made = ToolResult(part.call_id, part.parts, name=part.name, cache=part.cache, **_own(part))
        kept: Part = part if made is part else log.made(part, made)
        return kept

    changed = with_changed_parts(request, log, change)
    choice = request.tool_choice
    if choice is not None and choice.mode == "custom":
        choice = log.changed(choice, mode="named")
    return replace(changed, tools=tuple(tools) if tools else request.tools, tool_choice=choice)


def _own(part: Part) -> dict[str, Any]:
    """Return the fields that say where a part comes from, and what only that API knows of it."""
    return {"vendor": part.vendor, "provenance": part.provenance}


def _grammar(given: Any) -> str:
    """Return the grammar of a free-text tool as a sentence of its description."""
    return f"The format of {INPUT}: {write_json(given)}" if given else ""


@repair("tool_groups", no_place="tool_group")
def flatten_groups(request: Request, log: EditLog) -> Request:
    """Return the request with the tools of rejected groups among the others, where these are."""
    taken: set[Any] = set()

    def flat(tools: Iterable[Any]) -> Iterator[Any]:
        for tool in tools:
            if not log.asks_for(tool) or not isinstance(tool, ToolGroup):
                yield tool
                continue
            why = f"{log.title} has no groups; its tools are sent without it"
            log.add("replaced", tool, "group", why)
            for inner in tool.tools:
                if getattr(inner, "name", None) in taken:
                    log.add("dropped", inner, spec_word(inner), "another tool has its name")
                else:
                    taken.add(getattr(inner, "name", None))
                    yield inner

    def flattened(tools: Sequence[Any]) -> tuple[Any, ...]:
        taken.update([getattr(tool, "name", None) for tool in tools if not isinstance(tool, ToolGroup)])
        return tuple(flat(tools))

    def change(part: Part) -> Part:
        if not isinstance(part, ToolAddition) or not any(log.asks_for(tool) for tool in part.tools):
            return part
        return log.changed(part, tools=flattened(part.tools))

    tools = flattened(request.tools) if request.tools else request.tools
    changed = with_changed_parts(request, log, change)
    return replace(changed, tools=tools)


@repair(
    "parameters",
    refused="tools.description tools.parameters",
    missing="tool.parameters tool.description tool_group.description",
    no_place="tool.returns",
)
def fill_parameters(request: Request, log: EditLog) -> Request:
    """Return the request with what tools lack and the API requires: an empty schema, the name as a description.

    The schema of results, where the API has no place for it, goes into the description.
    """
    asked = frozenset([(id(node), error.field.rpartition(".")[2]) for node, error in log.asked])
    tools = tuple([_filled(tool, asked, log) for tool in request.tools or ()])

    def change(part: Part) -> Part:
        if not isinstance(part, ToolAddition):
            return part
        inside = tuple([_filled(tool, asked, log) for tool in part.tools])
        same = all(new is old for new, old in zip(inside, part.tools, strict=True))
        whole: Part = part if same else log.changed(part, tools=inside)
        return whole

    changed = with_changed_parts(request, log, change)
    return replace(changed, tools=tools or request.tools)


def _filled(tool: Any, asked: frozenset[tuple[int, str]], log: EditLog) -> Any:
    """Return a tool, or a group of tools, with the missing fields."""
    if not isinstance(tool, (Tool, ToolGroup)):
        return tool
    title = log.title
    fields: dict[str, Any] = {}
    if tool.description is None and (id(tool), "description") in asked:
        fields["description"] = tool.name
        log.add("added", tool, "description", f"{title} requires it; its name is sent")
    if isinstance(tool, ToolGroup):
        inside = tuple([_filled(each, asked, log) for each in tool.tools])
        if any(new is not old for new, old in zip(inside, tool.tools, strict=True)):
            fields["tools"] = inside
        return log.changed(tool, **fields) if fields else tool
    if tool.parameters is None and (id(tool), "parameters") in asked:
        fields["parameters"] = _no_arguments()
        log.add("added", tool, "parameters", f"{title} requires a schema; an empty one was added")
    if tool.returns is not None and (id(tool), "returns") in asked:
        fields["returns"] = None
        fields["description"] = (
            f"{tool.description or ''}\n\nReturns JSON: {write_json(tool.returns)}".lstrip()
        )
        log.add("replaced", tool, "returns", f"{title} has no place for it; the description says it")
    return log.changed(tool, **fields) if fields else tool


@repair("custom_tools", refused="tools.format*")
def reshape_grammars(request: Request, log: EditLog) -> Request:
    """Return the request with the grammars of free-text tools in the form of the API.

    OpenAI's Responses API has syntax and definition beside the type, Chat Completions has them inside `grammar`.
    """
    if not request.tools:
        return request
    asked = {id(node): error.field for node, error in log.asked}
    tools: list[Any] = []
    for tool in request.tools:
        made = None
        if isinstance(tool, CustomTool) and log.asks_for(tool) and tool.format:
            made = _reshaped(tool.format, nested=not asked[id(tool)].endswith(".grammar"))
        if made is not None:
            log.add("replaced", tool, "format", f"{log.title} has another form of grammars")
            tool = log.changed(tool, format=made)  # noqa: PLW2901
        tools.append(tool)
    return replace(request, tools=tuple(tools))


def _reshaped(given: Mapping[str, Any], *, nested: bool) -> dict[str, Any] | None:
    """Return a grammar in its other form; None if it is in neither."""
    if nested:
        inner = {name: given[name] for name in _GRAMMAR if name in given}
        rest = {name: value for name, value in given.items() if name not in inner}
        return {**rest, "grammar": inner} if inner and "grammar" not in rest else None
    grammar = given.get("grammar")
    if not is_mapping(grammar):
        return None
    return {**{name: value for name, value in given.items() if name != "grammar"}, **grammar}


@repair("added_tools", refused="*part.tool_addition", no_place="tool_addition")
def early_tools(request: Request, log: EditLog) -> Request:
    """Return the request with tools that come in mid-conversation among its tools from the start."""
    tools: list[Any] = [*(request.tools or ())]

    def change(part: Part) -> Part | tuple[Part, ...]:
        if not isinstance(part, ToolAddition):
            return part
        log.add("replaced", part, "tool_addition", f"{log.title} takes tools at the start of a request only")
        names = {getattr(tool, "name", None) for tool in tools}
        tools.extend(tool for tool in part.tools if getattr(tool, "name", None) not in names)
        return ()

    changed = with_changed_parts(request, log, change)
    return replace(changed, tools=tuple(tools) or None)


@repair("added_tools", invalid="tool_addition.*")
def split_additions(request: Request, log: EditLog) -> Request:
    """Return the request with each tool that comes in mid-conversation as a part of its own."""

    def change(part: Part) -> Part | tuple[Part, ...]:
        if not log.asks_for(part) or not isinstance(part, ToolAddition) or not part.tools:
            return part
        log.add("replaced", part, "tools", f"{log.title} adds one tool at a time; sent one by one")
        return tuple([replace(part, tools=(tool,), id=None, kept=None) for tool in part.tools])

    return with_changed_parts(request, log, change)
