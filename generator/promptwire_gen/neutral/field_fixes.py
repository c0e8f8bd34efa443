"""Read and check the table of the repairs of rejected fields."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, RootModel, ValidationError

from ..problems import SpecError
from ..spec.explain import explain
from ..spec.fields import is_list
from ..spec.fixes import Fix, suiting
from ..spec.nodes import plain
from ..spec.read import read
from ..spec.rule_conditions import Condition
from .source import FOLDER

_FILE = "field_fixes.yaml"
Fixes: TypeAlias = Annotated[
    tuple[Fix, ...],
    BeforeValidator(lambda given: given if is_list(given) else [given]),
    Field(min_length=1),
]


class FieldFixes(RootModel[dict[str, Fixes]]):
    """The whole table: globs of fields, with commas between them -> their repairs."""


@cache
def field_fixes() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return the rows of the table: globs of fields, and repairs. Raises SpecError with all problems of the file."""
    tree = read((FOLDER / _FILE).read_text("utf-8"), f"neutral/{_FILE}")
    try:
        table = FieldFixes.model_validate(plain(tree))
    except ValidationError as error:
        raise SpecError(explain(error, tree, FieldFixes)) from None
    return tuple([(tuple(key.split(", ")), fixes) for key, fixes in table.root.items()])


def has_fix(condition: Condition) -> bool:
    """Return whether the table has a repair that suits a rejected condition, or says why none is right."""
    return any(suiting(fix, condition) for fix in _fixes_of(condition.path))


@cache
def _fixes_of(path: str) -> tuple[str, ...]:
    """Return the repairs of the first row that fits a field; many conditions are about the same one."""
    for globs, fixes in field_fixes():
        if any(fnmatchcase(path, glob) for glob in globs):
            return fixes
    return ()
