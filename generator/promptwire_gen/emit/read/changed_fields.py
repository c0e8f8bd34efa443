"""A function that reads a body's fields as a change of the parent's, which reads only what differs.

Both functions are compared by their text: their template writes each step and each field on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..dedupe import Definition

# a step of a function, or a field of the dict that it returns
_LINE = re.compile(
    r'^    (?:    "(?P<field>\w+)": (?P<value>.*),|(?:(?P<variables>[\w, ]+) = )?(?P<step>\w.*))$'
)
_DOC = re.compile(r'"""(.*?)\.?(?:"""|$)', re.MULTILINE)


@dataclass(frozen=True)
class FieldsText:
    """The text of a function of `read_options`, `read_vendor` and `read_body`.

    Attributes:
        steps: The statements before the fields: the variable that each assigns, empty for a bare call, and its value.
        fields: Field -> its value.
    """

    definition: Definition
    steps: tuple[tuple[str, str], ...]
    fields: dict[str, str]

    @property
    def table(self) -> str:
        """The field of the table of readers that holds the function."""
        return self.definition.name.removeprefix("read_")

    @cached_property
    def effects(self) -> dict[str, str]:
        """Field -> its value with the values of all variables in their place."""
        return {name: self.inline(value) for name, value in self.fields.items()}

    @cached_property
    def calls(self) -> frozenset[str]:
        """The statements that assign nothing: settings that the body states."""
        return frozenset([self.inline(value) for variable, value in self.steps if not variable])

    def inline(self, text: str) -> str:
        """Return a text with the values of all variables in their place."""
        for variables, value in reversed(self.steps):
            for variable in variables.split(", ") if variables else ():
                text = f"({value})".join(_word(variable).split(text))
        return text

    @property
    def own_fields(self) -> list[str]:
        """The fields that do not hold the conversation, which a change never states."""
        return [name for name, value in self.fields.items() if name not in ("messages", value)]

    def find_steps(self, values: Iterable[str], calls: Iterable[str]) -> list[tuple[str, str]]:
        """Return the steps whose variables some values use, and calls."""
        texts, needed = [*values, *calls], list[tuple[str, str]]()
        for variable, value in reversed(self.steps):
            if variable and any(_word(variable).search(text) for text in texts):
                texts.append(value)
                needed.append((variable, value))
            elif not variable and value in calls:
                needed.append((variable, value))
        return needed[::-1]


@dataclass(frozen=True, slots=True)
class ChangedFields:
    """A function that reads what the parent's does, except for some fields.

    Attributes:
        table: The field of the table of readers that holds both functions.
        steps: The steps before.
        fields: The fields that differ.
    """

    table: str
    doc: str
    steps: list[tuple[str, str]]
    fields: dict[str, str]


def parse_fields(definition: Definition) -> FieldsText | None:
    """Return the steps and fields of a function that reads a body; None for any other definition."""
    if definition.name not in ("read_options", "read_vendor", "read_body"):
        return None
    matches = [match for line in definition.code.splitlines() if (match := _LINE.match(line))]
    steps = [(match["variables"] or "", match["step"]) for match in matches if match["step"]]
    return FieldsText(
        definition,
        tuple([step for step in steps if step[1] != "return {"]),
        {match["field"]: match["value"] for match in matches if match["field"]},
    )


def as_inherited(own: Definition, parent: Definition) -> Definition:
    """Return the parent's function in place of one that reads the same.

    Options that only the API of the parent has do not count: `Reader` leaves unread what no key of the body writes.
    """
    mine, others = parse_fields(own), parse_fields(parent)
    if mine is None or others is None:
        return own
    if mine.table == "vendor":
        return parent if mine.effects.items() <= others.effects.items() else own
    return parent if (mine.effects, mine.calls) == (others.effects, others.calls) else own


def as_change(own: Definition, parent: Definition | None) -> ChangedFields | None:
    """Return the function as a change of the parent's; None where that is not shorter."""
    mine, others = parse_fields(own), None if parent is None else parse_fields(parent)
    if mine is None or others is None:
        return None
    if mine.effects.get("messages") != others.effects.get("messages") or others.calls - mine.calls:
        return None
    changed = {
        name: value for name, value in mine.fields.items() if mine.effects[name] != others.effects.get(name)
    }
    if mine.table != "vendor":
        changed |= {name: "None" for name in others.effects if name not in mine.effects}
    if len(changed) >= len(mine.own_fields):
        return None
    calls = [
        value for variable, value in mine.steps if not variable and mine.inline(value) not in others.calls
    ]
    doc = _DOC.search(own.text)
    assert doc is not None
    return ChangedFields(
        mine.table,
        f"{doc[1]}; what is not here is read as the parent does.",
        mine.find_steps(changed.values(), calls),
        changed,
    )


def _word(variable: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(variable)}\b")
