"""README, the runtime's guide and the cookbook say what is true: every block of them is run, and prints what they show.

Python runs block after block in the names of its page; `sh` with `gen` in it runs in a folder that is empty at first. A
block whose first line is a comment with the name of a file is saved there. The `text` or `json` block that follows is
compared with what is printed; `UPDATE_GOLDEN=1` writes these anew.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.checkout import ROOT
from tests.pages import PAGES, examples_of, find_misquotes, read_page
from tests.running_pages import run_page, run_text, updated

# these build a project block after block; README builds one too, and is always run
PROJECTS = ("docs/ci.md", "docs/own-wire.md", "docs/plugin.md")


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow if page in PROJECTS else ()) for page in PAGES]
)
def test_every_block_does_what_the_page_shows(page: str) -> None:
    if os.environ.get("UPDATE_GOLDEN") == "1":
        (ROOT / page).write_text(updated(page), "utf-8")
    run = run_page(page)
    assert not run.problems, "\n".join(["", *run.problems])
    if os.environ.get("UPDATE_GOLDEN") == "1":
        pytest.skip("written anew")
    assert not run.differences, "\n".join(["", *run.differences])
    assert run.names.unused == []


# pages without a task of their own
BESIDE = (
    "README.md",
    "names.md",
    "api.md",
    "comparison.md",
    "how-it-is-compiled.md",
    "how-it-works.md",
    "try.md",
)


def test_the_index_names_every_page_of_the_cookbook() -> None:
    named = re.findall(r"^\| .*\]\(([\w-]+\.md)\) \|$", read_page("docs/README.md"), re.MULTILINE)
    assert sorted(named) == sorted(
        path.name for path in (ROOT / "docs").glob("*.md") if path.name not in BESIDE
    )


def test_whole_agents_are_short_and_have_no_loop_of_their_own() -> None:
    blocks = [example.block for example in examples_of("docs/hpd-agent.md", read_page("docs/hpd-agent.md"))]
    agents = [block.code for block in blocks if "client.run" in block.code]
    assert len(agents) == 2
    for code in agents:
        assert len([line for line in code.splitlines() if line.strip()]) <= 25
        # events of a stream are shown; nothing else is repeated
        assert set(re.findall(r"^ *((?:async )?(?:for|while) .*)", code, re.MULTILINE)) <= {
            "async for event in stream:"
        }


def test_quoted_code_is_that_of_its_file() -> None:
    misquotes = [problem for page in PAGES for problem in find_misquotes(page, read_page(page))]
    assert not misquotes, "\n".join(["", *misquotes])


def quoting(*lines: str) -> str:
    return "\n".join(['```python title="tests/pages.py"', *lines, "```", ""])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(quoting("class Block:", "...", "class Example:"), [], id="as it is"),
        pytest.param(
            quoting("class Example:", "...", "class Block:"), ["page.md:4: tests/pages.py"], id="order"
        ),
        pytest.param(
            quoting("class Block:", "    page: str"), ["page.md:2: tests/pages.py"], id="lines left out"
        ),
        pytest.param(quoting("    class Block:"), ["page.md:2: tests/pages.py"], id="indent"),
    ],
)
def test_a_changed_file_is_told_with_the_line_of_the_page(text: str, said: list[str]) -> None:
    assert [
        problem[: len("page.md:4: tests/pages.py")] for problem in find_misquotes("page.md", text)
    ] == said


RIGHT = """\
# A page

```yaml
# request.yaml
model: m
messages: [{user: hi}]
```

```sh
gen preview openai_chat request.yaml --curl
```

```text
curl -X POST https://...model":"m"...
```

- in a list:

  ```python
  from promptwire import WIRES

  print("one", len(WIRES) > 1)
  ```

  ```text
  one True
  ```

```python
import json

print(json.dumps({"a": [1, {}]}))
```

```json
{
  "a": [1, {}]
}
```
"""


def test_a_page_that_is_right_has_no_problems() -> None:
    run = run_text("page.md", RIGHT)
    assert (run.problems + run.differences, len(run.printed), run.names.used) == (
        [],
        3,
        {"promptwire.WIRES", "json.dumps"},
    )


# what is changed in the page, and what is said then
WRONG = {
    "other text": ("one True", "two True", "page.md:26: the page shows\ntwo True\n"),
    "other JSON": ("[1, {}]\n}\n`", "[1, []]\n}\n`", "page.md:36: the page shows\n"),
    "another order": ('{"a": [1, {}]}', '{"b": 1, "a": [1, {}]}', "page.md:36: the page shows\n"),
    "an error": ("len(WIRES)", "len(WIRE)", "page.md:20: line 22: NameError: name 'WIRE' is not defined"),
    "no such command": ("--curl", "--curls", "page.md:14: the page shows\n"),
    "a command that fails": (' --curl\n```\n\n```text\ncurl -X POST https://...model":"m"...', " --curls", "page.md:10: it exits with 2"),
    "no output": ("\n  ```text\n  one True\n  ```\n", "", "page.md:20: it prints, and the page shows nothing"),
    "no code": ("A page\n", "A page\n\n```text\nwords\n```\n", "page.md:4: this output stands behind no code"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_with_its_line(case: str) -> None:
    old, new, said = WRONG[case]
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT
    run = run_text("page.md", text)
    (problem,) = run.problems + run.differences
    assert problem.startswith(said)
