"""Pages of the site that are not in docs/: guides of other folders, one page a wire, and llms.txt.

mkdocs calls the functions whose names begin with `on_`.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in (".", "site", "site/try", "generator", "runtime", "generated")]

from try_assets import write_assets  # noqa: E402  # beside this file
from wire_pages import wire_index, wire_page  # noqa: E402

import promptwire  # noqa: E402

# file of the project -> its page
PAGES = {
    "README.md": "index.md",
    "docs/README.md": "cookbook.md",
    "docs/names.md": "public-names.md",
    "provider_specs/README.md": "spec-language.md",
    "generator/README.md": "compiler.md",
    "templates/README.md": "templates.md",
    "runtime/README.md": "runtime.md",
    "generated/README.md": "wires/index.md",
    "generated/REFERENCE.md": "reference.md",
    "generated/MOVED.md": "moved-names.md",
    "CHANGELOG.md": "changelog.md",
}
# under the first words of the first page
_WAYS_IN = """\
[A first request](docs/first-request.md){ .md-button .md-button--primary }
[Try it in the browser](docs/try.md){ .md-button }
[All APIs](generated/README.md){ .md-button }"""
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_HEADER = re.compile(r"\A<!--.*?-->\n+", re.DOTALL)
# a paragraph that begins so is none: headings, tables, HTML, lists, links and pictures alone
_NO_WORDS = ("#", "|", "<", "- ", "* ", "[", "!", ":::", "{")
# what people type in the search for a guide that is called something else
_USUAL_WORDS = {
    "first-request.md": ["quickstart", "getting started", "install"],
    "client.md": ["api key", "logging", "async", "retry"],
    "gateway.md": ["proxy", "server", "router"],
    "another-api.md": ["fallback", "switch model"],
    "streams.md": ["streaming", "sse", "server-sent events"],
    "structured.md": ["structured output", "json mode", "pydantic model"],
    "tools.md": ["function calling", "agent"],
    "media.md": ["vision", "pdf", "files"],
    "caching.md": ["prompt caching", "cost"],
    "evaluation.md": ["evals"],
    "check.md": ["validate", "error 400"],
}
_REFERENCE = (
    "reference.md",
    "public-names.md",
    "api.md",
    "runtime.md",
    "compiler.md",
    "spec-language.md",
    "templates.md",
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the page of each API to the navigation."""
    nav: list[Any] = config.nav or []
    pages = next(entry["APIs"] for entry in nav if isinstance(entry, dict) and "APIs" in entry)
    titles = {promptwire.wire(name).WIRE.title: f"wires/{name}.md" for name in promptwire.WIRES}
    pages += [{title: titles[title]} for title in sorted(titles, key=str.lower)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand elsewhere, and those that are made from specs."""
    for source, page in PAGES.items():
        text = _HEADER.sub("", (ROOT / source).read_text("utf-8"))
        if page == "wires/index.md":
            text = wire_index(text)
        elif page == "index.md":
            title, introduction, rest = text.split("\n\n", 2)
            text = f"{title}\n\n{introduction}\n\n{_WAYS_IN}\n\n{rest}"
        files.append(File.generated(config, page, content=text))
    for wire in promptwire.WIRES:
        files.append(File.generated(config, f"wires/{wire}.md", content=wire_page(wire)))
    for page, name in (
        ("site.css", "site.css"),
        ("site.js", "site.js"),
        ("wires/coverage.js", "coverage.js"),
    ):
        files.append(File.generated(config, page, content=(ROOT / "site" / name).read_text("utf-8")))
    files.append(File.generated(config, "llms.txt", content="".join(_llms(files))))
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Add the files of the page to try."""
    write_assets(Path(config.site_dir))


def on_post_page(output: str, **_: object) -> str:
    """Name the dialog of the search, which the theme leaves without a name for screen readers."""
    return output.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
    )


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Lead links and pictures between files of the project to their pages; of other links, only the words stay."""
    here = page.file.src_uri
    source = next((file for file, name in PAGES.items() if name == here), f"docs/{here}")

    def replaced(match: re.Match[str]) -> str:
        image, words, target = match.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return match[0]
        path, _, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        found = PAGES.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else None)
        if here.startswith(("wires/", "try")) and files.get_file_from_path(target) is None and found is None:
            found = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        if found is None or files.get_file_from_path(found) is None:
            return words
        relative = posixpath.relpath(found, posixpath.dirname(here) or ".")
        return f"{image}[{words}]({relative}{f'#{anchor}' if anchor else ''})"

    # code is never changed
    pieces = re.split(r"(^ *```.*?^ *```$|`[^`\n]+`)", markdown, flags=re.DOTALL | re.MULTILINE)
    text = "".join(piece if index % 2 else _LINK.sub(replaced, piece) for index, piece in enumerate(pieces))
    page.meta.setdefault("description", _first_words(text))
    page.meta.setdefault("search", {"boost": _boost(here)})
    page.meta.setdefault("tags", _USUAL_WORDS.get(here, []))
    return text


def _boost(page: str) -> float:
    """Return how far ahead search shows a page: guides before references and APIs, the changelog last."""
    if page == "changelog.md":
        return 0.1
    return 0.3 if page.startswith("wires/") or page in _REFERENCE else 2.0


def _first_words(markdown: str) -> str:
    """Return the first paragraph of a page in plain words; empty if it has none."""
    text = re.sub(r"\A---\n.*?^---$|^ *```.*?^ *```$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    paragraphs = (" ".join(each.split()) for each in text.split("\n\n"))
    first = next((each for each in paragraphs if each and not each.startswith(_NO_WORDS)), "")
    return _LINK.sub(r"\2", first).replace("`", "").replace("**", "")


def _llms(files: Files) -> Iterator[str]:
    """Yield the lines of llms.txt: every page with its first paragraph."""
    yield "# promptwire\n\n"
    yield "> Describe a conversation once, get the exact request of each LLM API, and read the answer back.\n\n"
    for file in sorted(files.documentation_pages(), key=lambda file: file.src_uri):
        title = re.search(r"^# (.+)$", file.content_string, re.MULTILINE)
        words = _first_words(file.content_string)
        yield f"- [{title[1] if title else file.src_uri}]({file.url}): {words}\n"
