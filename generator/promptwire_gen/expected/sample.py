"""Small requests of text, tools and options: what capabilities are shown with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field as given, replace
from typing import Any

from ..model.condition_checks import DERIVED_FIELDS
from ..model.neutral import OPTIONS, REQUEST, ROLES

MODEL = "some-model"
_NODES = ("tool_choice", "response_format", "reasoning", "continuation")
_OWN = ("instructions", "tools", *_NODES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A request as plain data.

    messages  (role, text) each
    parts     (role, kind, fields) of the one part of each message, where some are no plain text
    tools     (kind, fields) each
    fields    options and other fields of the request, by their neutral names
    """

    model: str | None = MODEL
    instructions: Sequence[str] = ()
    messages: Sequence[tuple[str, str]] = (("user", "Hi"),)
    parts: Sequence[tuple[str, str, Mapping[str, Any]]] = ()
    tools: Sequence[tuple[str, Mapping[str, Any]]] = ()
    tool_choice: Mapping[str, Any] = given(default_factory=dict[str, Any])
    response_format: Mapping[str, Any] = given(default_factory=dict[str, Any])
    reasoning: Mapping[str, Any] = given(default_factory=dict[str, Any])
    continuation: Mapping[str, Any] = given(default_factory=dict[str, Any])
    fields: Mapping[str, Any] = given(default_factory=dict[str, Any])

    @property
    def thinking(self) -> str | None:
        """The kind of reasoning: a budget, or what the mode says."""
        return "budget" if "budget" in self.reasoning else self.reasoning.get("mode")

    def without(self, names: Sequence[str]) -> Sample:
        """Return the same, with these fields left out."""
        fields = {name: value for name, value in self.fields.items() if name not in names}
        emptied: dict[str, Any] = {name: {} if name in _NODES else () for name in names if name in _OWN}
        model = None if "model" in names else self.model
        return replace(self, model=model, fields=fields, **emptied)

    def neutral(self) -> dict[str, Any]:
        """Return the request as a file of requests has it."""
        request: dict[str, Any] = {
            "model": self.model,
            "instructions": list(self.instructions),
            "messages": [{role: text} for role, text in self.messages],
            "tools": [
                dict(fields) if kind == "function" else {kind: dict(fields)} for kind, fields in self.tools
            ],
            "tool_choice": dict(self.tool_choice),
            "response_format": dict(self.response_format),
            "reasoning": dict(self.reasoning),
            "continuation": dict(self.continuation),
            **{name: value for name, value in self.fields.items() if name in REQUEST},
            "options": {name: value for name, value in self.fields.items() if name in OPTIONS},
        }
        return {name: value for name, value in request.items() if value not in (None, [], {})}

    def values(self, head: str, tail: str) -> list[Any] | None:
        """Return the values that the path of a rule means; None where this page does not know the path."""
        if head in _NODES:
            return self._of_node(head, tail)
        if tail.endswith(".count"):
            return self._counts(head, tail.removesuffix(".count"))
        if self.parts and (head in ("part", "cache") or (head in ROLES and tail not in ("", "count"))):
            return self._of_parts(head, tail)
        if head in ("message", "first_message", "last_message"):
            return self._of_messages(head, tail)
        if head == "tools":
            return self._of_tools(tail)
        if head == "turn":
            # no answer follows a user's message, and the content of an open turn is unknown here
            roles = [row[0] for row in self.parts or self.messages]
            return [] if roles[-1:] == ["user"] else None
        if head == "calls":
            # every call of this page has an id of its own
            return []
        if head in ROLES and tail == "count":
            # every message has one part
            return [1 for role, _ in self.messages if role == head]
        if head == "tool" and not tail:
            return [kind for kind, _ in self.tools]
        return self._of_request(head, tail)

    def _of_request(self, head: str, tail: str) -> list[Any] | None:
        if head in ("model", "instructions"):
            return [self.model or ""] if head == "model" else [text for text in self.instructions if not tail]
        if tail == "text" and head in ("messages", "conversation"):
            texts = [
                *(self.instructions if head == "conversation" else ()),
                *(text for _, text in self.messages),
            ]
            return None if self.parts else ["\n".join(texts)]
        if head == "messages":
            return [len(self.messages)]
        field = OPTIONS.get(head) or REQUEST.get(head)
        if field is not None:
            return _looked_into(
                self.fields.get(head), "each" if field.type == "strings" and not tail else tail
            )
        if head == "strict_schemas":
            return self._of_schemas(tail)
        # all parts are plain text, and no rule is about plain text
        return [0] if (head, tail) == ("cache", "count") else [] if tail != "count" else None

    def _counts(self, head: str, kind: str) -> list[int]:
        """Return how many parts of a kind there are, or how many each message of a role has: each has one part."""
        rows = self.parts or [(role, "text", {}) for role, _ in self.messages]
        if head == "messages":
            return [sum(row[1] == kind for row in rows)]
        return [int(row[1] == kind) for row in rows if row[0] == head]

    def _of_node(self, head: str, tail: str) -> list[Any]:
        node: Mapping[str, Any] = getattr(self, head)
        if node and head == "tool_choice":
            node = {"mode": "auto", **node}
        elif node and head == "reasoning":
            node = {**node, "kind": self.thinking}
        if (head, tail) == ("tool_choice", "names"):
            return [*node.get(tail, ())]
        return [node[tail]] if tail in node else [node] if node and not tail else []

    def _of_parts(self, head: str, tail: str) -> list[Any] | None:
        parts = [row for row in self.parts if head not in ROLES or row[0] == head]
        if head == "cache":
            marks = [fields[head] for _, _, fields in parts if head in fields]
            return [len(marks)] if tail == "count" else [mark[tail] for mark in marks if tail in mark]
        if tail in ("", "part"):
            return [kind for _, kind, _ in parts]
        if tail in ("after", "before") and head in ROLES:
            return self._beside(head, -1 if tail == "after" else 1)
        kind, _, field = tail.partition(".") if "." in tail else ("", "", tail)
        if kind and field == "before":
            return self._beside(head, 1, kind)
        if field == "value.*" or field in DERIVED_FIELDS:
            # no sample has an object inside its JSON, data of another type than it says, or a failed result
            return []
        if "|" in field:
            return [
                next((fields[name] for name in field.split("|") if name in fields), None)
                for _, part_kind, fields in parts
                if part_kind == kind
            ]
        name = field.removeprefix("vendor.")
        values = [
            fields[name] for _, part_kind, fields in parts if kind in ("", part_kind) and name in fields
        ]
        return None if "." in name else values

    def _beside(self, role: str, step: int, kind: str = "") -> list[str]:
        """Return the neighbours, `step` places away, of each message of a role and kind, or `start` or `end`."""
        words = ["start", *(f"{part_role}.{part_kind}" for part_role, part_kind, _ in self.parts), "end"]
        places = [place for place, row in enumerate(self.parts, 1) if row[0] == role and kind in ("", row[1])]
        return [words[place + step] for place in places]

    def _of_messages(self, head: str, tail: str) -> list[Any]:
        roles = [role for role, _ in self.messages]
        if head == "last_message" and tail in {"part", "text"}:
            return ["text"] if tail == "part" else [text for _, text in self.messages[-1:]]
        if tail != "role":
            return []
        return roles if head == "message" else roles[:1] if head == "first_message" else roles[-1:]

    def _of_schemas(self, tail: str) -> list[Any] | None:
        """Samples have schemas of one closed object, without parameters."""
        # the expectation is the same for strict and lenient schemas
        schemas = [fields["parameters"] for _, fields in self.tools if fields.get("strict") is True]
        schemas += [self.response_format["schema"]] if "schema" in self.response_format else []
        match tail:
            case "recursive":
                return [False for _ in schemas[:1]]
            case "keywords":
                return [*{key for schema in schemas for key in schema}]
            case "root":
                return [schema["type"] for schema in schemas]
            case "formats" | "patterns" | "refs" | "beside_ref":
                return []
            case _:
                return [1 if tail == "depth" else 0 for _ in schemas[:1]]

    def _of_tools(self, tail: str) -> list[Any]:
        if tail in ("", "count"):
            return [len(self.tools)] if tail and self.tools else [kind for kind, _ in self.tools]
        values: list[Any] = [fields for _, fields in self.tools]
        for name in tail.split("."):
            values = [value[name] for value in values if isinstance(value, Mapping) and name in value]
        return values


def _looked_into(value: Any, tail: str) -> list[Any]:
    """Return the value itself, or its number, keys, values, or each of a list."""
    if value is None:
        return []
    match tail:
        case "":
            return [value]
        case "count":
            return [len(value)]
        case "keys" | "each":
            return [*value]
        case "values":
            return [*value.values()]
        case _:
            return []
