"""The rules of an API about schemas, as a dialect for `schemas/adapting.py`: linting and adapting share one source."""

from __future__ import annotations

from typing import Any

from ..model.request import Request
from ..nodes.records import replace
from ..schemas.counting import COUNTED, RARELY_COUNTED
from .plans import PathChecks, Plan
from .tool_values import ToolsView

_PARAMETERS = "parameters."
# paths into the parameters of tools -> the words of `strict_schemas` that mean the same
_WORDS = {
    "parameters.*": "keywords",
    "parameters.type": "root",
    **{_PARAMETERS + word: word for word in (*COUNTED, *RARELY_COUNTED)},
}


class SchemaRules:
    """The rules about one schema: called with a word and a value, it returns why they refuse that, or an empty text.

    Attributes:
        key: Equal for schemas of one wire to which the same rules apply.
        is_fixed: Whether the rules are the same for every request.
    """

    def __init__(self, plan: Plan, request: Request, wire: str, tool: Any = None, *, strict: bool) -> None:
        """Collect the rules.

        Args:
            plan: The rules for one model and one choice of settings.
            request: The request, for rules that hold for some requests only.
            wire: The name of the wire.
            tool: The tool whose parameters the schema describes; None for a response format.
            strict: Whether the API follows the schema to the letter.
        """
        self._request, self._wire = request, wire
        rows = [(checks.path.tail, checks) for checks in plan.schemas if strict]
        if tool is not None:
            # a tool that a message adds is not among the tools of the request
            rows += _rows_of_tool(plan, ToolsView(replace(request, tools=(tool,)), wire), tool)
        self._rows: dict[str, list[PathChecks]] = {}
        for word, checks in rows:
            self._rows.setdefault(word, []).append(checks)
        self.key = tuple([id(checks) for _, checks in rows])
        self.is_fixed = not any(
            row.rule.given or row.rule.unless for _, checks in rows for row in checks.rows
        )

    def __call__(self, word: str, value: Any) -> str:
        """Return why the rules refuse a value of a word, or an empty text."""
        if word == "root_keywords":
            # a rule about a keyword at the root of a tool's parameters is asked about its value
            word, value = f"{_PARAMETERS}{value}", {}
        found = [checks.refusing(value, self._request, self._wire) for checks in self._rows.get(word, ())]
        return next((check.rule.because for check in found if check is not None), "")


def _rows_of_tool(plan: Plan, view: ToolsView, tool: Any) -> list[tuple[str, PathChecks]]:
    """Return the rules about the parameters of a tool, each with its word."""
    return [
        (_WORDS.get(checks.path.tail, checks.path.tail), checks)
        for checks in plan.tools
        if checks.path.tail.startswith(_PARAMETERS)
        # other shapes than JSON Schema have no schema of anything, which items could be
        and (checks.path.where is None or checks.path.tail != "parameters.loose_lists")
        and any(other is tool for other in view.chosen(checks.path.where))
    ]
