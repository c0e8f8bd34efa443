"""Files of evaluation cases, and the conversion of each case to a neutral request."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from promptwire_text.words import nearest

from ..context import PRESETS, ContextPolicies, PromptPolicies, context_policies_of
from ..errors import InvalidRequest, LoadError, PolicyError
from ..loading.problems import KeyPath, Problems, describe, unknown
from ..loading.source import REQUEST, SourceDocument, decode_document, open_document, read_with
from ..loading.value_readers import (
    TEXT,
    Entry,
    ValueReader,
    entries,
    is_list,
    is_mapping,
    is_text,
    is_text_or_mapping,
    read_as,
    reader_of,
)
from ..model.request import Request
from ..nodes.checks import CheckedRecord
from ..reporting.notes import Note
from .delivery import Channel, as_request, converted
from .drafting import InputMessage, ProviderRequest
from .files import Files
from .reading import attach, check_patterns, read_messages

MESSAGES, CASES = "input_messages", "cases"
# another name of the list of cases
_EVALCASES = "evalcases"
# statements of a case about its answer and its evaluation, which are not part of a request
_EVALUATION = (
    "$schema",
    "conversation_id",
    "dataset",
    "description",
    "evaluator",
    "evaluators",
    "execution",
    "expected",
    "expected_messages",
    "expected_outcome",
    "expected_output",
    "note",
    "outcome",
    "rubrics",
    "target",
)
_PROMPT_KEYS = ("system_prompt", "systemPrompt")
# what only the messages of a case can say
_NOT_GIVEN = ("messages", "instructions", "continuation", "kept")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Case(CheckedRecord):
    """One evaluation case.

    id          its name, if it has one
    prompt      chat prompt, transcript and guidelines
    request     the neutral request; each wire's `build` makes its body of it
    policies    by which it was made
    metadata    what the case says about itself
    notes       what was dropped, merged, added or is ambiguous
    evaluation  what it says about its answer and its evaluation, as written: `outcome`, `expected_messages`, `target`
    """

    id: str | None
    prompt: ProviderRequest
    request: Request
    policies: ContextPolicies
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    notes: tuple[Note, ...] = ()
    evaluation: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class CaseReader:
    """Reads the cases of one document, with its folder and policies."""

    root: str | None
    policies: ContextPolicies | None
    channel: Channel = "structured"
    case_folder: str | None = None

    @property
    def shape(self) -> ValueReader:
        """The shape of a document: one case, or several with shared keys."""
        return ValueReader("a mapping (the case)", is_mapping, self._document)

    def _document(self, value: Any, path: KeyPath, problems: Problems) -> tuple[Case, ...]:
        by_key = {entry.key: entry for entry in entries(value, path, problems)}
        cases, other = by_key.pop(CASES, None), by_key.pop(_EVALCASES, None)
        if cases is not None and other is not None:
            problems.add(path, f'"{CASES}" and "{_EVALCASES}" are the same', key=_EVALCASES)
        cases = cases or other
        if cases is None:
            return _present([self._case(by_key, path, problems)])
        if not is_list(cases.value) or not cases.value:
            problems.add(cases.path, f"expected a list of cases, found {describe(cases.value)}")
            return ()
        for key in (MESSAGES, "id"):
            if by_key.pop(key, None) is not None:
                problems.add(path, f'"{key}" belongs to a case: it stands beside "{cases.path[-1]}"', key=key)
        read_cases: list[Case | None] = []
        for index, case in enumerate(cases.value):
            where = (*cases.path, index)
            if not is_mapping(case):
                problems.add(where, f"expected a mapping (a case), found {describe(case)}")
                continue
            keys = {entry.key: entry for entry in entries(case, where, problems)}
            read_cases.append(self._case({**by_key, **keys}, where, problems))
        return _distinct(_present(read_cases), cases.path, problems)

    def _case(self, by_key: Mapping[str, Entry], path: KeyPath, problems: Problems) -> Case | None:
        """Read one case; None when something is wrong with it."""
        before = len(problems)
        values = _read_keys(by_key, problems)
        if MESSAGES not in by_key:
            if len(problems) == before:
                problems.add(path, f'"{MESSAGES}" is missing; expected a list of messages')
            return None
        entry = by_key[MESSAGES]
        messages = read_messages(entry.value, entry.path, problems)
        if len(problems) > before:
            return None
        chosen = self.policies or values.get("policies") or PRESETS["standard"]
        files = Files(self.root, values.get("files"), case_folder=self.case_folder)
        messages = attach(messages, files, chosen, entry.path, problems)
        if len(problems) > before:
            return None
        return _made(values, messages, (chosen, self.channel), entry.path, problems)


def _read_keys(by_key: Mapping[str, Entry], problems: Problems) -> dict[str, Any]:
    """Read everything of a case but its messages."""
    values: dict[str, Any] = {}
    for key, entry in by_key.items():
        if key in _SHAPES and entry.value is not None:
            values[key] = read_as(_SHAPES[key], entry.value, entry.path, problems)
        elif key in _EVALUATION:
            values.setdefault("evaluation", {})[key] = entry.value
        elif key not in (MESSAGES, *_SHAPES):
            known = (MESSAGES, CASES, *_SHAPES, *_EVALUATION)
            problems.add(entry.path[:-1], unknown("key", key, known), key=key)
    return values


def _made(
    values: Mapping[str, Any],
    messages: tuple[InputMessage, ...],
    delivery: tuple[ContextPolicies, Channel],
    path: KeyPath,
    problems: Problems,
) -> Case | None:
    """Build the case from the values read; a case without anything to send is a problem."""
    policies, channel = delivery
    metadata = values.get("metadata", {})
    prompt = converted(
        messages,
        patterns=values.get("guideline_patterns", ()),
        guidelines=values.get("guidelines", ()),
        system_prompt=metadata.get("system_prompt"),
        policies=policies,
    )
    if not prompt.chat_prompt and not prompt.question.strip():
        problems.add(path, "no message says anything")
        return None
    notes = [*_unread(metadata), *prompt.notes]
    try:
        request = as_request(prompt, values.get("request"), policies=policies, channel=channel, notes=notes)
    except InvalidRequest as error:
        problems.add(path, str(error))
        return None
    return Case(
        id=values.get("id"),
        prompt=prompt,
        request=request,
        policies=policies,
        metadata=metadata,
        notes=tuple(notes),
        evaluation=values.get("evaluation", {}),
    )


def _unread(metadata: Mapping[str, Any]) -> list[Note]:
    """Return a note for each metadata key other than the system prompt, since only the prompt is used."""
    if "system_prompt" not in metadata:
        return []
    why = "only system_prompt says something of a prompt"
    return [Note("dropped", "metadata", str(key), why) for key in metadata if key != "system_prompt"]


def _present(cases: list[Case | None]) -> tuple[Case, ...]:
    return tuple([case for case in cases if case is not None])


def _distinct(cases: tuple[Case, ...], path: KeyPath, problems: Problems) -> tuple[Case, ...]:
    names = [case.id for case in cases if case.id is not None]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add(path, f'two cases have the id "{name}"')
    return cases


def _read_patterns(value: Any, path: KeyPath, problems: Problems) -> Any:
    before = len(problems)
    patterns = reader_of(tuple[str, ...]).read(value, path, problems)
    if len(problems) == before:
        check_patterns(patterns, path, problems)
    return patterns


def _read_files(value: Any, path: KeyPath, problems: Problems) -> Any:
    files = {
        entry.key: read_as(TEXT, entry.value, entry.path, problems)
        for entry in entries(value, path, problems)
    }
    try:
        Files(given={key: text or "" for key, text in files.items()})
    except LoadError as error:
        problems.add(path, str(error))
    return files


def _read_metadata(value: Any, path: KeyPath, problems: Problems) -> Any:
    """Read the metadata: anything, but a prompt is text, and its key is spelled right. `systemPrompt` is the same."""
    metadata = {key: item for key, item in value.items() if key not in _PROMPT_KEYS}
    for key in metadata:
        if nearest(str(key), _PROMPT_KEYS):
            problems.add(path, unknown("key", str(key), _PROMPT_KEYS), key=str(key))
    prompt_keys = [key for key in _PROMPT_KEYS if value.get(key) is not None]
    for key in prompt_keys:
        metadata["system_prompt"] = read_as(TEXT, value[key], (*path, key), problems)
    if len(prompt_keys) > 1:
        problems.add(path, '"systemPrompt" and "system_prompt" are the same', key="systemPrompt")
    return metadata


def _read_policies(value: Any, path: KeyPath, problems: Problems) -> ContextPolicies | None:
    """Read a preset's name, or fields that change one: `{preset: agentv, late_system: hoist}`."""
    known = ("preset", "blank", "unasked_results", *[each.name for each in fields(PromptPolicies)])
    odd = [] if is_text(value) else [key for key in value if key not in known]
    for key in odd:
        problems.add(path, unknown("policy", str(key), known), key=str(key))
    if odd:
        return None
    try:
        return context_policies_of(value)
    except PolicyError as error:
        problems.add(path, str(error), key=error.name or None)
        return None


