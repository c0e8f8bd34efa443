"""Loading evaluation cases from a mapping, a text, or a YAML or JSON file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..context import ContextPolicies, context_policies_of
from ..errors import LoadError
from ..loading.problems import Problems
from ..loading.source import Document, decode_document, open_document, read_with
from .case_files import Case, Reader

Source = Mapping[str, Any] | str | os.PathLike[str]


def load_case(
    source: Source,
    *,
    id: str | None = None,  # noqa: A002  # the key of the file
    root: str | os.PathLike[str] | None = None,
    policies: ContextPolicies | str | None = None,
    name: str = "text",
) -> Case:
    """Load one evaluation case: the only one of its source, or the one of this `id`.

    A source is a mapping, the path of a .yaml, .yml or .json file, or the text of one (any string with a line break,
    or that begins with a brace).

    root      the folder below which attached files are read; where it is None, that of the file. A text or a mapping
              has none
    policies  in place of those that the case names
    name      what errors call a text

    Raises:
        LoadError: the source is no case, or a file cannot be read. The text has all problems, one a line, each with
            its place: `file:line:column: path inside: what was found and what was expected`.
        PolicyError: the preset does not exist.
    """
    cases = load_cases(source, root=root, policies=policies, name=name)
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
    policies: ContextPolicies | str | None = None,
    name: str = "text",
) -> tuple[Case, ...]:
    """Load all evaluation cases of a source: one, or those of its list `cases`, which share the keys beside it.

    A key of the case itself counts, not the shared one. For arguments and errors see `load_case`.
    """
    chosen = None if policies is None else context_policies_of(policies)
    if not (root is None or isinstance(root, (str, bytes, os.PathLike))):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        raise LoadError(f"the root of a case is a path, not {type(root).__name__}")
    folder = None if root is None else os.fsdecode(root)
    if isinstance(source, Mapping):
        document = Document(source, Problems(""))
    elif isinstance(source, str) and _is_text(source):
        document = decode_document(source, "case", name)
    elif isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        document = open_document(source, "case")
        folder = folder if folder is not None else str(Path(os.fsdecode(source)).parent)
    else:
        raise LoadError(
            f"a case is loaded from a mapping, a path or a text, not from {type(source).__name__}"
        )
    cases: tuple[Case, ...] = read_with(Reader(folder, chosen).shape, document)
    return cases


def _is_text(source: str) -> bool:
    return "\n" in source or source.lstrip().startswith("{")
