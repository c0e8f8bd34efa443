"""Finding the project: the checkout first, the wheel's copies second."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.internals.compiler import Layout, LayoutError, find_layout, layout

MODULES = [path.name for path in (ROOT / "templates" / "module").glob("*.j2")]


def project(root: Path) -> Path:
    (root / "provider_specs").mkdir(parents=True)
    (root / "templates" / "module").mkdir(parents=True)
    for name in MODULES:
        (root / "templates" / "module" / name).touch()
    (root / "provider_specs" / "b_chat.yaml").write_text("wire: b_chat\n")
    (root / "provider_specs" / "a_chat.yaml").write_text("wire: a_chat\n")
    (root / "provider_specs" / "README.md").write_text("not a spec\n")
    return root


def packaged(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out an installed package with its copies, and make it the compiler's own folder."""
    package = root / "site-packages" / "promptwire_gen"
    source = project(root / "source")
    package.mkdir(parents=True)
    (source / "provider_specs").rename(package / "_provider_specs")
    (source / "templates").rename(package / "_templates")
    monkeypatch.setattr(layout, "PACKAGE", package)
    return package


@pytest.mark.parametrize("inside", [".", "provider_specs", "templates/module", "elsewhere/deep"])
def test_the_checkout_is_found_from_any_folder_inside_it(tmp_path: Path, inside: str) -> None:
    root = project(tmp_path / "checkout")
    start = root / inside
    start.mkdir(parents=True, exist_ok=True)
    expected = Layout(root, root / "provider_specs", root / "templates", root / "generated")
    assert find_layout(start) == expected


def test_the_current_folder_is_where_the_search_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "checkout")
    monkeypatch.chdir(root / "templates")
    assert find_layout().root == root


def test_the_nearest_checkout_wins(tmp_path: Path) -> None:
    project(tmp_path)
    inner = project(tmp_path / "inner")
    assert find_layout(inner).root == inner


def test_a_checkout_wins_over_the_packaged_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged(tmp_path, monkeypatch)
    root = project(tmp_path / "checkout")
    assert find_layout(root).specs == root / "provider_specs"


def test_without_a_checkout_the_packaged_copies_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packaged(tmp_path, monkeypatch)
    start = tmp_path / "work"
    (start / "templates").mkdir(parents=True)  # one of the two folders alone is no checkout
    found = find_layout(start)
    assert found == Layout(start, package / "_provider_specs", package / "_templates", start / "generated")
    assert found.packaged


def test_beside_own_specs_alone_the_packaged_copies_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packaged(tmp_path, monkeypatch)
    root = tmp_path / "own"
    (root / "provider_specs").mkdir(parents=True)
    (root / "provider_specs" / "a_chat.yaml").write_text("wire: a_chat # ours\n")
    (root / "provider_specs" / "c_chat.yaml").write_text("wire: c_chat\n")
    found = find_layout(root / "provider_specs")
    shipped = package / "_provider_specs"
    expected = Layout(root, root / "provider_specs", package / "_templates", root / "generated", shipped)
    assert found == expected
    assert not found.packaged
    assert list(found.read_specs().items()) == [
        ("provider_specs/a_chat.yaml", "wire: a_chat # ours\n"),
        ("provider_specs/b_chat.yaml", "wire: b_chat\n"),
        ("provider_specs/c_chat.yaml", "wire: c_chat\n"),
    ]


def test_a_checkout_on_the_path_serves_as_the_wheel_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = project(tmp_path / "checkout")
    monkeypatch.setattr(layout, "PACKAGE", checkout / "generator" / "promptwire_gen")
    found = find_layout(tmp_path)
    assert (found.specs, found.output, found.packaged) == (
        checkout / "provider_specs", tmp_path / "generated", True,
    )  # fmt: skip


def test_without_both_the_error_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "PACKAGE", tmp_path / "nothing")
    with pytest.raises(
        LayoutError, match=f"no folder from {tmp_path} upward holds provider_specs/ and templates/"
    ):
        find_layout(tmp_path)


def test_specs_are_read_sorted_and_named_alike_in_both_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged(tmp_path, monkeypatch)
    root = project(tmp_path / "checkout")
    for found in (find_layout(root), find_layout(tmp_path)):
        assert list(found.read_specs().items()) == [
            ("provider_specs/a_chat.yaml", "wire: a_chat\n"),
            ("provider_specs/b_chat.yaml", "wire: b_chat\n"),
        ]


def test_specs_of_other_folders_are_named_without_the_machine(tmp_path: Path) -> None:
    found = find_layout(project(tmp_path / "checkout"))
    for owner in ("acme_wires", "zeta_wires"):
        (tmp_path / owner / "specs").mkdir(parents=True)
        (tmp_path / owner / "specs" / "own_chat.yaml").write_text(f"# {owner}\n")
    more = [tmp_path / "zeta_wires" / "specs", tmp_path / "acme_wires" / "specs"]
    assert list(found.read_specs(more).items()) == [
        ("acme_wires/specs/own_chat.yaml", "# acme_wires\n"),
        ("provider_specs/a_chat.yaml", "wire: a_chat\n"),
        ("provider_specs/b_chat.yaml", "wire: b_chat\n"),
        ("zeta_wires/specs/own_chat.yaml", "# zeta_wires\n"),
    ]
    with pytest.raises(LayoutError, match=r"two folders of specs hold acme_wires/specs/own_chat\.yaml"):
        found.read_specs([more[1], more[1]])
    with pytest.raises(LayoutError, match="nowhere is not a folder of specs"):
        found.read_specs([tmp_path / "nowhere"])


def test_a_spec_that_is_not_utf8_is_an_error_that_names_it(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / "provider_specs" / "a_chat.yaml").write_bytes(b"wire: \xff\n")
    with pytest.raises(LayoutError, match=r"a_chat\.yaml cannot be read: .*0xff"):
        find_layout(root).read_specs()


def test_single_templates_stand_before_the_shipped_ones(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "macros"
    own.mkdir(parents=True)
    (tmp_path / "provider_specs").mkdir()
    (own / "shapes.j2").write_text("{# ours #}", "utf-8")
    found = find_layout(tmp_path)
    assert found.list_template_folders([tmp_path / "plugin"]) == [
        own.parent,
        tmp_path / "plugin",
        found.templates,
    ]
    assert found.shipped is not None
    assert "provider_specs/openai_like.yaml" in found.read_specs()


def test_a_folder_of_templates_without_any_is_no_checkout(tmp_path: Path) -> None:
    for folder in ("templates", "provider_specs"):
        (tmp_path / folder).mkdir()
    found = find_layout(tmp_path)
    assert (found.shipped, found.templates) == (ROOT / "provider_specs", ROOT / "templates")


def test_templates_of_plugins_stand_between_those_of_the_project_and_the_shipped_ones(tmp_path: Path) -> None:
    own = project(tmp_path / "own")
    assert find_layout(own).list_template_folders([tmp_path]) == [own / "templates", tmp_path]
    (tmp_path / "users" / "provider_specs").mkdir(parents=True)
    assert find_layout(tmp_path / "users").list_template_folders([tmp_path]) == [tmp_path, ROOT / "templates"]
