"""`gen new --from-sdk` and `--from-openapi`: drafts build at once, and say what their types leave open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.checkout import keep_compiled

from .conftest import Gen

DESCRIPTIONS = Path(__file__).parent / "openapi"
SDK_TYPE = "openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the descriptions, which is the current one."""
    for file in DESCRIPTIONS.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drafted(folder: Path, wire: str) -> dict[str, object]:
    spec = yaml.load((folder / "provider_specs" / f"{wire}.yaml").read_text("utf-8"), yaml.CSafeLoader)
    assert isinstance(spec, dict)
    return spec


@pytest.mark.slow
def test_drafts_build_at_once_and_say_what_is_open(folder: Path, gen: Gen) -> None:
    pytest.importorskip("openai")
    sources = {
        "chat": ("--from-openapi", "chat.yaml"),
        "prompt": ("--from-openapi", "prompt.json"),
        "contents": ("--from-openapi", "contents.yaml"),
        "typed": ("--from-sdk", SDK_TYPE),
    }
    for name, source in sources.items():
        result = gen("new", f"{name}_x", *source)
        assert (result.exit_code, result.stderr) == (0, ""), name
        assert f"provider_specs/{name}_x.yaml:4:1: to settle: the title" in result.stdout
    keep_compiled(folder)
    assert "the API requires region" in (folder / "provider_specs" / "chat_x.yaml").read_text("utf-8")
    built = gen("build", *[f"{name}_x" for name in sources])
    assert built.exit_code == 0, built.stdout + built.stderr
    assert drafted(folder, "chat_x")["tools"] == {"format": "openai", "choice": ["auto", "none", "named"]}
    assert drafted(folder, "prompt_x")["transport"]["url"] == "${base_url}/models/${model|segment}/generate"  # type: ignore[index]
    body = drafted(folder, "contents_x")["body"]
    assert body == {
        "generationConfig?": {"temperature?": "$temperature", "topK?": "$top_k", "style?": "$vendor.style"},
        "safety?": "$vendor.safety",
        "contents": "$messages",
    }
    assert drafted(folder, "typed_x")["sdks"]["openai"]["types"] == SDK_TYPE  # type: ignore[index]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (("--from-openapi", "none.yaml"), "cannot be read"),
        (("--from-openapi", "chat.yaml:/nowhere"), "no operation whose body is a request to a model"),
        (("--from-sdk", "acme.types:Chat"), "cannot be imported"),
        (("--from-sdk", "acme"), "is not MODULE:TYPE"),
        (("--from-sdk", "os.path:join"), "no key that holds the conversation"),
        (("--from-sdk", "builtins:int"), "is no TypedDict, model, dataclass or method"),
        (("--from-sdk", "acme.types:Chat", "--like", "openai_like"), "exclude each other"),
    ],
)
def test_a_source_that_cannot_be_used_is_named(
    folder: Path, gen: Gen, source: tuple[str, ...], why: str
) -> None:
    result = gen("new", "acme_x", *source)
    assert why in result.stdout + result.stderr
    assert (result.exit_code == 0) is ("no key" in why)
    assert (folder / "provider_specs").exists() is ("no key" in why)
