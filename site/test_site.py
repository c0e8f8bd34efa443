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
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import promptwire

SITE = Path(__file__).resolve().parents[1] / "build" / "site"
# Python is loaded and the package imported, on a busy machine
LOADED = 120_000
CONVERTED = 20_000


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
