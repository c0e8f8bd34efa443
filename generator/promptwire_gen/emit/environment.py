"""Jinja, set up so that a typo fails: StrictUndefined, and one filter for every literal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, TemplateError
from jinja2.bccache import Bucket

from .dedupe import CUT
from .header import commented, header
from .python import literal_text, word_list, word_text

# line width of packed code at an indentation of three levels
_PACKED_WIDTH = 96
# projects whose templates one process caches; each takes a megabyte
_PROJECTS = 4


class CompiledTemplates(BytecodeCache):
    """Templates that were compiled, by another process perhaps; kept in memory only, since code is never read back.

    folders  where the templates are
    codes    the code of each template, by its key and the digest of its source
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        """Start without any code."""
        self.folders = folders
        self.codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template that was compiled before."""
        code = self.codes.get(bucket.key + bucket.checksum)
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        self.codes[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


@lru_cache(_PROJECTS)
def compiled_templates(folders: tuple[Path, ...]) -> CompiledTemplates:
    """Return the templates of these folders that this process has compiled; each is compiled once."""
    return CompiledTemplates(folders)


def compile_templates(compiled: CompiledTemplates) -> dict[str, bytes]:
    """Compile the remaining templates and return the code of all; a broken one raises where it is used."""
    jinja = environment(compiled.folders, compiled)
    for name in jinja.list_templates(extensions=["j2"]):
        with suppress(TemplateError, OSError, UnicodeDecodeError):
            jinja.get_template(name)
    return compiled.codes


def environment(folders: Sequence[Path], compiled: CompiledTemplates | None = None) -> Environment:
    """Build the environment for these template folders; the first that has a template wins."""
    jinja = Environment(
        loader=FileSystemLoader([str(folder) for folder in folders]),
        undefined=StrictUndefined,
        bytecode_cache=compiled,
        autoescape=False,  # noqa: S701  # Python and Markdown, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # the stubs cover only the built-in types
    filters: Any = jinja.filters
    filters |= {"literal": literal_text, "docstring": _docstring, "block": _block, "packed": _packed}
    filters |= {"commented": commented, "words": word_list, "word_text": word_text}
    cast("dict[str, Any]", jinja.globals).update(header=header, cut=CUT)
    return jinja


def _docstring(text: str) -> str:
    """Write text as a docstring that no text can leave."""
    safe = text.replace("\\", "\\\\").replace("\x00", "")
    # a trailing quote would merge with the closing quotes
    quote = '"' if safe.endswith('"') else '"""'
    return f'"""{safe.replace(quote, quote.replace(chr(34), chr(92) + chr(34)))}"""'


def _packed(pieces: Iterable[str], joiner: str) -> list[str]:
    """Join pieces, as many on a line as fit: a line ends with a comma, or the next begins with `and`."""
    end, start = (joiner, "") if joiner == "," else ("", f"{joiner} ")
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{end} {start}{piece}" if lines else piece
        if lines and len(longer) > _PACKED_WIDTH:
            lines[-1] += end
            lines.append(f"{start}{piece}")
        else:
            lines[-1:] = [longer]
    return lines


def _block(text: str, depth: int = 1) -> str:
    """Indent a block of statements, each ended by a newline; no statements stay none."""
    return "".join([f"{'    ' * depth}{line}\n" for line in text.splitlines() if line])
