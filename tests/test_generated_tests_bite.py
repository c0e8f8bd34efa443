"""The generated tests can fail: each way of breaking a generated module on purpose is found by its tests."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import pytest

from promptwire import Options
from tests.checkout import copy_folders, run_python
from tests.generated_tests import PACKAGES, changed_package, first_failure
from tests.internals.runtime import fields

pytestmark = pytest.mark.slow

Change = Callable[[ast.AST], bool]
# where a change may happen, and the change of one node there: it tells whether it changed anything
Breakage = tuple[str, Change]
EVERY_OPTION = sorted(each.name for each in fields(Options))


def drop_key(key: str, node: ast.AST) -> bool:
    """Leave a key out of the JSON: `{"name": part.name}` -> `{}`, and `item["name"] = ...` -> nothing."""
    if isinstance(node, ast.Dict):
        kept = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if not is_text(k, key)]
        changed = len(kept) < len(node.keys)
        node.keys, node.values = [k for k, _ in kept], [v for _, v in kept]
        return changed
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(f"[{key!r}]"):
        node.targets = [ast.Name("_", ast.Store())]
        return True
    return False


def replace_constant(key: str, old: str, new: str, node: ast.AST) -> bool:
    """Write another constant under a key."""
    changed = False
    if isinstance(node, ast.Dict):
        for k, value in zip(node.keys, node.values, strict=True):
            if is_text(k, key) and isinstance(value, ast.Constant) and value.value == old:
                value.value, changed = new, True
    return changed


def ignore_attribute(name: str, node: ast.AST) -> bool:
    """Take a given value for absent: `if options.stop is not None:` -> `if False:`."""
    given = (f".{name} is not None", f".{name}) is not None")
    if isinstance(node, ast.If) and any(test in ast.unparse(node.test) for test in given):
        node.test = ast.Constant(value=False)
        return True
    return False


def skip_call(method: str, node: ast.AST) -> bool:
    """Leave out a call of the build: `build.report.lost(...)` -> nothing."""
    if isinstance(node, ast.Expr) and ast.unparse(node).startswith(f"build.{method}("):
        node.value = ast.Constant(value=None)
        return True
    return False


def drop_argument(name: str, node: ast.AST) -> bool:
    """Leave out a keyword argument: `ToolCall(id=...)` -> `ToolCall()`."""
    if isinstance(node, ast.Call) and any(keyword.arg == name for keyword in node.keywords):
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != name]
        return True
    return False


def take_all(name: str, node: ast.AST) -> bool:
    """Claim every option as supported: `BodyRow(options=frozenset({"stop"}))` names them all."""
    for keyword in node.keywords if isinstance(node, ast.Call) else ():
        if keyword.arg == name:
            keyword.value = ast.parse(f"frozenset({EVERY_OPTION!r})", mode="eval").body
            return True
    return False


def forget_fields(node: ast.AST) -> bool:
    """Forget which fields have no place: `Row("citations ~logprobs")` -> `Row("")`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Row" and node.args:
        node.args = [ast.Constant("")]
        return True
    return False


def forget_rules(node: ast.AST) -> bool:
    """Forget all rules: `RULES = (Rule(...), ...)` -> `RULES = ()`."""
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "RULES":
        node.value = ast.Tuple([], ast.Load())
        return True
    return False


def never_true(text: str, node: ast.AST) -> bool:
    """Take a condition that holds this text for false."""
    if isinstance(node, ast.If) and text in ast.unparse(node.test):
        node.test = ast.Constant(value=False)
        return True
    return False


def is_text(node: ast.AST | None, text: str) -> bool:
    """Return whether a node is this text."""
    return isinstance(node, ast.Constant) and node.value == text


EVERYWHERE: dict[str, Breakage] = {
    "drop the conversation's role": ("write", partial(drop_key, "role")),
    "write the wrong role": ("write", partial(replace_constant, "role", "user", "assistant")),
    "drop the name of a tool call": ("write_part_tool_call", partial(drop_key, "name")),
    "drop the description of a tool": ("write_tool", partial(ignore_attribute, "description")),
    "ignore the temperature": ("write_", partial(ignore_attribute, "temperature")),
    "ignore the tool choice": ("write_", partial(ignore_attribute, "mode")),
    "ignore the reasoning effort": ("write_", partial(ignore_attribute, "effort")),
    "skip the check for options without a place": ("BODY", partial(take_all, "options")),
    "drop the rules": ("RULES", forget_rules),
    "drop a header": ("_transport", partial(drop_key, "content-type")),
    "read no options": ("read_body", partial(drop_key, "options")),
    "read no tool-call id": ("read_part_tool_call", partial(drop_argument, "id")),
}
# a dialect has its parent's code, and tests made the same way
OF_ONE_WIRE: dict[str, dict[str, Breakage]] = {
    "openai_chat": {
        "write the wrong type of a call": ("write", partial(replace_constant, "type", "function", "tool")),
        "forget the instructions": ("write_instructions", partial(drop_key, "content")),
    },
    "openai_responses": {
        "write the wrong type of a call": (
            "write",
            partial(replace_constant, "type", "function_call", "tool_call"),
        ),
        "continue nothing": ("write_", partial(drop_key, "previous_response_id")),
    },
    "anthropic_messages": {
        "write the wrong type of a call": (
            "write",
            partial(replace_constant, "type", "tool_use", "tool_call"),
        ),
        "forget the required maximum": ("write_", partial(skip_call, "report.missing")),
    },
    "gemini_generate": {
        "forget the name of a result": ("write_part_tool_result", partial(drop_key, "name")),
        "write no functions": ("write_", partial(drop_key, "functionDeclarations")),
    },
    "bedrock_converse": {
        "forget which call a result answers": ("write_part_tool_result", partial(drop_key, "toolUseId")),
        "forget the cache points": ("write_", partial(drop_key, "cachePoint")),
    },
}
# what the tests of losses alone must find, without the examples
OF_LOSSES: dict[str, dict[str, Breakage]] = {
    "openai_chat": {
        "lose a field of a part in silence": ("PART_DOCUMENT_DATA", forget_fields),
        "lose a field of a message in silence": ("ASSISTANT_ITEM", forget_fields),
        "lose a value that a guard refuses": ("write_part_image_url", partial(skip_call, "report.lost")),
        "skip the check for options without a place": ("BODY", partial(take_all, "options")),
    },
    "openai_responses": {
        "choose no hosted tool": ("write_tool_choice", partial(drop_key, "hosted")),
        "lose thinking in silence": ("write_part_reasoning", partial(never_true, "thinking.redacted")),
    },
    "anthropic_messages": {
        "lose a tool in silence": ("write_any_hosted_tool", partial(skip_call, "lost_tool")),
        "lose the role of instructions in silence": ("write_body", partial(skip_call, "report.unused")),
    },
}
CASES = [
    pytest.param(wire, breakage, id=f"{wire}-{name}".replace(" ", "-"))
    for wire, own in OF_ONE_WIRE.items()
    for name, breakage in (EVERYWHERE | own).items()
    # its examples are read plainly, without this function
    if (wire, name) != ("gemini_generate", "read no options")
]


