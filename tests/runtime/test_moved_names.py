"""Names that moved: they work for one version, with a warning that says where they are now."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

import promptwire
from promptwire import Options, Request, ToolCall, openai_chat, user
from promptwire.errors import NoPlace
from promptwire.results import answer_coverage
from tests.internals.runtime import PRESETS, policies_of

MODULES = (
    "batch",
    "context",
    "data",
    "errors",
    "execution",
    "http",
    "parts",
    "plugins",
    "prompts",
    "results",
    "toolkits",
)


def test_promptwire_has_about_forty_names() -> None:
    assert len(set(promptwire.__all__) - set(promptwire.WIRES)) == 41
    assert len(openai_chat.__all__) == 12


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_module_is_found_by_import(module: str) -> None:
    found = import_module(f"promptwire.{module}")
    assert getattr(promptwire, module) is found
    assert [name for name in found.__all__ if getattr(found, name, None) is None] == []


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("NoPlace", "promptwire.errors.NoPlace"),
        ("Video", "promptwire.parts.Video"),
        ("image_url", "promptwire.parts.image_url"),
        ("BuildContext", "promptwire.plugins.Report"),
        ("load_case", "promptwire.prompts.load_case"),
        ("Usage", "promptwire.results.Usage"),
        ("Edit", "promptwire.Note"),
        ("Finding", "promptwire.Problem"),
    ],
)
def test_an_old_name_works_and_names_the_new_one(name: str, place: str) -> None:
    module, _, new = place.rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"promptwire.{name} is {place} now"):
        found = getattr(promptwire, name)
    assert found is getattr(import_module(module), new)


def test_a_text_replaces_the_constants() -> None:
    with pytest.warns(DeprecationWarning, match='promptwire.LENIENT is deprecated: write policies="lenient"'):
        assert PRESETS["lenient"] == promptwire.LENIENT
    with pytest.warns(DeprecationWarning, match="promptwire.PRESETS is deprecated"):
        assert PRESETS == promptwire.PRESETS


def test_operations_that_moved_work_with_a_warning() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    answer = openai_chat.read_answer({"id": "a", "choices": [choice]})
    line = '{"custom_id": "r1", "response": {"status_code": 429, "body": {"error": {"message": "Wait."}}}}'
    old = import_module("promptwire.openai_chat")
    with pytest.warns(DeprecationWarning, match=r"openai_chat.answer_coverage is now promptwire.results"):
        assert old.answer_coverage(answer) == answer_coverage(openai_chat, answer)
    with pytest.warns(DeprecationWarning, match=r"read_batch_result is now promptwire.results"):
        assert old.read_batch_result(line).id == "r1"
    with pytest.warns(DeprecationWarning, match=r"CAPABILITIES is now WIRE.capabilities"):
        assert old.CAPABILITIES is openai_chat.WIRE.capabilities
    with pytest.raises(AttributeError, match=r"module 'promptwire.openai_chat' has no attribute 'nope'"):
        _ = old.nope


def test_the_arguments_of_lint_are_those_it_had() -> None:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "seeds": 1}
    with pytest.warns(DeprecationWarning, match="openai_chat.lint is now check"):
        found = import_module("promptwire.openai_chat").lint(body=body)
    assert found == openai_chat.check(body)
    assert [problem.path for problem in found] == ["seeds"]


def test_attributes_of_problems_and_errors_have_their_earlier_names() -> None:
    request = Request(model="gpt-4o", messages=(user("Hi"),), options=Options(top_k=3))
    (problem,) = openai_chat.check(request)
    with pytest.warns(DeprecationWarning, match="Problem.does is now Problem.outcomes"):
        assert getattr(problem, "does") == problem.outcomes  # noqa: B009  # type checkers know no earlier name
    with pytest.warns(DeprecationWarning, match="Problem.message is now Problem.reason"):
        assert getattr(problem, "message") == problem.reason  # noqa: B009
    with pytest.raises(NoPlace) as raised:
        openai_chat.build(request)
    error = raised.value
    for name in ("condition", "fix", "guard", "loss", "no_repair", "role", "rule"):
        with pytest.warns(DeprecationWarning, match=f"NoPlace.{name} is now NoPlace.problem.{name}"):
            assert getattr(error, name) == getattr(error.problem, name)
    assert not hasattr(problem, "nope")
    assert not hasattr(error, "nope")


@pytest.mark.parametrize(
    "use",
    [
        lambda: promptwire.Edit,
        lambda: promptwire.LENIENT,
        lambda: import_module("promptwire.openai_chat").CAPABILITIES,
        lambda: openai_chat.read({"model": "m", "messages": []}).problems,
        lambda: openai_chat.build(Request("m", [user("Hi")])).context,
        lambda: ToolCall("a", "f", {}).data,
        lambda: policies_of("repairs=skip"),
    ],
)
def test_a_warning_is_shown_at_the_line_that_uses_the_old_name(use: Callable[[], object]) -> None:
    with pytest.warns(DeprecationWarning, match="is .*now|is deprecated") as warned:
        use()
    assert [each.filename for each in warned] == [__file__]


def test_what_no_shape_takes_is_found_by_its_earlier_name() -> None:
    body = {"id": "a", "choices": [{"index": 0, "message": {"role": "assistant", "content": 7}}]}
    answer, reading = openai_chat.read_answer(body), openai_chat.read({"model": "m", "messages": [7]})
    stream = openai_chat.stream()
    for read in (answer, reading, stream):
        with pytest.warns(DeprecationWarning, match=f"{type(read).__name__}.problems is unread now"):
            assert read.problems == read.unread


def test_the_report_of_a_build_is_found_by_its_earlier_name() -> None:
    built = openai_chat.build(Request("m", [user("Hi")], options=Options(top_k=3)), policies="lenient")
    with pytest.warns(DeprecationWarning, match="Built.context is report now"):
        report = built.context
    assert report is built.report
    assert report.notes == built.notes != ()
