"""The neutral model as the compiler knows it: kinds of nodes, their fields and types.

The runtime's dataclasses are the same facts; an architecture test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

# what every part, tool, instruction and message may carry beside its own fields
CARRIED_BY_ALL = ("vendor", "extra", "kept")


@dataclass(frozen=True, slots=True)
class NeutralField:
    """One field: its type, whether it is always there, and whether dropping it changes nothing for the model.

    least  the least number that any API takes
    usual  what a plain node surely has there: an `id` or `name` of usual characters, an `object`, one plain
           `text`; or `given` where it is tested
    """

    type: str
    always: bool = False
    advisory: bool = False
    least: int | None = None
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node: the runtime's class, its fields, and the fields that may be its source.

    plain       whether the class notes that a node carries nothing optional
    even_plain  optional fields that even a plain node may have
    """

    name: str
    cls: str
    fields: dict[str, NeutralField]
    sources: tuple[str, ...] = ()
    plain: bool = True
    even_plain: frozenset[str] = frozenset()

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields that builders look at in any node, plain or not."""
        return self.even_plain | {name for name, field in self.fields.items() if field.always}

    @property
    def usual(self) -> dict[str, str]:
        """Field -> what a plain node of a kind with usual values surely has there; empty for other kinds."""
        return {name: field.usual for name, field in self.fields.items() if field.usual}


# types of fields that are JSON objects: of any values, of texts, of numbers
OBJECTS = ("object", "text_object", "number_object")
# kinds of parts that a model wrote, and no caller can complete
BY_MODEL = frozenset({"reasoning", "compaction"})
# fields whose False says no more than leaving them out
FALSE_BY_DEFAULT = frozenset({"is_error"})


def _fields(text: str) -> dict[str, NeutralField]:
    """Parse `name:type` words; `!` means always there, `~` advisory, `>=1` the least number, `@id` what is usual."""
    found: dict[str, NeutralField] = {}
    for word in text.split():
        name, _, rest = word.partition(":")
        rest, _, usual = rest.partition("@")
        kind, _, least = rest.partition(">=")
        number = int(least) if least else None
        found[name] = NeutralField(
            kind.strip("!~"), always="!" in kind, advisory="~" in kind, least=number, usual=usual
        )
    return found


_MEDIA = "url:str data:str media_type:str~ file_id:str uri:str filename:str~"
_PART = " cache:cache signature:str"

_PARTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "text": ("Text", "text:str! citations:json logprobs:json~", ()),
    "json": ("Json", "value:json!", ()),
    "image": ("Image", _MEDIA + " detail:str", ("url", "data", "file_id", "uri")),
    "document": (
        "Document",
        _MEDIA + " text:str content:parts title:str context:str detail:str citations:json",
        ("url", "data", "file_id", "uri", "text", "parts"),
    ),
    "audio": ("Audio", _MEDIA + " id:str", ("url", "data", "file_id", "uri", "id")),
    "video": ("Video", _MEDIA + " clip:json", ("url", "data", "file_id", "uri")),
    "tool_call": (
        "ToolCall",
        "id:str@id name:str!@name arguments:arguments!@object item_id:str~ status:str~",
        (),
    ),
    "tool_result": (
        "ToolResult",
        "call_id:str@id content:parts!@text name:str~ is_error:bool item_id:str~ status:str~",
        (),
    ),
    "custom_tool_call": ("CustomToolCall", "id:str name:str! input:str! item_id:str~ status:str~", ()),
    "custom_tool_result": (
        "CustomToolResult",
        "call_id:str content:parts! name:str~ item_id:str~ status:str~",
        (),
    ),
    "hosted_call": (
        "HostedCall",
        "type:str! id:str name:str arguments:arguments server:str status:str~ payload:object",
        (),
    ),
    "hosted_result": (
        "HostedResult",
        "type:str! call_id:str id:str result:json is_error:bool status:str~ payload:object",
        (),
    ),
    "tool_reference": ("ToolReference", "name:str! change:str", ()),
    "tool_addition": ("ToolAddition", "tools:tools! id:str~", ()),
    "reasoning": (
        "Reasoning",
        "text:str summary:strings texts:strings encrypted:str redacted:str id:str~ status:str~",
        (),
    ),
    "refusal": ("Refusal", "text:str!", ()),
    "compaction": ("Compaction", "text:str encrypted:str id:str~", ()),
    "upload": ("Upload", "file_id:str!", ()),
    "search_result": ("SearchResult", "url:str! title:str! content:parts! citations:json", ()),
    "item_reference": ("ItemReference", "id:str!", ()),
}
# optional values that the runtime's classes take by position, without a default
_POSITIONAL = {
    "tool_call": {"id"}, "tool_result": {"call_id"}, "custom_tool_call": {"id"}, "custom_tool_result": {"call_id"},
}  # fmt: skip
PARTS = {
    name: Kind(
        name, cls, _fields(text + _PART), sources,
        even_plain=frozenset({"media_type", "content", *sources} if sources else _POSITIONAL.get(name, ())),
    )
    for name, (cls, text, sources) in _PARTS.items()
}  # fmt: skip

_TOOL = "name:str!@given description:str@given "
TOOLS = {
    "function": Kind(
        "function",
        "Tool",
        _fields(
            _TOOL
            + "parameters:object@given strict:bool returns:object deferred:bool stream_arguments:bool cache:cache"
        ),
        even_plain=frozenset({"description", "parameters"}),
    ),
    "custom": Kind(
        "custom",
        "CustomTool",
        _fields(_TOOL + "format:object deferred:bool cache:cache"),
        even_plain=frozenset({"description", "format"}),
    ),
    "group": Kind(
        "group", "ToolGroup", _fields(_TOOL + "tools:tools!"), even_plain=frozenset({"description", "tools"})
    ),
    "hosted": Kind(
        "hosted",
        "HostedTool",
        _fields("type:str! name:str config:object cache:cache"),
        even_plain=frozenset({"name", "config"}),
    ),
}
LAYER = Kind(
    "layer", "Instruction", _fields("text:str! role:str~ source:str~ stability:str~ trust:str~ cache:cache")
)
TOOL_CHOICE = Kind(
    "tool_choice",
    "ToolChoice",
    _fields("mode:str name:str names:strings must:bool type:str config:object parallel:bool"),
    plain=False,
)
RESPONSE_FORMAT = Kind(
    "response_format",
    "ResponseFormat",
    _fields("kind:str! schema:object name:str~ description:str~ strict:bool grammar:str"),
    plain=False,
)
REASONING = Kind(
    "reasoning",
    "ReasoningOptions",
    _fields("effort:str budget:int>=-1 mode:str summary:str display:str include:bool context:str depth:str"),
    plain=False,
)
CONTINUATION = Kind(
    "continuation", "Continuation", _fields("id:str conversation:str wire:str~ kind:str~"), plain=False
)
CACHE = Kind("cache", "Cache", _fields("ttl:str"), plain=False)
MESSAGE = Kind("message", "Message", _fields("name:str id:str~ status:str~ phase:str~"))
OPTIONS = _fields(
    "max_tokens:int>=-2 temperature:number top_p:number top_k:int>=-1 min_p:number stop:strings seed:int "
    "frequency_penalty:number presence_penalty:number repetition_penalty:number logprobs:bool "
    "top_logprobs:int>=-1 logit_bias:number_object n:int>=1 service_tier:str cache_key:str store:bool"
)
# request fields beside options; those with a kind of their own are also reached by dotted holes
REQUEST = _fields(
    "model:str messages:messages! instructions:instructions tools:tools tool_choice:tool_choice "
    "response_format:response_format reasoning:reasoning metadata:text_object user_id:str stream:bool "
    "stream_usage:bool include:strings verbosity:str modalities:strings cache:cache"
)
DOTTED = {"tool_choice": TOOL_CHOICE, "reasoning": REASONING, "continuation": CONTINUATION}
COMMON_REQUEST_FIELDS = frozenset({"model", "messages", "instructions", "tools"})
# options that most requests set: builders look at the others only when one of those is given
COMMON_OPTIONS = frozenset({"max_tokens", "temperature", "top_p", "stop"})
ROLES = ("system", "developer", "user", "assistant", "tool")
# the kinds whose parts may be narrowed: `image.data@user,tool_result`
CONTAINERS = tuple(name for name, kind in PARTS.items() if "content" in kind.fields)
TOOL_CHOICE_MODES = ("auto", "none", "required", "named", "custom", "several", "hosted")
UNIONS = ("instruction", "tool", "tool_choice", "response_format", "reasoning", "cache")
