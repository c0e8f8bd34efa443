"""`gen fmt` changes the layout of a spec alone: values, comments and anchors stay, and a second run changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.internals.compiler import SCHEMA_MARK, SpecError, find_layout, formatted, read, schema_line
from tests.internals.runtime import plain

FILE = "provider_specs/acme_chat.yaml"
SPECS = find_layout().read_specs()

LETTERS = st.sampled_from("aZ0 :#-?,[]{}&*!|>'\"%@`\\~=$.é😀\t")
TEXTS = st.one_of(
    st.text(LETTERS, max_size=12),
    st.lists(st.text("ab:#", min_size=1, max_size=9), max_size=40).map(" ".join),
    st.sampled_from(
        ["true", "null", "1", "1.0", "1e3", "True", "0o7", "...", "---", "- a", "a\nb", "x\x00", "\u2028"]
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(-10, 10), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(TEXTS.filter(lambda text: text != "<<"), inner, max_size=4),
    ),
    max_leaves=20,
)
SECTIONS = st.sampled_from(
    ["values", "models", "rules", "needs", "body", "groups", "examples", "title", "tools"]
)
TREES = st.dictionaries(SECTIONS, VALUES, min_size=1, max_size=4)


def in_flow(value: Any) -> str:
    """Return a value as JSON, which is YAML."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028")


def in_block(value: Any, indent: int = 0) -> Iterator[str]:
    """Yield the lines of a value in block style."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _below(f"{' ' * indent}{in_flow(key)}:", inner, indent)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _below(f"{' ' * indent}-", inner, indent)
    else:
        yield f"{' ' * indent}{in_flow(value)}"


def _below(head: str, value: Any, indent: int) -> Iterator[str]:
    if value and isinstance(value, (dict, list)):
        yield head
        yield from in_block(value, indent + 2)
    else:
        yield f"{head} {in_flow(value)}"


def comments_of(text: str) -> Counter[str]:
    """Return the comments of a text in which only comments hold `# c`."""
    return Counter("# c" + line.partition("# c")[2].strip() for line in text.splitlines() if "# c" in line)


def check_laws(text: str, file: str = FILE) -> str:
    """Check that formatting keeps the tree and is idempotent; return the formatted text."""
    new = formatted(text, file)
    assert plain(read(new, file)) == plain(read(text, file))
    assert formatted(new, file) == new
    return new


@pytest.mark.parametrize("file", SPECS)
def test_shipped_specs_keep_their_values(file: str) -> None:
    check_laws(SPECS[file], file)


@given(TREES)
@settings(max_examples=150, deadline=None)
def test_random_trees_keep_their_values(tree: dict[str, Any]) -> None:
    for text in (in_flow(tree), "\n".join(in_block(tree))):
        assert plain(read(check_laws(text), FILE)) == tree


@given(TREES.filter(lambda tree: "# c" not in str(tree)), st.data())
@settings(max_examples=100, deadline=None)
def test_random_comments_stay(tree: dict[str, Any], data: st.DataObject) -> None:
    lines = list(in_block(tree))
    for index in range(len(lines)):
        place = data.draw(st.sampled_from(["", "above", "behind", "blank"]))
        if place == "above":
            lines[index] = f"# c{index}\n{lines[index]}"
        elif place == "behind":
            lines[index] += f" # c{index}"
        elif place == "blank":
            lines[index] = f"\n{lines[index]}"
    text = "\n".join(lines) + "\n# cLast\n"
    assert comments_of(check_laws(text)) == comments_of(text)


LAYOUTS = {
    "claims stand in block style, the proof behind them": (
        """
        values:
          top_p: {source: a page, because: 'it is so, always', unsupported: true}
        rules:
          - {because: why, when: {given: [tools]}, reject: [temperature, top_p], source: a page}
        """,
        """
        values:
          top_p:
            unsupported: true
            because: it is so, always
            source: a page
        rules:
          - when: {given: [tools]}
            reject: [temperature, top_p]
            because: why
            source: a page
        """,
    ),
    "shapes keep their style as far as it fits": (
        """
        body: {model: $model, "stop?": {or: ["$stop", $stop|one]},
          messages: $messages}
        parts:
          text: {type: text,
            text: $text}
          image.url: {type: image_url, image_url: {url: $url, detail?: $detail(auto|low|high)}, cache?: $cache, some_other?: $vendor.other}
          audio.id:
            id: $id
        """,
        """
        body: {model: $model, "stop?": {or: ["$stop", $stop|one]}, messages: $messages}
        parts:
          text: {type: text, text: $text}
          image.url:
            type: image_url
            image_url: {url: $url, detail?: $detail(auto|low|high)}
            cache?: $cache
            some_other?: $vendor.other
          audio.id:
            id: $id
        """,
    ),
    "comments and blank lines stay with their entries": (
        """
        # of the title
        title: Acme   # behind


        body: {a: 1,
          # inside
          b: 2}  # after it
        # the end
        """,
        """
        # of the title
        title: Acme  # behind

        body:
          a: 1
          # inside
          b: 2  # after it
        # the end
        """,
    ),
    "long text is folded, and anchors are kept": (
        f"""
        values:
          a: {{because: &why "{" ".join(["word"] * 40)}", source: 'a page, 2026', unsupported: true}}
          b: {{because: *why, unsupported: true}}
        """,
        f"""
        values:
          a:
            unsupported: true
            because: &why >-
              {" ".join(["word"] * 23)}
              {" ".join(["word"] * 17)}
            source: a page, 2026
          b:
            unsupported: true
            because: *why
        """,
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name: str) -> None:
    before, after = map(dedent, LAYOUTS[name])
    assert check_laws(before.lstrip()) == f"{schema_line(FILE)}{after}"


def test_pages_name_the_schema_of_their_folder() -> None:
    text = formatted("rules: []\n", "provider_specs/acme/examples/tools.yaml")
    assert text == f"{SCHEMA_MARK} $schema=../../../generated/provider_spec.schema.json\nrules: []\n"
    assert formatted(f"{SCHEMA_MARK} $schema=mine.json\nrules: []\n", FILE).startswith(
        f"{SCHEMA_MARK} $schema=mine"
    )


def test_unreadable_text_is_a_problem() -> None:
    with pytest.raises(SpecError, match=f"{FILE}:1:"):
        formatted("rules: [", FILE)
