"""Convert input messages to drafts: the content of each part, and the files that are guidelines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from ..context import ContextPolicies
from ..errors import InvalidRequest
from ..model.parts import Document, Image, Part, Text
from ..nodes.checks import CheckedRecord, as_texts, as_tuple
from ..nodes.records import set_fields
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .files import matches, media_type_of, normalise

PROMPT_ROLES = ("system", "user", "assistant", "tool")
TEXT, FILE = "text", "file"


@dataclass(frozen=True, eq=False, repr=False)
class Segment(CheckedRecord):
    """One part of an input message.

    type   `text`, `file`, or a word that this package does not know
    value  the text; the path of the file as the case gives it
    text   what the file holds, once it was read; a picture or PDF as base64
    address  the URL of the file, where it was read below a folder
    path   the path of the file below that folder, if it is another than `value`; patterns match it
    """

    type: str
    value: str
    text: str | None = None
    address: str | None = None
    path: str | None = None


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


def marked(role: str, text: str, policies: ContextPolicies) -> str:
    """Prefix a text with the marker of a role."""
    name = role.capitalize()
    return f"@[{name}]:\n{text}" if policies.transcript_format == "at_block" else f"[{name}]: {text}"


def transcript(drafts: Sequence[DraftMessage], policies: ContextPolicies) -> str:
    """Write one entry for each message; guidelines are named, not quoted."""
    drafts_shown = [draft for draft in drafts if draft.visible or policies.guideline_only_messages != "drop"]
    entries = [(draft.role, draft.content(policies.part_separator)) for draft in drafts_shown]
    between = "\n\n" if policies.transcript_format == "at_block" else "\n"
    return between.join([marked(role, text, policies) for role, text in entries if text.strip()])


def flat_question(drafts: Sequence[DraftMessage], policies: ContextPolicies) -> str:
    """Write the parts of a single turn, without markers of roles; guidelines are named by policy."""
    references = policies.guideline_reference == "marker"
    pieces = [piece for draft in drafts if draft.role == "user" for piece in draft.pieces]
    texts = [piece.text for piece in pieces if references or not piece.reference]
    return policies.question_separator.join(texts)


def is_single_turn(drafts: Sequence[DraftMessage]) -> bool:
    """Return whether a case is one question of the user, and nothing else that is visible."""
    roles = [draft.role for draft in drafts]
    if "assistant" in roles or "tool" in roles or "user" not in roles:
        return False
    return [draft.role for draft in drafts if draft.visible] in ([], ["user"])


# white space inside is read over, as models do
_MARKER = re.compile(r"@?\[\s*(?:system|user|assistant|tool)\s*\]\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one part; `reference` is true if it only names a guideline, `media` is a picture or document."""

    text: str
    reference: bool = False
    media: Part | None = None


@dataclass(frozen=True, slots=True)
class DraftMessage:
    """One message while it is converted; `path` is its place in the case."""

    path: str
    role: str
    pieces: tuple[Piece, ...]
    tool_call_id: str | None = None

    @property
    def visible(self) -> bool:
        """Return whether it has content other than the names of guidelines."""
        return any(not piece.reference and piece.text.strip() for piece in self.pieces)

    def content(self, separator: str, *, references: bool = True) -> str:
        """Join the texts of its parts; media are named."""
        return separator.join([piece.text for piece in self.pieces if references or not piece.reference])

    def parts(self, separator: str, *, references: bool = True) -> tuple[Part, ...]:
        """Return texts and media in order, with neighbouring texts joined; empty if there are no media."""
        pieces = [piece for piece in self.pieces if references or not piece.reference]
        if not any(piece.media for piece in pieces):
            return ()
        parts: list[Part] = []
        for is_media, group in groupby(pieces, lambda piece: piece.media is not None):
            if is_media:
                parts += [piece.media for piece in group if piece.media is not None]
            else:
                parts.append(Text(separator.join([piece.text for piece in group])))
        return tuple(parts)


@dataclass(frozen=True, slots=True)
class Drafted:
    """All drafts, the texts of the guidelines as they are sent, and what was dropped.

    files  path of each guideline to its address
    """

    drafts: tuple[DraftMessage, ...]
    guidelines: tuple[str, ...]
    notes: tuple[Note, ...]
    files: Mapping[str, str]


