"""Wires by their names: shipped ones, aliases, and those that installed packages announce."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import promptwire
from promptwire import PromptwireError
from tests.internals.runtime import announced, wires_beside


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with two wires, of which one has no module."""
    info = tmp_path / "acme_llm-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-llm\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[promptwire.wires]\nalpha_chat = acme_llm.alpha_chat\nbeta_chat = acme_llm.beta_chat\n"
    )
    package = tmp_path / "acme_llm"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "alpha_chat.py").write_text("from promptwire.openai_chat import *\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("acme_llm", "acme_llm.alpha_chat"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_a_shipped_wire_is_found_by_name_and_alias() -> None:
    assert promptwire.wire("mistral_chat") is promptwire.mistral_chat
    assert promptwire.wire("mistral") is promptwire.mistral_chat


@pytest.mark.usefixtures("installed")
def test_a_wire_of_another_package_is_found_by_its_entry_point() -> None:
    assert promptwire.wire("alpha_chat").WIRE is promptwire.openai_chat.WIRE
    assert announced() == {"alpha_chat": "acme_llm.alpha_chat", "beta_chat": "acme_llm.beta_chat"}
    assert wires_beside(["openai_chat"]) == ("alpha_chat", "beta_chat", "openai_chat")


@pytest.mark.usefixtures("installed")
def test_a_module_that_cannot_be_imported_is_named() -> None:
    with pytest.raises(PromptwireError) as caught:
        promptwire.wire("beta_chat")
    assert str(caught.value) == (
        'the module "acme_llm.beta_chat" of the wire "beta_chat" cannot be imported: '
        "No module named 'acme_llm.beta_chat'"
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opnai_chat", 'no wire is called "opnai_chat"; did you mean "openai_chat"?'),
        (
            "bedrock",
            'no wire is called "bedrock"; use anthropic_bedrock, bedrock_converse, bedrock_meta, bedrock_nova or bedrock_titan',
        ),
        ("vertex", 'no wire is called "vertex"; use anthropic_vertex or gemini_generate'),
        ("zzz", f'no wire is called "zzz"; use {", ".join(promptwire.WIRES)}'),
    ],
)
def test_an_unknown_name_is_told_with_the_names_there_are(name: str, said: str) -> None:
    with pytest.raises(PromptwireError) as caught:
        promptwire.wire(name)
    assert str(caught.value) == said


def test_a_name_that_the_package_lacks_is_told_with_the_wires_that_it_may_mean() -> None:
    with pytest.raises(
        AttributeError, match=r"^module 'promptwire' has no attribute 'cohere'; use cohere_chat or cohere_v1$"
    ):
        _ = promptwire.cohere
    with pytest.raises(
        AttributeError, match=r"has no attribute 'azure_chat'; the wire is named azure_openai_chat$"
    ):
        _ = promptwire.azure_chat
    with pytest.raises(AttributeError, match=r"^module 'promptwire' has no attribute 'zzz'$"):
        _ = promptwire.zzz


def test_the_version_is_the_one_that_is_installed() -> None:
    assert promptwire.__version__.count(".") == 2
