"""Values that an API requires and that need no guess: a limit for the answer."""

from __future__ import annotations

from ..rules.limits import highest_accepted
from ..typed import TYPE_CHECKING
from .fields import Changes

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import Edit, RepairContext

# what almost every model can write
_MAX_TOKENS = 4096


def fill(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Set a limit for the answer where the API requires one: the model's own, or else what almost every model has."""
    changes = Changes(request, context)
    for _, error in context.nodes(request):
        if error.field == "max_tokens":
            limit, whose = _limit_of(request, context)
            why = f"{context.wire.title} requires it; {limit} tokens are {whose}"
            changes.set(request.options, "max_tokens", limit, why)
    return changes.applied()


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
