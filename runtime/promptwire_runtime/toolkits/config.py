"""Configuration of how toolkits are shown, as one frozen value. Each choice lists its words, the default first."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PolicyError
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record

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
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CollapsingConfig(Record):
    """Configuration of collapsing tools into containers, and of the place of their instructions.

    What is collapsed:
        enabled                  false: every function is shown, there are no containers and nothing is deferred
        collapse_frontend_tools  whether tools that the caller's own frontend runs stand in a container too
        deferral                 `auto`: `native` where the API defers tools itself for this model, else `containers`.
                                 `native`: wherever the API has it, known models or not. `none`: as not enabled
        deferral_threshold       with fewer functions than this, `auto` shows all of them
    What a container says:
        max_function_names_in_description  how many names its description lists; 0: none
        description_style        `seed`: `Files (a, b, ...)`, the dots unless exactly as many names are there.
                                 `when_truncated`: the dots only where names are missing.
                                 `contains_n`: `Files. Contains 3 functions: a, b and 1 more`
        description_prefix       what stands before the names: the toolkit's `description`, or its `name`
        expanded_tool_order      `in_place`: members stand where their container stood. `grouped_sorted`: containers,
                                 skills, functions that always show, members, each by name
    Where instructions stand, and for how long:
        persist_system_prompt_injections   true says prompt_lifetime `session`
        prompt_lifetime          `message_turn`: until the user's next message. `session`: from then on.
                                 `while_expanded`: until the container is collapsed. None: by the flag above
        activation               what brings a system prompt: `expansion` (where there is no container, the first call
                                 of a function), or every `use` of a function
        server_activation        the same for MCP servers and frontend tools: with every `use` of their functions,
                                 with the `expansion` of their container, or from the `start`
        native_instructions      where the API defers tools itself, how a system prompt reaches the model before it
                                 calls a function: with the `search_result`, as part of the descriptions of deferred
                                 functions; in the `instructions`, from the start; or only after the first `use`
        function_result_lifetime `history`: what a container answered stays. `ephemeral`: its calls and answers leave
                                 the history, together, when the next message turn begins
        injection_style          `plain`: texts after the instructions, a blank line between. `banner`: under headings
        skill_instruction_mode   `both`: in the system text and in the result of the call. `prompt_only`
        mcp_server_instructions  name of an MCP server to what is said of its tools, besides what the server says
        mcp_instruction_target   whether that is said in the `system` text or in the `result` of the call
        frontend_tools_instructions  what is said of frontend tools

    Raises PolicyError for a word that no choice has, and for a lifetime that the flag contradicts.
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
    frontend_tools_instructions: str | None = None

    def __post_init__(self) -> None:
        """Check all choices and numbers."""
        for name, words in _CHOICES.items():
            value = getattr(self, name)
            if value not in words:
                raise PolicyError(f'{name}="{value}": use one of {", ".join(filter(None, words))}')
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
