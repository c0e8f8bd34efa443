"""Jinja, set up so that a typo fails: StrictUndefined, and the filters and tests of `template_filters.py`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, TemplateError
from jinja2.bccache import Bucket

from .artifact import header
from .dedupe import CUT
from .template_filters import FILTERS, TESTS

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
def get_compiled_templates(folders: tuple[Path, ...]) -> CompiledTemplates:
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
    filters, tests, names = cast("tuple[dict[str, Any], ...]", (jinja.filters, jinja.tests, jinja.globals))
    filters.update(FILTERS)
    tests.update(TESTS)
    names.update(header=header, cut=CUT)
    return jinja
