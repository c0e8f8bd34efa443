"""The public names of `promptwire` that moved, and its modules: for the package, its page and `gen codemod`."""

from __future__ import annotations

from collections.abc import Mapping

# names that importing a builder does not load
LATE = ("Answer", "Api", "Event", "Reading", "dump_request", "load_request", "policies")

# modules beside the wires: name -> the module whose names it has, and its docstring
MODULES: Mapping[str, tuple[str, str]] = {
    "batch": (
        "promptwire_batch",
        "Batches: files of requests within the limits of each service, their results, and further rounds.",
    ),
    "context": (
        "promptwire_runtime.context",
        "Layers of instructions, and the pipeline that prepares a request before it is built.",
    ),
    "data": (
        "promptwire_data",
        "Convert, check and read requests in columns: for Ray Data, pyarrow and polars.",
    ),
    "errors": ("promptwire_runtime.errors", "Every error that promptwire raises."),
    "execution": ("promptwire_runtime.execution", "Calls of an agent composed into one request."),
    "http": (
        "promptwire_http",
        "A client for the requests that this package builds. Needs httpx: the extra `http`.",
    ),
    "parts": (
        "promptwire_runtime.parts",
        "The parts and tools that few requests need, and functions that make messages and media.",
    ),
    "plugins": (
        "promptwire_runtime.plugins",
        "What plugins are given: reports, contexts of repairs, and the records of facts, rules and form memory.",
    ),
    "prompts": (
        "promptwire_runtime.prompts",
        "Evaluation cases, their prompts, and the requests they become.",
    ),
    "results": (
        "promptwire_runtime.results",
        "What operations return, besides the records of `promptwire`; and what reads, counts and encodes results.",
    ),
    "toolkits": (
        "promptwire_runtime.toolkits",
        "Groups of tools that a model sees collapsed until it opens them.",
    ),
}
# names that `promptwire` had, by the module that has them now
_MOVED: Mapping[str, str] = {
    "errors": """
        AnswerError ClientError ContextError InvalidRequest LoadError MissingField NoPlace PolicyError Refused
        SettingError StreamError
    """,
    "parts": """
        AnyTool Compaction CustomToolCall CustomToolResult HostedCall HostedResult ItemReference Opaque Refusal
        SearchResult ToolAddition ToolGroup ToolReference Upload Video developer document_data document_url image_data
        image_url
    """,
    "plugins": "Form Kept Provenance RepairContext Rule Setting Signing Wire",
    "prompts": "load_case load_cases",
    "results": "CachePrefix Candidate ConversationEncoder Support Usage",
}
# old name -> new name, with the module
MOVED_NAMES: Mapping[str, str] = {
    "BuildContext": "plugins.Report",
    "Edit": "Note",
    "Finding": "Problem",
    **{name: f"{module}.{name}" for module, names in _MOVED.items() for name in names.split()},
}
# constants that a text replaces: old name -> what to write
REPLACED_NAMES: Mapping[str, str] = {
    "LENIENT": 'policies="lenient"',
    "PORTABLE": 'policies="portable"',
    "PRESETS": 'the names "strict", "portable", "lenient" and "verbatim"',
    "STRICT": 'policies="strict"',
    "VERBATIM": 'policies="verbatim"',
}
