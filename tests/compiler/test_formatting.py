"""`gen fmt` changes the layout of a spec alone: values, comments and anchors stay, and a second run changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.internals.compiler import SCHEMA_MARK, SpecError, find_layout, format_spec, read, schema_line
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
    new = format_spec(text, file)
    assert plain(read(new, file)) == plain(read(text, file))
    assert format_spec(new, file) == new
    return new


@pytest.mark.parametrize("file", SPECS)
def test_shipped_specs_are_formatted(file: str) -> None:
    assert check_laws(SPECS[file], file) == SPECS[file], "run gen fmt"


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
        parts:
          text: $text
          # nothing else

        # the end
        """,
        """
        # of the title
        title: Acme  # behind

        body:
          a: 1
          # inside
          b: 2  # after it
        parts:
          text: $text
          # nothing else

        # the end
        """,
    ),
    "long text is folded, and anchors are kept": (
        f"""
        values:
          a: {{because: &why "{" ".join(["word"] * 40)}", source: acme_page, unsupported: true}}
          b: {{because: *why, unsupported: true}}
        """,
        f"""
        values:
          a:
            unsupported: true
            because: &why >-
              {" ".join(["word"] * 23)}
              {" ".join(["word"] * 17)}
            source: acme_page
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


RENEWED = {
    "values: {n: {range: ..4, source: a}}": {"values": {"n": {"maximum": 4, "source": "a"}}},
    "values: {n: {range: -0.5..1, source: a}}": {
        "values": {"n": {"minimum": -0.5, "maximum": 1, "source": "a"}}
    },
    "values: {stop.count: {range: 1..4, source: a}}": {
        "values": {"stop.count": {"minimum": 1, "maximum": 4, "source": "a"}}
    },
    "models: {stop: {big: [{range: ..4, source: a}, {length: 2.., never: [b], source: b}]}}": {
        "models": {
            "stop": {"big": [{"maximum": 4, "source": "a"}, {"minLength": 2, "not": ["b"], "source": "b"}]}
        }
    },
    "values: {user_id: {length: 1..64, source: a}}": {
        "values": {"user_id": {"minLength": 1, "maxLength": 64, "source": "a"}}
    },
    "needs: {n: {given: [stream=true, tools], unless: instructions!=}}": {
        "needs": {"n": {"given": [{"stream": True}, "tools"], "unless": {"instructions": {"not": ""}}}}
    },
    "rules: [{when: {given: ['reasoning.budget>=max_tokens']}, reject: ['tools[strict=true].count>20', 'len(n)<5']}]": {
        "rules": [
            {
                "when": {"given": [{"reasoning.budget": {"minimum": "max_tokens"}}]},
                "reject": [{"tools[strict=true].count": {"exclusiveMinimum": 20}}, {"n": {"maxLength": 4}}],
            }
        ]
    },
    "rules: [{reject: [a!=*, 'b!~x|y', 'c!=1|1.0', d=true, 'e<=-2.5']}]": {
        "rules": [
            {
                "reject": [
                    {"a": {"set": False}},
                    {"b": {"not": {"pattern": "x|y"}}},
                    {"c": {"not": [1, 1.0]}},
                    {"d": True},
                    {"e": {"maximum": -2.5}},
                ]
            }
        ]
    },
    "values: {n: {source: {acme_sdk: docs of n, acme_page: null}}}": {
        "values": {"n": {"source": [{"who": "acme_sdk", "what": "docs of n"}, "acme_page"]}}
    },
    "twins: snake\nclients: {acme: {needs: [model], takes: {needs: a}, calls: {/a: {call: b, takes: [n]}}}}\ntools: {gather: f}": {
        "aliases": "snake",
        "clients": {
            "acme": {
                "required": ["model"],
                "accepts": {"needs": "a"},
                "calls": {"/a": {"call": "b", "accepts": ["n"]}},
            }
        },
        "tools": {"group_under": "f"},
    },
    "values: {n: {never: [a], source: a}}\nbody: {twins: a, needs: {takes: b}}": {
        "values": {"n": {"not": ["a"], "source": "a"}},
        "body": {"twins": "a", "needs": {"takes": "b"}},
    },
    "models: {n: {big: {refused: true, source: a}}}": {
        "models": {"n": {"big": {"unsupported": True, "source": "a"}}}
    },
    "values: {n: {source: their page}}": {"values": {"n": {"source": "their page"}}},
}


@pytest.mark.parametrize("text", RENEWED)
def test_old_words_are_rewritten(text: str) -> None:
    new = format_spec(text, FILE)
    assert plain(read(new, FILE)) == RENEWED[text]
    check_laws(new)


ANCHORED = (
    "values:\n  a: {source: &s {acme_sdk: docs}}\n  b: {source: *s}\n",
    "values:\n  a: &s {range: ..4, source: s}\n  b: *s\n",
    "values:\n  a: [&s {not: [b], source: s}, {not: [c], source: s}]\n  b: *s\n",
    "models:\n  a:\n    big: &s {not: [a], source: s}\n    small: *s\n",
    "clients:\n  a: &s {needs: [model]}\n  b: *s\n",
    "rules:\n  - {when: &s {given: ['a=1']}, reject: b}\n  - {when: *s, reject: c}\n",
    "rules:\n  - {reject: &s [a>1]}\n  - {reject: *s}\n",
    "transport:\n  auth: {source: &s {acme_sdk: docs}}\n  wait: {source: *s}\n",
    "body: {a: [{b: &s {c: 1}}], d: *s}\n",
)


@pytest.mark.parametrize("text", ANCHORED)
def test_an_alias_stays_one(text: str) -> None:
    new = format_spec(text, FILE)
    assert (new.count("&s"), new.count("*s")) == (1, 1)
    check_laws(new)


def test_pages_name_the_schema_of_their_folder() -> None:
    text = format_spec("rules: []\n", "provider_specs/acme/examples/tools.yaml")
    assert text == f"{SCHEMA_MARK} $schema=../../../generated/provider_spec.schema.json\nrules: []\n"
    assert format_spec(f"{SCHEMA_MARK} $schema=mine.json\nrules: []\n", FILE).startswith(
        f"{SCHEMA_MARK} $schema=mine"
    )


def test_unreadable_text_is_a_problem() -> None:
    with pytest.raises(SpecError, match=f"{FILE}:1:"):
        format_spec("rules: [", FILE)
