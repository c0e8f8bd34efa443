"""Configuration of toolkits: how they are shown, and where their instructions are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import PolicyError
from ..nodes.checks import CheckedRecord, check_choices

MESSAGE_TURN, SESSION, WHILE_EXPANDED = "message_turn", "session", "while_expanded"
USE, EXPANSION, START = "use", "expansion", "start"
SEARCH_RESULT, INSTRUCTIONS = "search_result", "instructions"
AUTO, NATIVE, CONTAINERS, NONE = "auto", "native", "containers", "none"
_CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "deferral": (AUTO, NATIVE, CONTAINERS, NONE),
    "description_style": ("seed", "when_truncated", "contains_n"),
    "description_prefix": ("description", "name"),
    "expanded_tool_order": ("in_place", "grouped_sorted"),
    "prompt_lifetime": (None, MESSAGE_TURN, SESSION, WHILE_EXPANDED),
    "activation": ("expansion", "use"),
    "server_activation": (USE, EXPANSION, START),
    "native_instructions": (SEARCH_RESULT, INSTRUCTIONS, USE),
    "function_result_lifetime": ("history", "ephemeral"),
    "injection_style": ("plain", "banner"),
    "skill_instruction_mode": ("both", "prompt_only"),
    "mcp_instruction_target": ("system", "result"),
    "absent_servers": ("note", "error"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CollapsingConfig(CheckedRecord):
    """Configuration of collapsing tools into containers, and of the place of their instructions.

    Attributes:
        enabled: Whether toolkits are collapsed. If false, all functions are visible.
        collapse_frontend_tools: Whether tools of the caller's frontend are collapsed too.
        deferral: `auto`: `native` if the API can defer tools for this model, else `containers`. `native`: if the API
            can defer tools, for any model. `containers`. `none`: all functions are visible.
        deferral_threshold: With fewer functions than this, `auto` shows all of them.
        max_function_names_in_description: How many function names the description of a container lists. 0 lists none.
        description_style: `seed`: `Files (a, b, ...)`, with dots unless the number of names equals the maximum.
            `when_truncated`: dots only if names are left out. `contains_n`: `Files. Contains 3 functions: a, b and 1
            more`.
        description_prefix: The text before the names: the `description` of the toolkit, or its `name`.
        expanded_tool_order: `in_place`: the functions take the place of their container. `grouped_sorted`: containers,
            skills, functions that are always visible, then expanded functions, each sorted by name.
        persist_system_prompt_injections: If true, `prompt_lifetime` is `session`.
        prompt_lifetime: How long the system prompt of a toolkit stays: for the `message_turn`, the `session`, or
            `while_expanded`. None: as `persist_system_prompt_injections` says.
        activation: What adds a system prompt: the `expansion` of the container (without containers, the first call of
            a function), or every `use` of a function.
        server_activation: What adds the texts of MCP servers and frontend tools: every `use` of a function, the
            `expansion` of the container, or the `start` of the session.
        native_instructions: Where the model finds a system prompt if the API defers the tools: in the descriptions of
            the deferred functions, which come with the `search_result`; in the `instructions` from the start; or there
            after the first `use`.
        function_result_lifetime: `history`: the result of a container stays in the history. `ephemeral`: call and
            result are removed when the next message turn begins.
        injection_style: `plain`: texts after the instructions, separated by a blank line. `banner`: under headings.
        skill_instruction_mode: Instructions of a skill: in the system text and in the result of the call (`both`), or
            only in the system text (`prompt_only`).
        mcp_server_instructions: Name of an MCP server -> instructions for its tools, added to those of the toolkit.
        mcp_instruction_target: Where they stand: in the `system` text, or in the `result` of the call.
        absent_servers: A server in `mcp_server_instructions` that no toolkit is: a `note`, or an `error`.
        frontend_tools_instructions: Instructions for frontend tools.

    Raises:
        PolicyError: a choice or number is invalid, or `prompt_lifetime` contradicts the flag.
    """

    enabled: bool = True
    collapse_frontend_tools: bool = False
    deferral: str = AUTO
    deferral_threshold: int = 0
    max_function_names_in_description: int = 10
    description_style: str = "seed"
    description_prefix: str = "description"
    expanded_tool_order: str = "in_place"
    persist_system_prompt_injections: bool = False
    prompt_lifetime: str | None = None
    activation: str = "expansion"
    server_activation: str = USE
    native_instructions: str = SEARCH_RESULT
    function_result_lifetime: str = "history"
    injection_style: str = "plain"
    skill_instruction_mode: str = "both"
    mcp_server_instructions: Mapping[str, str] = field(default_factory=dict[str, str])
    mcp_instruction_target: str = "system"
    absent_servers: str = "note"
    frontend_tools_instructions: str | None = None

    def __post_init__(self) -> None:
        """Check all choices and numbers."""
        super().__post_init__()
        check_choices(self, _CHOICES)
        for name in ("deferral_threshold", "max_function_names_in_description"):
            if getattr(self, name) < 0:
                raise PolicyError(f"{name} is 0 or more, not {getattr(self, name)}")
        if self.persist_system_prompt_injections and self.prompt_lifetime not in (None, SESSION):
            raise PolicyError(
                f'persist_system_prompt_injections says "session", prompt_lifetime "{self.prompt_lifetime}"'
            )

    @property
    def lifetime(self) -> str:
        """Return how long a system prompt stays, from whichever of the two fields is set."""
        return self.prompt_lifetime or (SESSION if self.persist_system_prompt_injections else MESSAGE_TURN)
