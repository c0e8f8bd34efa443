"""The messages of an evaluation case, and those of a chat prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InvalidRequest
from ..model.parts import Part
from ..nodes.checks import CheckedRecord
from ..nodes.coercion import as_texts, as_tuple
from ..nodes.records import set_fields
from ..nodes.type_errors import check_class
from ..reporting.notes import Note

PROMPT_ROLES = ("system", "user", "assistant", "tool")
TEXT, FILE = "text", "file"


@dataclass(frozen=True, eq=False, repr=False)
class Segment(CheckedRecord):
    """One part of an input message.

    type   `text`, `file`, or a word that this package does not know
    value  the text; the path of the file as the case gives it
    text   what the file holds, once it was read; a picture or PDF as base64
    address  the URL of the file, where it was read below a folder
    """

    type: str
    value: str
    text: str | None = None
    address: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class InputMessage(CheckedRecord):
    """One message of a case; `tool_call_id` names the call that a tool message answers."""

    role: str
    segments: tuple[Segment, ...] = ()
    tool_call_id: str | None = None

    def __post_init__(self) -> None:
        """Check the role."""
        super().__post_init__()
        _check_role(self.role)


@dataclass(frozen=True, eq=False, repr=False)
class ChatMessage(CheckedRecord):
    """One message of a chat prompt: a role and its text.

    parts  where pictures or documents are attached: texts and media in their order; `content` names them
    """

    role: str
    content: str
    tool_call_id: str | None = None
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        """Check the role."""
        super().__post_init__()
        _check_role(self.role)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProviderRequest(CheckedRecord):
    """The input of a provider: a chat prompt, or a question if there is none.

    Attributes:
        question: The transcript of the case, for logs and for agents that take one text.
        chat_prompt: The messages. None or empty: only the question is sent.
        guidelines: Texts for the system message of a question. A chat prompt already contains them.
        guideline_files: Path of each guideline file -> its URL, for agents that read files.
        system_prompt: The system message of a prompt that has none, instead of the default.
        notes: What was dropped, merged or is ambiguous.
    """

    question: str = ""
    chat_prompt: tuple[ChatMessage, ...] | None = None
    guidelines: str | tuple[str, ...] = ()
    system_prompt: str | None = None
    notes: tuple[Note, ...] = ()
    guideline_files: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        """Turn lists into tuples; a single text counts as one guideline."""
        super().__post_init__()
        set_fields(self, guidelines=as_texts(self.guidelines, "guidelines"))
        if self.chat_prompt is not None:
            prompt = as_tuple(self.chat_prompt, "messages of a chat prompt")
            for message in prompt:
                check_class(message, ChatMessage, "a message of the chat prompt")
            set_fields(self, chat_prompt=prompt)


def _check_role(role: object) -> None:
    if role not in PROMPT_ROLES:
        raise InvalidRequest(f'"{role}" is not a role of a prompt: use one of {", ".join(PROMPT_ROLES)}')
