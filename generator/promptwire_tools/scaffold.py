"""Create the text of a new spec: a plain chat API, or a patch over an existing wire."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any
from urllib.parse import urlsplit

import yaml

from promptwire_gen.emit.environment import environment
from promptwire_gen.layout import FIRST_PAGE, SPECS, Layout
from promptwire_gen.model.neutral import OPTIONS
from promptwire_gen.model.transport import INSIDE
from promptwire_gen.problems import make_hint, quote
from promptwire_gen.spec.fields import find_name_trouble
from promptwire_gen.spec.load import LoadedSpec, find_files_of_chains, load_specs
from promptwire_gen.spec.nodes import Scalar
from promptwire_gen.spec.pages import find_files_of_wires, is_shared
from promptwire_gen.spec.schema import Auth, Example, TransportSection

from .formatting import format_spec

PLAIN, PATCH, DRAFT = "provider_spec.yaml.j2", "provider_spec_like.yaml.j2", "provider_spec_draft.yaml.j2"
# how a draft marks what its source does not say
SETTLE = "# to settle: "
_SAMPLE_HOST = "https://api.example.com"
# the sections that get a page of their own in a folder
_PAGES = {"rules": "rules.yaml", "examples": "examples/basics.yaml"}


class ScaffoldError(Exception):
    """Raised if a spec cannot be started because of its name, its parent, or an existing file."""


def scaffold_spec(
    wire: str,
    layout: Layout,
    *,
    like: str | None = None,
    in_folder: bool = False,
    drafted: Mapping[str, Any] | None = None,
    more: Sequence[Path] = (),
) -> Path:
    """Write `provider_specs/<wire>.yaml`, or a folder of pages, and return its path.

    `drafted` is what a draft from types says, `more` are spec folders of plugins. Outside a project, the new folder
    begins one; nothing is overwritten.
    Raises ScaffoldError, and SpecError if the parent has problems.
    """
    trouble = find_name_trouble(wire)
    if trouble is not None:
        raise ScaffoldError(f"the name {quote(wire)} {trouble}")
    sources = layout.read_specs(more)
    names = find_files_of_wires(sources)
    path = layout.root / SPECS / f"{wire}.yaml"
    if is_shared(path.name):
        raise ScaffoldError(f"{SPECS}/{path.name} says for all specs who says so: choose another name")
    for taken in (path, path.with_suffix("")):
        if taken.exists():
            raise ScaffoldError(f"{SPECS}/{taken.name} is there already")
    if wire in names:
        raise ScaffoldError(f"{quote(wire)} comes with promptwire or a plugin: choose another name")
    text = (
        _rendered(DRAFT, layout, wire, env=f"{_prefix(wire)}_API_KEY", **drafted)
        if drafted is not None
        else _plain(wire, layout)
        if like is None
        else _patch(wire, layout, like, _parent(wire, like, sources, names))
    )
    if not in_folder:
        _write(path, format_spec(text, f"{SPECS}/{path.name}"))
        return path
    for page, words in _pages_of(text).items():
        _write(path.with_suffix("") / page, format_spec(words, f"{SPECS}/{wire}/{page}"))
    return path.with_suffix("")


def to_settle(path: Path) -> Iterator[str]:
    """Yield what a new spec leaves open, with file, line and column as compile errors have them."""
    for page in [path] if path.is_file() else sorted(path.rglob("*.yaml")):
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            column = line.find(SETTLE)
            if column >= 0:
                yield f"{page.name}:{number}:{column + 1}: to settle: {line[column + len(SETTLE) :]}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _pages_of(text: str) -> dict[str, str]:
    """Split the sections of a spec into pages, each with the comment above it."""
    pages: dict[str, list[str]] = {FIRST_PAGE: []}
    comment: list[str] = []
    page = FIRST_PAGE
    for line in text.splitlines(keepends=True):
        if not line.strip():
            # a comment above a blank line does not belong to the section below it
            pages[page] += [*comment, line]
            comment = []
            continue
        if line.startswith("#"):
            comment.append(line)
            continue
        if not line.startswith(" "):
            page = _PAGES.get(line.partition(":")[0], FIRST_PAGE)
        pages.setdefault(page, []).extend([*comment, line])
        comment = []
    first, *rest = pages[FIRST_PAGE]
    pages[FIRST_PAGE] = [first.replace("=../", "=../../"), *rest]
    return {page: "".join(lines).strip("\n") + "\n" for page, lines in pages.items()}


def _parent(
    wire: str, like: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> LoadedSpec:
    if like not in names:
        hint = make_hint(like, sorted(names), "wires")
        raise ScaffoldError(f"{quote(like)} is not a wire: {hint}")
    # an abstract spec has no model, so its children stand in for it
    child = f"wire: {_flow(wire)}\nextends: {_flow(like)}\ntitle: {_flow(wire)}\n"
    files = find_files_of_chains([like], sources, names) | {f"{SPECS}/{wire}.yaml": child}
    return next(spec for spec in load_specs(files) if spec.wire == wire)


def _plain(wire: str, layout: Layout) -> str:
    return _rendered(PLAIN, layout, wire, env=f"{_prefix(wire)}_API_KEY")


def _patch(wire: str, layout: Layout, like: str, parent: LoadedSpec) -> str:
    transport = parent.model.transport
    base_url = transport.settings.get("base_url")
    parent_url = None if base_url is None or not isinstance(base_url.default, str) else base_url.default
    fitting = _fitting(parent.model.examples, like)
    examples = [_example(example, drop=() if parent_url is None else ("base_url",)) for example in fitting]
    used_keys = _keys([example.request for example in fitting])
    return _rendered(
        PATCH,
        layout,
        wire,
        parent=_flow(like),
        local=transport.local is True,
        auth=[_flow(row) for row in _auth_rows(transport, _prefix(wire))],
        base_url=None if parent_url is None else json.dumps(_SAMPLE_HOST + urlsplit(parent_url).path),
        removed=_removable(parent, used_keys),
        choice=_fewer_choices(parent, used_keys),
        rules=bool(parent.model.rules),
        tools=parent.model.tools is not None,
        answer=parent.model.answer is not None,
        examples="\n".join(examples) or "  []",
    )


def _rendered(template: str, layout: Layout, wire: str, **context: Any) -> str:
    title = " ".join(word.capitalize() for word in wire.split("_") if word)
    page = environment(layout.list_template_folders()).get_template(template)
    return page.render(wire=_flow(wire), title=_flow(title), **context)


def _prefix(wire: str) -> str:
    """Return the vendor's part of a wire's name in capitals, as a prefix for environment variables."""
    return wire.partition("_")[0].upper()


def _auth_rows(transport: TransportSection, prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the parent's `auth` rows, one for each credential, with environment variables of the new vendor."""
    keys: set[str] = set()
    for row in transport.auth:
        names = [name for name, _ in INSIDE.findall(row.value or "")]
        if not keys.isdisjoint(names):
            continue
        keys.update(names)
        yield _auth(row, f"{prefix}_{names[0].upper()}" if names else row.env)


