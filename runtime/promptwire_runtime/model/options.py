"""How to generate: sampling, tool choice, output format, reasoning, continuation. Absent means not sent."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING, Iterable, Mapping
from .nodes import Node, dataclass, field, fields
from .parts import Cache, JsonObject, PerWire
from .plain import as_texts, as_tuple, unknown_role
from .wire_memory import Kept

if TYPE_CHECKING:
    from typing import ClassVar
else:
    from ..typed import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Options(Node):
    """Sampling and delivery parameters. There are no defaults: what is None is not written.

    max_tokens counts output tokens; `stop` is a tuple of stop strings; `logit_bias` maps token id -> bias.

    Raises InvalidRequest for a number that no API takes.
    """

    # -1 is no limit to some servers, -2 what the context holds to Ollama; 0 tokens warm a cache
    LEAST: ClassVar = (("max_tokens", -2), ("top_k", -1), ("top_logprobs", -1), ("n", 1))

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    stop: tuple[str, ...] | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: Mapping[str, float] | None = None
    n: int | None = None
    service_tier: str | None = None
    cache_key: str | None = None
    store: bool | None = None
    given: frozenset[str] = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # a caller may give more than the fields hold

        def __init__(
            self,
            *,
            max_tokens: int | None = None,
            temperature: float | None = None,
            top_p: float | None = None,
            top_k: int | None = None,
            min_p: float | None = None,
            stop: str | Iterable[str] | None = None,
            seed: int | None = None,
            frequency_penalty: float | None = None,
            presence_penalty: float | None = None,
            repetition_penalty: float | None = None,
            logprobs: bool | None = None,
            top_logprobs: int | None = None,
            logit_bias: Mapping[str, float] | None = None,
            n: int | None = None,
            service_tier: str | None = None,
            cache_key: str | None = None,
            store: bool | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Note which options were given."""
        if self.stop is not None:
            object.__setattr__(self, "stop", as_texts(self.stop, "stop strings"))
        given = [name for name in OPTION_NAMES if getattr(self, name) is not None]
        object.__setattr__(self, "given", frozenset(given))


OPTION_NAMES = frozenset(f.name for f in fields(Options) if f.init)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolChoice(Node):
    """Which tools the model may or must call.

    mode: `auto`, `none`, `required`, `named` (one tool: `name`), `custom` (one free-text tool: `name`),
    `several` (`names`; `must` tells whether one of them must be called), `hosted` (`type` and `config`).
    `parallel` may stand alone: it allows or forbids several calls in one turn.
    """

    mode: str | None = None
    name: str | None = None
    names: tuple[str, ...] | None = None
    must: bool | None = None
    type: str | None = None
    config: JsonObject | None = None
    parallel: bool | None = None
    kept: Kept | None = None

    if TYPE_CHECKING:  # a caller may give a list of names

        def __init__(
            self,
            mode: str | None = None,
            name: str | None = None,
            names: Iterable[str] | None = None,
            must: bool | None = None,
            type: str | None = None,
            config: JsonObject | None = None,
            parallel: bool | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn a list of names into a tuple."""
        if self.names is not None:
            object.__setattr__(self, "names", as_texts(as_tuple(self.names, "names"), "names"))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResponseFormat(Node):
    """The form of the answer.

    kind: `text`, `json`, `json_schema` (with `schema`), `enum` (one word of those that `schema` lists),
    `grammar` (text that `grammar` describes), `python` (code in that language). Which of them an API takes, its
    tables say; `name`, `description` and `strict` go with a schema.
    """

    kind: str
    schema: JsonObject | None = None
    name: str | None = None
    description: str | None = None
    strict: bool | None = None
    grammar: str | None = None
    kept: Kept | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReasoningOptions(Node):
    """How to think.

    effort   the wire's own level (`none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`)
    budget   most tokens to think, an integer
    mode     `adaptive`, `disabled` ... where the wire has named modes
    summary  how to summarise; display how to show thinking; include whether to return thoughts at all
    context  which earlier reasoning the model sees; depth which reasoning service (`standard`, `pro`)
    """

    # -1 leaves it to the model
    LEAST: ClassVar = (("budget", -1),)

    effort: str | None = None
    budget: int | None = None
    mode: str | None = None
    summary: str | None = None
    display: str | None = None
    include: bool | None = None
    context: str | None = None
    depth: str | None = None
    kept: Kept | None = None

    @property
    def kind(self) -> str | None:
        """The named mode, or `budget` where only a budget says how to think."""
        return self.mode if self.mode is not None else "budget" if self.budget is not None else None


NO_TOOL_CHOICE = ToolChoice()
NO_REASONING = ReasoningOptions()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Continuation(Node):
    """What the server already holds.

    id            of the answer (or thread) that is continued
    conversation  id of a stored conversation
    start         index in `messages` of the first one that the server has not seen; their number where it has seen all
    unanswered    ids of tool calls in that answer which still lack a result: a build refuses a request without it
    wire          the wire that the id belongs to; another wire refuses it
    kind          what the id names, in the caller's own words; it is never written

    Raises InvalidRequest for a negative start.
    """

    id: str | None = None
    conversation: str | None = None
    start: int = 0
    unanswered: tuple[str, ...] = ()
    wire: str | None = None
    kind: str | None = None

    if TYPE_CHECKING:  # a caller may give more than the fields hold

        def __init__(
            self,
            *,
            id: str | None = None,
            conversation: str | None = None,
            start: int = 0,
            unanswered: Iterable[str] = (),
            wire: str | None = None,
            kind: str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn a list of ids into a tuple, and refuse a negative start."""
        if type(self.start) is int and self.start < 0:
            why = f"Continuation: start is the index of a message: 0 or more, not {self.start}"
            raise InvalidRequest(why, field="continuation.start")
        if self.unanswered != ():
            calls = as_tuple(self.unanswered, "unanswered calls")
            object.__setattr__(self, "unanswered", as_texts(calls, "unanswered calls"))


NO_CONTINUATION = Continuation()


LAYER_ROLES = ("system", "developer")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Instruction(Node):
    """One layer of the instructions: a text with its role and where it came from.

    role is `system` or `developer`; `source` (base, plan, dynamic, request ...), `stability` and `trust`
    describe the layer and are never written to a wire.

    Raises InvalidRequest for any other role.
    """

    LOOKED_AT: ClassVar = frozenset({"role", "source", "stability", "trust"})

    text: str
    role: str | None = None
    source: str | None = None
    stability: str | None = None
    trust: str | None = None
    cache: Cache | None = None
    vendor: PerWire | None = None
    extra: PerWire | None = None
    kept: Kept | None = None
    plain: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the role."""
        if self.role is not None and self.role not in LAYER_ROLES:
            raise unknown_role(self.role, "role of a layer", LAYER_ROLES)
