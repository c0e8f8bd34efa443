"""The TypedDicts of the generated modules say where in a body they stand."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import promptwire
from tests.checkout import ROOT

from .compiled import load_wire
from .test_forms_of_a_key import SPEC

INSIDE = re.compile(r"Inside (\w+): its `(.+?)`(, with the keys of (\w+))?\.")


def statements(wire: str) -> list[ast.stmt]:
    """Return the definitions of a module of types and of the modules that it imports from."""
    body = ast.parse((ROOT / "generated" / "promptwire" / wire / "types.py").read_text("utf-8")).body
    above: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module is not None:
            names = {alias.name for alias in node.names}
            above += [row for row in statements(node.module.partition(".")[0]) if defined(row) in names]
    return [*above, *body]


def defined(node: ast.stmt) -> str | None:
    """The name that a statement gives a type."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    return ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else None


def docs(wire: str) -> dict[str, str]:
    """Docstrings by class."""
    classes = [node for node in statements(wire) if isinstance(node, ast.ClassDef)]
    return {node.name: ast.get_docstring(node) or "" for node in classes}


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_a_nested_object_names_what_it_is_inside_of(wire: str) -> None:
    found = docs(wire)
    nested = {name: INSIDE.fullmatch(doc) for name, doc in found.items() if doc.startswith("Inside ")}
    assert nested or wire == "bedrock_meta"  # whose body is flat
    for name, match in nested.items():
        assert match is not None, name
        assert match[1] in found and match[1] != name
        assert match[4] is None or match[4] in found


def test_a_key_of_the_body_is_named() -> None:
    assert docs("openai_chat")["BodyStreamOptions"] == "Inside Body: its `stream_options`."


def types_of(wire: str) -> dict[str, str]:
    """Annotation by class and key, and what each name of a type stands for."""
    found: dict[str, str] = {}
    for node in statements(wire):
        if isinstance(node, ast.ClassDef):
            rows = [row for row in node.body if isinstance(row, ast.AnnAssign)]
            found |= {f"{node.name}.{ast.unparse(row.target)}": ast.unparse(row.annotation) for row in rows}
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found[ast.unparse(node.target)] = str(ast.literal_eval(node.value))
    return found


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_what_a_list_holds_is_known(wire: str) -> None:
    assert [key for key, said in types_of(wire).items() if "list[Any]" in said] == []


@pytest.mark.parametrize(
    ("wire", "key", "annotation"),
    [
        # parts, by the message or part that holds them
        ("openai_chat", "UserMessage.content", "str | list[UserPart]"),
        ("openai_chat", "AssistantMessage.refusal", "NotRequired[str]"),
        ("openai_chat", "AssistantMessage.audio", "NotRequired[AudioIdPart]"),
        (
            "openai_chat",
            "AssistantMessage.tool_calls",
            "NotRequired[list[ToolCallPart | CustomToolCallPart]]",
        ),
        ("openai_chat", "ToolResultPart.content", "str | list[ToolPart]"),
        ("anthropic_messages", "SearchResultPart.content", "list[InsideSearchResult]"),
        ("anthropic_messages", "InsideDocument", "TextPart | ImageDataPart | ImageUrlPart | ImageFileIdPart"),
        # neighbours become one message
        ("anthropic_messages", "UserMessage.content", "str | list[UserPart | ToolPart]"),
        ("anthropic_messages", "AssistantMessage.content", "str | list[AssistantPart]"),
        # marks stand among what they mark
        ("bedrock_converse", "UserMessage.content", "list[UserPart | ToolPart | CacheJson]"),
        ("bedrock_converse", "BodyToolConfig.tools", "NotRequired[list[ToolJson | CacheJson]]"),
        # what filters write, and guards take
        ("openai_chat", "Body.stop", "NotRequired[list[str] | str]"),
        ("openai_chat", "ToolChoiceSeveralJsonAllowedTools.mode", "Literal['required', 'auto']"),
        ("anthropic_messages", "ToolAdditionPartTool.definition", "ToolJson"),
        ("anthropic_messages", "HostedCallPart.type", "Literal['server_tool_use']"),
        ("anthropic_messages", "HostedResultPart.type", "str"),
        ("openai_responses", "ReasoningPart.summary", "list[ReasoningPartSummaryItem]"),
        ("gemini_generate", "Body.toolConfig", "NotRequired[BodyToolConfig]"),
        # a union's shape among other keys
        ("anthropic_messages", "Body.thinking", "NotRequired[BodyThinkingForms]"),
        (
            "openrouter_chat",
            "BodyReasoningForms",
            "BodyReasoning | BodyReasoningBudget | BodyReasoningEnabled | BodyReasoningDisabled",
        ),
        # free JSON
        ("anthropic_messages", "Body.thread", "NotRequired[BodyThread | Any]"),
        ("anthropic_messages", "ToolCallPart.input", "Mapping[str, Any]"),
        ("openai_chat", "Body.prediction", "NotRequired[Any]"),
    ],
)
def test_a_key_has_the_type_that_the_spec_knows(wire: str, key: str, annotation: str) -> None:
    assert types_of(wire)[key] == annotation


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_no_name_stands_for_nothing(wire: str) -> None:
    assert [key for key, said in types_of(wire).items() if said == "Any" and "." not in key] == []


@pytest.mark.parametrize(
    ("own", "annotation"),
    [
        ("budget?: $vendor.budget, ", "BodyThinkingForms"),
        ("", "ReasoningJson"),
        # one key with two types has none
        ("effort?: $vendor.effort, ", "Mapping[str, Any]"),
    ],
)
def test_a_unions_shape_is_spread_among_keys_of_other_names(
    own: str, annotation: str, tmp_path: Path
) -> None:
    spec = SPEC.replace("{or: [$reasoning, $vendor.thinking]}", f"{{{own}...: $reasoning}}")
    module = load_wire(tmp_path, "forms_wire", spec)
    text = (Path(module.__file__ or "").parent / "types.py").read_text("utf-8")
    assert f"    thinking: NotRequired[{annotation}]\n" in text


def test_a_dialect_defines_only_what_differs() -> None:
    """Its body has the same keys in another order: it is the parent's."""
    text = (ROOT / "generated" / "promptwire" / "azure_openai_responses" / "types.py").read_text("utf-8")
    docstring, future, taken = ast.parse(text).body
    assert isinstance(docstring, ast.Expr) and isinstance(future, ast.ImportFrom)
    assert isinstance(taken, ast.ImportFrom) and taken.module == "openai_responses.types"
    names = {alias.name for alias in taken.names}
    assert all(alias.asname == alias.name for alias in taken.names)
    assert names == {name for node in statements("openai_responses") if (name := defined(node)) is not None}


def test_what_names_a_changed_type_is_defined_again() -> None:
    """Foundry takes no files: the union of parts differs, so do the messages that name it, and the body."""
    text = (ROOT / "generated" / "promptwire" / "anthropic_foundry" / "types.py").read_text("utf-8")
    own = {name for node in ast.parse(text).body if (name := defined(node)) is not None}
    assert own >= {"UserPart", "UserMessage", "Item", "Body", "InsideDocument", "DocumentPartsPart"}
    assert own.isdisjoint({"ImageUrlPart", "ToolCallPart", "SystemMessage", "ReasoningJson"})