def draft_messages(
    messages: Sequence[InputMessage], patterns: Sequence[str], policies: ContextPolicies
) -> Drafted:
    """Convert each part to text and collect the guidelines."""
    drafts: list[DraftMessage] = []
    notes: list[Note] = []
    guidelines: list[tuple[str, str]] = []
    for index, message in enumerate(messages):
        path = f"input_messages[{index}]"
        pieces: list[Piece] = []
        for place, segment in enumerate(message.segments):
            where = f"{path}.content[{place}]"
            if segment.type == FILE and segment.text is None:
                notes.append(Note("dropped", where, "", f'the file "{segment.value}" is missing'))
            elif segment.type == FILE and _is_guideline(segment, patterns):
                _take(segment, guidelines, where, notes, policies)
                pieces.append(Piece(f"<Attached: {segment.value}>", reference=True))
            elif segment.type == FILE and (kind := media_type_of(segment.value)) is not None:
                pieces.append(Piece(f"<Attached: {segment.value}>", media=_media(segment, kind)))
            elif segment.type in (TEXT, FILE):
                piece = _piece(segment, policies, bare=_is_bare(message, policies))
                if piece or policies.empty_parts == "keep":
                    pieces.append(Piece(piece))
            else:
                why = f"{segment.type}: only texts and files are read; attach media as type: file"
                notes.append(Note("dropped", where, "", why))
        draft = DraftMessage(path, message.role, tuple(pieces), message.tool_call_id)
        drafts.append(draft)
        notes += _misleading(draft, policies)
    files = {
        segment.value: segment.address or segment.value
        for message in messages
        for segment in message.segments
        if segment.type == FILE and segment.text is not None and _is_guideline(segment, patterns)
    }
    return Drafted(tuple(drafts), _shown(guidelines, policies), tuple(notes), files)


def _is_guideline(segment: Segment, patterns: Sequence[str]) -> bool:
    return bool(patterns) and matches(segment.path or segment.value, patterns)


def _media(segment: Segment, kind: str) -> Part:
    if kind.startswith("image/"):
        return Image(data=segment.text, media_type=kind)
    name = normalise(segment.value).rpartition("/")[2]
    return Document(data=segment.text, media_type=kind, filename=name)


def file_text(segment: Segment, policies: ContextPolicies) -> str:
    """Return the text of an attached file, with line ends by policy."""
    text = segment.text or ""
    return text.replace("\r\n", "\n") if policies.normalise_newlines else text


def _is_bare(message: InputMessage, policies: ContextPolicies) -> bool:
    return message.role == "system" and policies.system_message_files == "bare"


def _piece(segment: Segment, policies: ContextPolicies, *, bare: bool) -> str:
    if segment.type == TEXT:
        return segment.value
    text = file_text(segment, policies)
    return text if bare else _under_header(segment.value, text, policies)


def _under_header(path: str, text: str, policies: ContextPolicies) -> str:
    if policies.file_header == "xml":
        return f'<file path="{escape(path)}">\n{text}\n</file>'
    return f"=== {path} ===\n{text}"


def _take(
    segment: Segment,
    guidelines: list[tuple[str, str]],
    where: str,
    notes: list[Note],
    policies: ContextPolicies,
) -> None:
    """Keep the text of a guideline, unless it is blank or there already."""
    text = file_text(segment, policies)
    text = text.strip() if policies.trim == "guidelines" else text
    if not text.strip():
        notes.append(Note("dropped", where, "", f'the guideline "{segment.value}" is blank'))
        return
    known = {normalise(path) for path, _ in guidelines}
    if policies.guideline_dedup == "by_path" and normalise(segment.value) in known:
        notes.append(Note("merged", where, "", f'the guideline "{segment.value}" is attached already'))
        return
    guidelines.append((segment.value, text))


def _shown(guidelines: list[tuple[str, str]], policies: ContextPolicies) -> tuple[str, ...]:
    headers = policies.guideline_headers
    if headers == "never" or (headers == "auto" and len(guidelines) < 2):
        return tuple([text for _, text in guidelines])
    basename = policies.header_path == "basename"
    return tuple(
        [
            _under_header(normalise(path).split("/")[-1] if basename else path, text, policies)
            for path, text in guidelines
        ]
    )


def _misleading(draft: DraftMessage, policies: ContextPolicies) -> list[Note]:
    """Return a note if a text contains something that looks like a role marker of the transcript."""
    marker = _MARKER.search(draft.content(policies.part_separator))
    if marker is None:
        return []
    why = f'it says "{marker.group()}", as the turns of a transcript begin'
    return [Note("ambiguous", draft.path, "", why)]