def _read_request(value: Any, path: KeyPath, problems: Problems) -> Any:
    before = len(problems)
    for key in _NOT_GIVEN:
        if key in value:
            problems.add(path, f'"{key}" cannot be given: the messages of the case say it', key=key)
    return REQUEST.read(value, path, problems) if len(problems) == before else None


_TEXTS = reader_of(tuple[str, ...])
_SHAPES = {
    "id": TEXT,
    "guideline_patterns": ValueReader(_TEXTS.expects, _TEXTS.fits, _read_patterns),
    "guidelines": _TEXTS,
    "files": ValueReader("a mapping (path: text)", is_mapping, _read_files),
    "metadata": ValueReader("a mapping", is_mapping, _read_metadata),
    "policies": ValueReader("the name of a preset or a mapping", is_text_or_mapping, _read_policies),
    "request": ValueReader("a mapping (a request without messages)", is_mapping, _read_request),
}


Source = Mapping[str, Any] | str | os.PathLike[str]


def load_case(
    source: Source,
    *,
    id: str | None = None,  # noqa: A002  # the key of the file
    root: str | os.PathLike[str] | None = None,
    policies: ContextPolicies | str | Mapping[str, Any] | None = None,
    channel: Channel = "structured",
    name: str = "text",
) -> Case:
    """Load one evaluation case: the only one of its source, or the one of this `id`.

    A source is a mapping, the path of a .yaml, .yml or .json file, or the text of one (any string with a line break,
    or that begins with a brace).

    root      the folder below which attached files are read, such as that of a repository: paths are relative to it, or
              else to the file of the case; `..` leads from that up to the root at most, and `/` is the root; patterns
              match paths below it. None: the folder of the file, and no `..`. A text or a mapping has none
    policies  in place of those that the case names
    channel   `structured`: the messages of the case; `transcript`: its question, as one message; or an API that says it
    name      what errors call a text

    Raises:
        LoadError: the source is no case, or a file cannot be read. The text has all problems, one a line, each with
            its place: `file:line:column: path inside: what was found and what was expected`.
        PolicyError: the preset does not exist.
    """
    cases = load_cases(source, root=root, policies=policies, channel=channel, name=name)
    wanted = [case for case in cases if id is None or case.id == id]
    if not wanted:
        raise LoadError(f'no case has the id "{id}"')
    if len(wanted) > 1:
        names = ", ".join([case.id or "one without id" for case in wanted])
        raise LoadError(f"there are {len(wanted)} cases: choose one by its id: {names}")
    return wanted[0]


