"""The generated tests can fail: each way of breaking a generated module on purpose is found by its tests."""

from __future__ import annotations

import ast
import runpy
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from promptwire import Options
from promptwire_runtime.nodes.records import fields
from tests.checkout import ROOT, copy_folders, run_python

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
    """Leave out a call of the builder: `build.lost_options(...)` -> nothing."""
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
    """Say that every option has a place: `BodyRow(options=frozenset({"stop"}))` names them all."""
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
    """Tell whether a node is this text."""
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
        "forget the required maximum": ("write_", partial(skip_call, "missing")),
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
# what the tests of claims alone must find, without the examples
OF_CLAIMS: dict[str, dict[str, Breakage]] = {
    "openai_chat": {
        "forget the instructions": ("write_instructions", partial(drop_key, "content")),
        "forget a tool choice": ("write_tool_choice", partial(never_true, "'required'")),
        "forget a response format": ("write_response_format", partial(drop_key, "type")),
        "forget a field of a part": ("write_part_image_url", partial(drop_key, "detail")),
        "lose a field of a part in silence": ("PART_DOCUMENT_DATA", forget_fields),
        "read no choice of tools": ("READERS", partial(drop_key, "function")),
        "drop the rules": ("RULES", forget_rules),
        "skip the check for options without a place": ("BODY", partial(take_all, "options")),
        "take a result that comes late": ("write_messages", partial(never_true, "open_calls and role")),
    },
    "openai_responses": {
        "continue nothing": ("write_", partial(drop_key, "previous_response_id")),
        "take a call without result": ("write_messages", partial(skip_call, "check_pairs")),
        "take a result without call": ("write_messages", partial(skip_call, "close_call")),
        "continue no conversation": ("write_", partial(drop_key, "conversation")),
        "forget the instructions": ("write_", partial(drop_key, "instructions")),
        "choose no hosted tool": ("write_tool_choice", partial(never_true, "'hosted'")),
    },
    "anthropic_messages": {
        "keep neighbours apart": ("write_", partial(never_true, "now == before and")),
        "forget the instructions": ("write_", partial(drop_key, "system")),
        "take a result that comes late": ("write_messages", partial(never_true, "open_calls and now")),
        "send what the thread holds": ("WIRE", partial(drop_argument, "omits")),
        "ignore a parameter": ("write_", partial(ignore_attribute, "top_k")),
        "ignore a field of tools": ("write_tool", partial(ignore_attribute, "stream_arguments")),
    },
}
WIRES = tuple(OF_ONE_WIRE)
# tests of all wires are made the same way: each breakage is tried on two of them, all wires meet some
CASES = [
    pytest.param(wire, breakage, id=f"{wire}-{name}".replace(" ", "-"))
    for index, wire in enumerate(WIRES)
    for name, breakage in (
        *(
            (name, breakage)
            for number, (name, breakage) in enumerate(EVERYWHERE.items())
            if (number + 2 * index) % 5 < 2
        ),
        *OF_ONE_WIRE[wire].items(),
    )
]


def broken(sources: dict[Path, str], breakage: Breakage) -> dict[Path, str]:
    """Break a wire: every node that the change fits, in every definition whose name begins as said."""
    where, change = breakage
    out: dict[Path, str] = {}
    for path, source in sources.items():
        tree = ast.parse(source)
        places = [node for node in tree.body if defined(node).startswith(where)]
        changes = [change(node) for place in places for node in ast.walk(place)]
        if any(changes):
            out[path] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    assert out, "nothing was broken"
    return out


def defined(node: ast.stmt) -> str:
    """The name that a top-level statement defines."""
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


def chosen_tests(folder: Path, wire: str) -> Path:
    """The generated tests with the cases of one wire alone: what others say need not be collected each time."""
    place = folder / "generated" / f"tests_of_{wire}"
    if not place.exists():
        tests = folder / "generated" / "tests"
        (place / "cases").mkdir(parents=True)
        for path in (*tests.glob("*.py"), tests / "cases" / f"{wire}.json"):
            shutil.copy(path, place / path.relative_to(tests))
        assert run_python("-m", "compileall", "-q", str(place), folder=folder).returncode == 0
    return place


