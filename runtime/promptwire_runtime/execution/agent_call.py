"""The two values that an agent's call is made of."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record


@dataclass(frozen=True, eq=False, repr=False)
class ConversationContext(Record):
    """What holds for a whole conversation.

    model_name   the model, in the API's own words
    system       the base system prompt; it may be empty
    temperature  how much chance decides; None leaves it to the API
    """

    model_name: str
    system: str = ""
    temperature: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AgentExecuteRequest(Record):
    """What one call is to do; whatever is None is not there.

    mode                      the agent's mode, such as `QA` or `CODE_EDIT`
    instruction               what the user wants
    response_continuation_id  the id of the answer that this call continues
    tools_json                a JSON array of tools
    tool_choice_name          the tool that must be called
    tool_results_json         a JSON array of what tools came to: objects with `CallId`, `Name`, `WasExecuted` (true or
                              false), `ResultJson` (text, or any JSON) and `ErrorMessage`, each of which may be missing
                              or null; case does not count, nor do underscores
    system_prompt             further instructions for this call alone
    """

    mode: str | None
    instruction: str
    response_continuation_id: str | None = None
    tools_json: str | None = None
    tool_choice_name: str | None = None
    tool_results_json: str | None = None
    system_prompt: str | None = None
