"""Values that an API requires and that need no guess: a limit for the answer."""

from __future__ import annotations

from ..rules.limits import highest_accepted
from ..typed import TYPE_CHECKING
from .fields import Changes, field_repair

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import RepairContext

# what almost every model can write
_MAX_TOKENS = 4096


@field_repair
def fill(changes: Changes) -> None:
    """Set a limit for the answer where the API requires one: the model's own, or else what almost every model has."""
    for _, error in changes.asked:
        if error.field == "max_tokens":
            limit, whose = _limit_of(changes.request, changes.context)
            why = f"{changes.title} requires it; {limit} tokens are {whose}"
            changes.set(changes.request.options, "max_tokens", limit, why)


def _limit_of(request: Request, context: RepairContext) -> tuple[int, str]:
    """Return how many tokens an answer may have, and where that number is from."""
    decision = context.wire.decide(request.model, context.settings)
    if "max_tokens" not in decision.limits:
        decision.limits["max_tokens"] = highest_accepted(decision.rules, "max_tokens")
    found = decision.limits["max_tokens"]
    if found is None:
        return _MAX_TOKENS, "assumed"
    limit, rule = found
    return int(limit), "the limit of this model" + (f" ({rule.source})" if rule.source else "")