def _auth(row: Auth, env: str | None) -> dict[str, Any]:
    fields = row.model_dump(mode="json", exclude_defaults=True)
    return fields if env is None else fields | {"env": env}


def _fitting(examples: Sequence[Example], wire: str) -> list[Example]:
    """Return up to two examples that also hold for a child: the first one, and a short one with tools.

    Requests with `vendor` options of the parent are skipped.
    """
    sound = [
        example
        for example in examples
        if example.body is not None
        and _keys(example.request).isdisjoint(("vendor", wire))
        and _said(example).isascii()
    ]
    # a prompt of one text has line breaks in all of them
    sound = [example for example in sound if "\\n" not in _said(example)] or sound
    plain = [example for example in sound if "tools" not in example.request][:1]
    tools = sorted(
        (example for example in sound if "tools" in example.request), key=lambda example: len(_said(example))
    )
    return [*plain, *tools[:1]]


def _said(example: Example) -> str:
    return json.dumps([example.name, example.request, example.body], ensure_ascii=False)


def _keys(value: Any) -> set[str]:
    """Return every key and every text in a JSON value."""
    members: Any = value
    match value:
        case dict():
            return {str(key) for key in members}.union(*(_keys(member) for member in members.values()))
        case list():
            return set[str]().union(*(_keys(member) for member in members))
        case str():
            return {value}
        case _:
            return set()


def _removable(parent: LoadedSpec, used_keys: Collection[str]) -> str | None:
    """Return a removable key of the parent's body: it holds one option that no rule and no example uses."""
    ruled = parent.model.model_dump_json(include={"rules"})
    body = parent.get_section("body")
    for key, value in reversed(body.entries if body is not None else ()):
        spelled = str(key.value)
        name = spelled.removesuffix("?").partition("|")[0]
        option = str(value.value).removeprefix("$") if isinstance(value, Scalar) else ""
        is_named = option in used_keys or option in ruled or name in ruled
        if spelled.endswith("?") and option in OPTIONS and not is_named:
            return _flow(name)
    return None


def _fewer_choices(parent: LoadedSpec, used_keys: Collection[str]) -> dict[str, str] | None:
    """Return the parent's tool_choice modes without the last unused one, and the patch that removes its shapes."""
    modes = parent.model.tools.choice if parent.model.tools is not None else ()
    shapes = parent.model.unions.tool_choice
    gone = next((mode for mode in reversed(modes) if mode not in used_keys), None)
    if len(modes) < 2 or shapes is None or gone is None:
        return None
    keys = [str(key.value) for key, _ in shapes.entries]
    return {
        "kept": _flow([mode for mode in modes if mode != gone]),
        "gone": _flow({key: None for key in keys if key.partition("#")[0] == gone}),
    }


def _example(example: Example, drop: Collection[str]) -> str:
    """Return one example as a list element, without the expected URL and headers."""
    settings = {name: value for name, value in example.settings.items() if name not in drop}
    fields = {
        "name": example.name,
        "settings": {name: list(v) if isinstance(v, tuple) else v for name, v in settings.items()},
        "policies": dict(example.policies),
        "request": example.request,
        "body": example.body,
    }
    filled = {key: value for key, value in fields.items() if value or key == "body"}
    lines = [f"{key}: {_flow(value)}" for key, value in filled.items()]
    return indent("\n".join(lines), "    ").replace("    ", "  - ", 1)


def _flow(value: Any) -> str:
    # inside a list, so that a scalar is not followed by a document end marker
    text: str = yaml.dump([value], Dumper=_Dumper, default_flow_style=True, sort_keys=False, width=10_000)
    return text.rstrip("\n")[1:-1]


class _Dumper(yaml.SafeDumper):
    """A YAML dumper without anchors: repeated values are written out."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the signature is PyYAML's
        """Return True for all values."""
        return True
