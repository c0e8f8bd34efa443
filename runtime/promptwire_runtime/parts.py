"""The parts and tools that few requests need, and functions that make messages and media."""

from __future__ import annotations

from .constructors import developer, document_data, document_url, image_data, image_url
from .model.parts import (
    AnyTool,
    Compaction,
    CustomToolCall,
    CustomToolResult,
    HostedCall,
    HostedResult,
    ItemReference,
    Opaque,
    Refusal,
    SearchResult,
    ToolAddition,
    ToolGroup,
    ToolReference,
    Upload,
    Video,
)

__all__ = [
    "AnyTool", "Compaction", "CustomToolCall", "CustomToolResult", "HostedCall", "HostedResult", "ItemReference",
    "Opaque", "Refusal", "SearchResult", "ToolAddition", "ToolGroup", "ToolReference", "Upload", "Video", "developer",
    "document_data", "document_url", "image_data", "image_url",
]  # fmt: skip