def run_tests(folder: Path, wire: str, chosen: str = "") -> tuple[int, str]:
    """Run the generated tests of one wire, those `chosen`, until the first failure; return exit code and output."""
    arguments = (
        "-x",
        "-q",
        "--tb=short",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
    )
    path = (folder / "runtime", folder / "generated")
    command = ("-m", "pytest", *arguments, "-k", chosen, str(chosen_tests(folder, wire)))
    # generated tests need no plugin, and loading those that are installed takes as long as the tests
    done = run_python(*command, folder=folder, path=path, variables={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is generated, and of the runtime."""
    folder = copy_folders(tmp_path_factory.mktemp("whole"), "generated", "runtime")
    # what no breakage touches is compiled once; the modules themselves never are
    assert run_python("-m", "compileall", "-q", "runtime", folder=folder).returncode == 0
    return folder


@pytest.mark.parametrize("wire", OF_ONE_WIRE)
def test_the_unbroken_module_passes(copied: Path, wire: str) -> None:
    code, output = run_tests(copied, wire)
    assert (code, "failed" in output) == (0, False), output


def test_a_failure_names_wire_example_and_difference(copied: Path) -> None:
    output = assert_found(
        copied, "openai_chat", OF_CLAIMS["openai_chat"]["forget a field of a part"], "claim_of"
    )
    name = "image.url with all but a cache mark"
    assert f"test_claim_of_the_spec[openai_chat-{name}]" in output
    assert output.partition("Failed: ")[2].partition("\n=")[0] == (
        f"openai_chat, {name}: not what its spec says\n"
        "E     messages[0].content[0].image_url.detail: expected 'auto', got nothing"
    )


def test_each_way_in_which_bodies_differ_is_told() -> None:
    differences = runpy.run_path(str(ROOT / "generated" / "tests" / "test_wires.py"))["differences"]
    expected = {"a": 1, "b": [{"c": "x"}, 2], "d": None, "e": {"f": True}}
    got = {"b": [{"c": "y"}], "a": 1.0, "e": {"f": 1}, "g": [0]}
    assert list(differences(expected, got)) == [
        "a: expected 1, got 1.0",
        "b[0].c: expected 'x', got 'y'",
        "b: expected 2 elements, got 1: [{'c': 'y'}]",
        "d: expected None, got nothing",
        "e.f: expected True, got 1",
        "g: expected nothing, got [0]",
    ]
    assert list(differences([1], "one")) == ["the whole: expected [1], got 'one'"]
    assert list(differences(expected, dict(reversed(expected.items())))) == []


@pytest.mark.parametrize(("wire", "breakage"), CASES)
def test_a_broken_module_fails(copied: Path, wire: str, breakage: Breakage) -> None:
    assert_found(copied, wire, breakage)


@pytest.mark.parametrize(
    ("wire", "breakage"),
    [
        pytest.param(wire, breakage, id=f"{wire}-{name}".replace(" ", "-"))
        for wire, rows in OF_CLAIMS.items()
        for name, breakage in rows.items()
    ],
)
def test_claims_alone_find_a_broken_module(copied: Path, wire: str, breakage: Breakage) -> None:
    assert_found(copied, wire, breakage, "test_claim or test_what")


def assert_found(folder: Path, wire: str, breakage: Breakage, chosen: str = "") -> str:
    """Break a wire, and see one of its tests fail; return what it said."""
    package = folder / "generated" / "promptwire" / wire
    whole = {path: path.read_text("utf-8") for path in sorted(package.glob("*.py"))}
    try:
        for path, text in broken(whole, breakage).items():
            path.write_text(text, "utf-8")
        code, output = run_tests(folder, wire, chosen)
    finally:
        for path, text in whole.items():
            path.write_text(text, "utf-8")
    # 1 is a failing test: a module that cannot be imported would be 2
    assert (code, "1 failed" in output) == (1, True), output
    return output
