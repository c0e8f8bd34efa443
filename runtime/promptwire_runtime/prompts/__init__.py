"""Prompts of evaluation cases: input messages, guidelines and attached files become requests.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from .case_files import Case, load_case, load_cases
from .delivery import Delivered, as_request, convert, deliver
from .documents import with_documents
from .drafting import ChatMessage, InputMessage, ProviderRequest, Segment
from .files import Files, matches

__all__ = [
    "Case", "ChatMessage", "Delivered", "Files", "InputMessage", "ProviderRequest", "Segment", "as_request",
    "convert", "deliver", "load_case", "load_cases", "matches",
    "with_documents",
]  # fmt: skip
