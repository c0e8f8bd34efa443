"""Bundles of policies under a name: each says how one known design treats instructions and prompts.

- `standard` is this project's own choice.
- `seed` is the requirement that it began with: whoever brings a system message has said all.
- `design004` is the design document of an evaluation tool, agentv, as it was first accepted: nothing is left out.
- `agentv` is that tool as it came to be.
- `maf` is the Microsoft Agent Framework, and `meai` the library below it, Microsoft.Extensions.AI: agents whose
  instructions are put together at run time, and conversations that nobody rearranges.

| preset      | its instructions                                                                              |
|-------------|-----------------------------------------------------------------------------------------------|
| `standard`  | the defaults: layers in the documented order, a text that is already there is not sent twice   |
| `seed`      | as `standard`, but a system message of the user replaces all layers                            |
| `design004` | the agent's text first, then explicit system messages: all are sent                            |
| `agentv`    | an agent's text is a default: it is sent only where the messages hold no system message        |
| `maf`       | the request before the context providers; only an identical text is skipped; layers repeat     |
| `meai`      | the given instructions are always added before the messages, and nothing is compared           |

| preset      | its prompts                                                                                    |
|-------------|------------------------------------------------------------------------------------------------|
| `standard`, `seed` | the defaults of `PromptPolicies`                                                        |
| `design004` | metadata, guidelines, explicit system messages, all at the start; markers and empty parts stay |
| `agentv`    | the same order, but a later system message becomes the assistant's; guidelines leave no marker; |
|             | a single turn stays a question                                                                 |
| `maf`, `meai` | messages stay as they are, wherever they stand, and no default system prompt is added        |
"""

from __future__ import annotations

from ..errors import PolicyError
from .policies import BASE, DYNAMIC, PLAN, REQUEST, ContextPolicies

STANDARD = ContextPolicies()
PRESETS = {
    "standard": STANDARD,
    "seed": ContextPolicies(dedup="skip_if_system_present"),
    "design004": ContextPolicies(
        dedup="combine",
        system_layout="base_guidelines_explicit",
        system_message_files="bare",
        guideline_only_messages="keep",
        empty_parts="keep",
    ),
    "agentv": ContextPolicies(
        dedup="skip_if_system_present",
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="demote_assistant",
        guideline_headers="always",
        header_path="basename",
        guideline_dedup="none",
        guideline_reference="omit",
        guideline_only_messages="drop",
        tool_role="demote_assistant",
        structured_when="multi_turn",
        transcript_format="at_block",
        question_separator="\n\n",
    ),
    "maf": ContextPolicies(
        layer_order=(BASE, PLAN, REQUEST, DYNAMIC),
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="in_place",
        default_system_prompt=None,
    ),
    "meai": ContextPolicies(
        dedup="combine",
        repeats="keep",
        system_layout="base_guidelines_explicit",
        late_system="in_place",
        default_system_prompt=None,
    ),
}


def context_policies_of(value: object) -> ContextPolicies:
    """Resolve a preset's name; raises PolicyError for one that does not exist."""
    if isinstance(value, ContextPolicies):
        return value
    if not isinstance(value, str) or value not in PRESETS:
        name = f'"{value}"' if isinstance(value, str) else type(value).__name__
        raise PolicyError(f"{name} is not a preset of contexts: use one of {', '.join(PRESETS)}")
    return PRESETS[value]
