"""Errors of broken request files: the exact text for each case folder, and a sensible error for any damage.

`UPDATE_GOLDEN=1` writes the `problems.txt` of every case anew.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from promptwire import Request, dump_request, load_request
from promptwire.errors import LoadError
from tests.internals.runtime import Problems, json_tree, plain, read_yaml
from tests.strategies import json_values, names, requests

CASES = Path(__file__).parent.parent / "cases" / "requests"
relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def problems_of(source: Any) -> str:
    """Load what cannot be loaded and give the text of the error."""
    with pytest.raises(LoadError) as caught:
        load_request(source)
    return str(caught.value)


@pytest.mark.parametrize("case", sorted(each.name for each in CASES.iterdir()))
def test_broken_files(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / case)
    (file,) = Path().glob("request.*")
    found = problems_of(file) + "\n"
    golden = Path("problems.txt")
    if os.environ.get("UPDATE_GOLDEN") == "1":
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


# syntax errors: the two parsers word them differently, and the one in Python adds how to install the other
WORDED_BY_PARSER = {"broken_yaml", "tab_in_yaml", "unclosed_yaml"}
YAML_CASES = sorted(each.parent.name for each in CASES.glob("*/request.yaml"))


@pytest.mark.parametrize("case", [each for each in YAML_CASES if each not in WORDED_BY_PARSER])
def test_the_parser_in_python_finds_the_same(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    monkeypatch.chdir(CASES / case)
    assert problems_of("request.yaml") + "\n" == Path("problems.txt").read_text(encoding="utf-8")


def test_what_the_parser_in_python_refuses_gets_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("request.yaml").write_text("model: m\nmessages: [{user: Why?}]\n")
    assert len(load_request("request.yaml").messages) == 1
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    found = problems_of("request.yaml")
    assert found.startswith(
        "request.yaml:2:22: invalid YAML: expected ',' or '}', but got '?' (while parsing a flow"
    )
    assert found.endswith(
        "; this PyYAML was built without libyaml, and its parser in Python refuses valid YAML such as "
        "{user: Why?}; install one with libyaml: pip install --force-reinstall --only-binary PyYAML PyYAML"
    )


def plain_json() -> st.SearchStrategy[Any]:
    """JSON values whose text is YAML too."""
    leaves = st.none() | st.booleans() | st.integers() | st.text("ab ,:{}[]#-'", max_size=6)

    def inside(each: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.lists(each, max_size=3) | st.dictionaries(names(), each, max_size=3)

    return st.recursive(leaves, inside, max_leaves=12)


@relaxed
@given(plain_json(), st.sampled_from((None, 0, 2)))
def test_json_and_yaml_give_the_same_places(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    tree = read_yaml(text, Problems("request.yaml"))
    assert tree == json_tree(text, Problems("request.yaml"))
    assert tree is not None
    assert plain(tree) == value


def loads_or_complains(source: Any) -> None:
    """Load a source: a Request or a LoadError with a text may come of it, and nothing else."""
    try:
        assert type(load_request(source)) is Request
    except LoadError as error:
        lines = str(error).splitlines()
        assert lines == list(dict.fromkeys(lines))
        assert all(line.isprintable() and line for line in lines)


@relaxed
@given(st.binary() | st.text().map(str.encode), st.sampled_from((".json", ".yaml")))
def test_any_bytes_load_or_complain(raw: bytes, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"request{ending}")
        file.write_bytes(raw)
        loads_or_complains(file)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """Return the dump of a request with one value or key anywhere in it replaced."""
    dump = dump_request(draw(requests(memory=True)), kept=True)
    node: Any = dump
    while True:
        is_mapping = type(node) is dict
        keys: list[Any] = list(node) if is_mapping else list(range(len(node)))
        if not keys:
            return dump
        key = draw(st.sampled_from(keys))
        inside: Any = node[key]
        if type(inside) in (dict, list) and draw(st.integers(0, 3)):
            node = inside
            continue
        odd = st.sampled_from((float("nan"), float("inf"), b"raw", {1: 2}, (1, {2}), object))
        node[key] = draw(json_values() | odd)
        if is_mapping and draw(st.booleans()):
            node[draw(names())] = node.pop(key)
        return dump


@relaxed
@given(damaged())
def test_damaged_mappings_load_or_complain(source: Any) -> None:
    loads_or_complains(source)


@relaxed
@given(damaged())
def test_every_problem_of_a_damaged_file_has_its_place(source: Any) -> None:
    text = json.dumps(source, default=repr, indent=1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "request.json")
        file.write_text(text)
        try:
            load_request(file)
        except LoadError as error:
            for line in str(error).splitlines():
                row, column = line.removeprefix(f"{file}:").split(": ")[0].split(":")
                assert text.splitlines()[int(row) - 1][int(column) - 1] != " "
