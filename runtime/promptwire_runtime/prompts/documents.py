"""Documents beside a question: files that a caller names become parts of the user's message."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import PurePath
from typing import Any

from ..context import ContextPolicies, context_policies_of
from ..errors import InvalidRequest, LoadError
from ..model.parts import RESULTS, Part, Text
from ..model.request import Message, Request
from ..nodes.checks import as_tuple
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .drafting import FILE, InputMessage, Segment, draft_messages
from .files import Files, MissingFileError


def with_documents(
    request: Request,
    paths: Iterable[str | os.PathLike[str]],
    *,
    files: Files | Mapping[str, str] | None = None,
    policies: ContextPolicies | str | Mapping[str, Any] = "standard",
    notes: list[Note] | None = None,
) -> Request:
    """Return the request with documents in its last message of the user, before what the user says there.

    Pictures and PDFs become parts of their own, all other files text under a line with their path.

    Args:
        request: The conversation.
        paths: Paths of files.
        files: Where they are read, or their texts (path -> text). None: where the paths say.
        policies: `file_header`, `normalise_newlines` and `missing_files` are looked at.
        notes: Gets a note for each file that is left out.

    Raises:
        LoadError: a file cannot be read, or is missing under `missing_files="error"`.
        InvalidRequest: the request has no message of the user.
        PolicyError: the preset does not exist.
    """
    check_class(request, Request, "request")
    chosen = context_policies_of(policies)
    segments = [_read_document(path, files, chosen) for path in as_tuple(paths, "documents")]
    drafted = draft_messages([InputMessage("user", tuple(segments))], (), chosen)
    if notes is not None:
        notes += [
            replace(note, path=note.path.replace("input_messages[0].content", "documents"))
            for note in drafted.notes
        ]
    (draft,) = drafted.drafts
    if not draft.pieces:
        return request
    parts = draft.parts(chosen.segment_separator) or (Text(draft.content(chosen.segment_separator)),)
    return replace(request, messages=_with_parts(request.messages, parts))


def _with_parts(messages: tuple[Message, ...], parts: tuple[Part, ...]) -> tuple[Message, ...]:
    place = next(
        (index for index, message in reversed([*enumerate(messages)]) if message.role == "user"), None
    )
    if place is None:
        raise InvalidRequest("no message is the user's: documents have no place", path="messages")
    asked = messages[place]
    # APIs want results of tools before all else
    results = tuple(takewhile(lambda part: isinstance(part, RESULTS), asked.parts))
    said = asked.parts[len(results) :]
    return (*messages[:place], replace(asked, parts=(*results, *parts, *said)), *messages[place + 1 :])


def _read_document(
    path: str | os.PathLike[str], files: Files | Mapping[str, str] | None, policies: ContextPolicies
) -> Segment:
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise LoadError(f"a document is the path of a file, not {type(path).__name__}") from None
    place = PurePath(name)
    if files is None:
        source, inside = Files(place.parent), place.name
    else:
        source, inside = files if isinstance(files, Files) else Files(given=files), name
    try:
        return Segment(FILE, name, source.read(inside))
    except LoadError as error:
        if isinstance(error, MissingFileError) and policies.missing_files == "omit":
            return Segment(FILE, name)
        raise LoadError(f"document {shown(name)}: {error}") from None