def load_cases(
    source: Source,
    *,
    root: str | os.PathLike[str] | None = None,
    policies: ContextPolicies | str | Mapping[str, Any] | None = None,
    channel: Channel = "structured",
    name: str = "text",
) -> tuple[Case, ...]:
    """Load all evaluation cases of a source: one, or those of its list `cases` (or `evalcases`), with shared keys.

    A key of the case itself counts, not the shared one. For arguments and errors see `load_case`.
    """
    chosen = None if policies is None else context_policies_of(policies)
    if not (root is None or isinstance(root, (str, bytes, os.PathLike))):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        raise LoadError(f"the root of a case is a path, not {type(root).__name__}")
    folder = None if root is None else os.fsdecode(root)
    below: str | None = None
    if isinstance(source, Mapping):
        document = SourceDocument(source, Problems(""))
    elif isinstance(source, str) and _is_text(source):
        document = decode_document(source, "case", name)
    elif isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        document = open_document(source, "case")
        parent = pathlib.Path(os.fsdecode(source)).parent
        below = None if folder is None else _place_below(parent, pathlib.Path(folder))
        folder = folder if folder is not None else str(parent)
    else:
        raise LoadError(
            f"a case is loaded from a mapping, a path or a text, not from {type(source).__name__}"
        )
    cases: tuple[Case, ...] = read_with(CaseReader(folder, chosen, channel, below).shape, document)
    return cases


def _place_below(folder: pathlib.Path, root: pathlib.Path) -> str | None:
    """Return the path of a folder below another; None if it is elsewhere."""
    try:
        return folder.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return None


def _is_text(source: str) -> bool:
    return "\n" in source or source.lstrip().startswith("{")
