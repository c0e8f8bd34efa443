"""The price of an answer, by the package genai-prices where it is installed."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model_calls import ModelCall

# token counts of ours -> those of genai-prices
_COUNTS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write": "cache_write_tokens",
}


def cost_of(call: ModelCall) -> Decimal | None:
    """Return the price of an answer in US dollars; None if it is not known. A replayed answer costs nothing."""
    source = call.source
    if source.replayed is not None:
        return Decimal(0)
    usage, model = call.usage, (call.answer and call.answer.model) or source.request.model
    if usage is None or not model:
        return None
    try:
        # without types that fit all its versions
        prices: Any = import_module("genai_prices")
    except ImportError:
        return None
    counts = {theirs: getattr(usage, ours) for ours, theirs in _COUNTS.items()}
    try:
        priced = prices.calc_price(prices.Usage(**counts), model, provider_api_url=source.built.shown_url)
    except LookupError:
        return None
    total: Decimal = priced.total_price
    return total
