"""Preparation of a request before it is built: layers of instructions, and the context pipeline.

Builders do not need this package, so it is only loaded when it is imported.
"""

from __future__ import annotations

from .dedup import settle
from .filters import ContextProvider, Draft, Filter, Outcome, PromptFilter
from .history import HistoryReduction, Reduction, estimate_tokens
from .layers import Merged, Origin, layers_of, merge
from .pipeline import Pipeline
from .plan import (
    DEFAULT_EXIT_TEXT,
    DEFAULT_PLAN_TEXT,
    PHASES,
    ContextReport,
    PlanMode,
    Prepared,
    instruction_path,
    next_phase,
    place,
)
from .policies import (
    PRESETS,
    STANDARD,
    ContextPolicies,
    PromptPolicies,
    context_policies_of,
    merge_options,
    merge_request,
)
from .sections import Section, put_section

__all__ = [
    "DEFAULT_EXIT_TEXT", "DEFAULT_PLAN_TEXT", "PHASES", "PRESETS", "STANDARD", "ContextPolicies", "ContextProvider",
    "ContextReport", "Draft", "Filter", "HistoryReduction", "Merged", "Origin", "Outcome", "Pipeline", "PlanMode",
    "Prepared", "PromptFilter", "PromptPolicies", "Reduction", "Section", "context_policies_of", "estimate_tokens",
    "instruction_path", "layers_of", "merge", "merge_options", "merge_request", "next_phase", "place", "put_section",
    "settle",
]  # fmt: skip
