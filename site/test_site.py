"""The built site in a browser: pages open, the page to try converts, and nothing is loaded from elsewhere.

`make docs` builds the site and runs this. Needs Chromium (Debian's package `chromium`).
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import promptwire

BUILD = Path(__file__).resolve().parents[1] / "build"
SITE = BUILD / "site"
AXE = BUILD / "npm" / "node_modules" / "axe-core" / "axe.min.js"
# WCAG 2.1, levels A and AA
ACCESSIBLE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
# Python is loaded and the package imported, on a busy machine
LOADED = 120_000
CONVERTED = 20_000
# what people type -> the guide that is the first result
USUAL_WORDS = {
    "streaming": "streams",
    "proxy": "gateway",
    "structured output": "structured",
    "json mode": "structured",
    "pydantic model": "structured",
    "api key": "client",
    "fallback": "another-api",
    "quickstart": "first-request",
    "getting started": "first-request",
    "logging": "client",
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium: install Debian's package chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return []


@pytest.fixture(scope="module")
def page(browser: Browser, address: str, asked: list[str]) -> Page:
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}try/")
    page.wait_for_function("document.body.dataset.tryReady", timeout=LOADED)
    print(f"\ninteractive after {page.evaluate('document.body.dataset.tryReady')} ms")
    return page


def shown(page: Page, name: str) -> str:
    return page.input_value(f"#try-{name}")


def convert(page: Page, source: str, target: str, body: Any) -> dict[str, Any]:
    """Choose two APIs, paste a body, and return the body that the page shows for the second."""
    page.evaluate("document.getElementById('try-result').value = ''")
    page.select_option("#try-from", source)
    page.select_option("#try-to", target)
    page.fill("#try-body", json.dumps(body))
    page.wait_for_function(
        "document.getElementById('try-result').value.includes('a question of the test')", timeout=CONVERTED
    )
    result: dict[str, Any] = json.loads(shown(page, "result"))
    return result


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("openai_chat", "anthropic_messages"),
        ("anthropic_messages", "gemini_generate"),
        ("gemini_generate", "openai_responses"),
    ],
)
def test_a_pasted_body_is_converted_as_python_does(page: Page, source: str, target: str) -> None:
    request = promptwire.Request(
        "a-model",
        [promptwire.user("a question of the test")],
        instructions="Be brief.",
        options=promptwire.Options(max_tokens=9),
    )
    body = promptwire.wire(source).build(request).body
    reading = promptwire.wire(source).read(body)
    page.fill("#try-model", "a-model")
    wanted = promptwire.wire(target).build(reading.request.replace(model="a-model"), policies="lenient").body
    assert convert(page, source, target, body) == wanted


def test_the_first_example_shows_notes_and_the_way_back(page: Page) -> None:
    page.select_option("#try-from", "openai_chat")
    page.select_option("#try-to", "anthropic_messages")
    page.wait_for_function("document.getElementById('try-back').value", timeout=CONVERTED)
    assert json.loads(shown(page, "back"))["object"] == "chat.completion"
    assert page.inner_text("#try-notes").strip() != ""


def test_the_first_example_needs_no_python(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.route("**/pyodide/*", lambda route: route.abort())
    page.goto(f"{address}try/")
    page.wait_for_function("document.body.dataset.tryShown", timeout=CONVERTED)
    assert json.loads(shown(page, "result"))["model"] == "claude-opus-4-8"
    assert "temperature" in page.inner_text("#try-notes")
    assert "Anthropic's migration guide" in page.inner_text("#try-refusals")
    assert json.loads(shown(page, "back"))["object"] == "chat.completion"


def test_a_link_carries_the_input_in_its_fragment(page: Page, browser: Browser) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "a question of the test: ü"}]}
    convert(page, "mistral_chat", "cohere_chat", body)
    page.click("#try-link")
    page.wait_for_function("location.hash")
    other = browser.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(page.url)
    other.wait_for_function("document.getElementById('try-result').value.includes('ü')", timeout=LOADED)
    assert json.loads(shown(other, "body")) == body
    assert (other.input_value("#try-from"), other.input_value("#try-to")) == ("mistral_chat", "cohere_chat")
    assert not any(page.evaluate("location.hash") in url for url in asked)


@pytest.mark.parametrize("name", ["", "try/", "wires/", "comparison/", "client/"])
def test_no_page_is_wider_than_a_phone(browser: Browser, address: str, name: str) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 800})
    phone.goto(f"{address}{name}")
    if name == "try/":
        phone.wait_for_function("document.body.dataset.tryShown", timeout=CONVERTED)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["", "try/", "wires/", "client/", "comparison/", "gateway/"])
def test_pages_are_accessible(
    browser: Browser, address: str, name: str, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(f"{address}{name}")
        if name == "try/":
            page.wait_for_function("document.body.dataset.tryShown", timeout=CONVERTED)
        page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate("options => axe.run(document, options)", ACCESSIBLE)
    nodes = [(rule["id"], node["html"]) for rule in found["violations"] for node in rule["nodes"]]
    assert found["passes"]
    assert nodes == []


def test_search_finds_guides_by_the_usual_words(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    for words, guide in USUAL_WORDS.items():
        asked = page.locator("input[data-md-component=search-query]")
        asked.fill("")
        asked.press_sequentially(words)
        first = page.locator("a.md-search-result__link").first
        first.and_(page.locator(f"[href*='{guide}/']")).wait_for(timeout=CONVERTED)


def test_a_mistake_is_shown_with_its_place(page: Page) -> None:
    page.fill("#try-body", '{\n  "model": "m",\n  "messages": [}\n}')
    page.wait_for_function("document.getElementById('try-problem').textContent", timeout=CONVERTED)
    assert page.inner_text("#try-problem").startswith("line 3, column 16: this is not JSON")


def test_an_unknown_key_is_a_finding(page: Page) -> None:
    body = {
        "model": "m",
        "temprature": 1,
        "messages": [{"role": "user", "content": "a question of the test"}],
    }
    convert(page, "openai_chat", "openai_chat", body)
    assert 'temprature: unknown key; did you mean "temperature"?' in page.inner_text("#try-findings")


def test_nothing_is_loaded_from_elsewhere(
    page: Page, browser: Browser, address: str, asked: list[str]
) -> None:
    other = browser.new_page()
    other.on("request", lambda request: asked.append(request.url))
    for name in ("", "how-it-works/", "wires/", "wires/anthropic_messages/", "api/", "reference/"):
        answer = other.goto(f"{address}{name}")
        assert answer is not None
        assert answer.status == 200
        assert other.inner_text("h1")
    assert page.url.startswith(address)
    strange = [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    assert strange == []


def test_every_page_is_in_llms_txt() -> None:
    text = (SITE / "llms.txt").read_text("utf-8")
    assert all(f"](wires/{name}/)" in text for name in promptwire.WIRES)


def test_the_coverage_shows_the_apis_that_have_a_feature(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}wires/")
    assert page.locator(".coverage tbody tr:visible").count() == len(promptwire.WIRES)
    page.fill("#coverage-filter", "video")
    titles = page.locator(".coverage tbody tr:visible th").all_inner_texts()
    have = {
        name for name in promptwire.WIRES if promptwire.wire(name).WIRE.capabilities["parts"].get("video")
    }
    assert sorted(titles) == sorted(promptwire.wire(name).WIRE.title for name in have)