def broken(sources: dict[str, str], breakage: Breakage) -> dict[str, str]:
    """Break a wire: every node that the change fits, in every definition whose name begins as said."""
    where, change = breakage
    out: dict[str, str] = {}
    for path, source in sources.items():
        statements = [*statements_of(source)]
        for number, (name, text) in enumerate(statements):
            if name.startswith(where):
                tree = ast.parse(text)
                changes = [change(node) for node in ast.walk(tree)]
                if any(changes):
                    statements[number] = name, ast.unparse(tree)
                    out[path] = "\n".join([text for _, text in statements])
    assert out, "nothing was broken"
    return out


def defined(node: ast.stmt) -> str:
    """The name that a top-level statement defines."""
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


@cache
def statements_of(source: str) -> list[tuple[str, str]]:
    """Return the top-level statements of a module: the name that each defines, and its text."""
    return [(defined(node), ast.unparse(node)) for node in ast.parse(source).body]


@cache
def sources_of(wire: str) -> dict[str, str]:
    """Return the files of a wire's package: name -> text."""
    return {path.name: path.read_text("utf-8") for path in sorted((PACKAGES / wire).glob("*.py"))}


@pytest.mark.parametrize("wire", OF_ONE_WIRE)
def test_the_unbroken_module_passes(tmp_path: Path, wire: str) -> None:
    with changed_package(wire, {}, tmp_path):
        assert first_failure(wire) is None


def test_a_failure_names_wire_example_and_difference(tmp_path: Path) -> None:
    """The generated tests say so in a run of their own, as users run them."""
    project = copy_folders(tmp_path, "generated", "runtime")
    wire, package = "openai_chat", project / "generated" / "promptwire" / "openai_chat"
    forgotten = "write_part_image_url", partial(drop_key, "detail")
    for name, text in broken(sources_of(wire), forgotten).items():
        (package / name).write_text(text, "utf-8")
    arguments = (
        "-x",
        "-q",
        "--tb=short",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
    )
    done = run_python(
        "-m", "pytest", *arguments, "-k", "openai_chat-bodies and not azure", "generated/tests",
        folder=project, path=(project / "runtime", project / "generated"),
        # generated tests need no plugin
        variables={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert (done.returncode, "1 failed" in done.stdout) == (1, True), done.stdout
    name = "images as data and as address"
    assert f"test_case_of_the_spec[openai_chat-bodies-{name}]" in done.stdout
    assert done.stdout.partition("AssertionError: ")[2].partition("\n=")[0] == (
        f"openai_chat, {name}: not what its spec says\n"
        'E     `body.messages[0].content[3].image_url.detail`: the example has "original", the builder writes nothing'
    )


@pytest.mark.parametrize(("wire", "breakage"), CASES)
def test_a_broken_module_fails(tmp_path: Path, wire: str, breakage: Breakage) -> None:
    assert_found(tmp_path, wire, breakage)


@pytest.mark.parametrize(
    ("wire", "breakage"),
    [
        pytest.param(wire, breakage, id=f"{wire}-{name}".replace(" ", "-"))
        for wire, rows in OF_LOSSES.items()
        for name, breakage in rows.items()
    ],
)
def test_losses_alone_find_a_broken_module(tmp_path: Path, wire: str, breakage: Breakage) -> None:
    assert_found(tmp_path, wire, breakage, "losses")


def assert_found(folder: Path, wire: str, breakage: Breakage, table: str | None = None) -> None:
    """Break a wire, and see one of its tests fail."""
    with changed_package(wire, broken(sources_of(wire), breakage), folder):
        # a module that cannot be imported is no failing test
        import_module(f"promptwire.{wire}.writing")
        assert first_failure(wire, table) is not None
