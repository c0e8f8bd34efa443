"""Compare what becomes of recorded requests under this promptwire and under another one.

The other one is a git reference of this project, a folder or wheel, or a released version, which pip installs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from promptwire_cli.views.generated import CommandError
from promptwire_cli.views.json_values import is_list, is_object
from promptwire_tools.recordings.corpus import RecordedRow

from . import row_outcomes

# Python before 3.11.4 has no filters; the archive comes from git
_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
# of the places where two bodies differ, a change shows so many
_MOST_PLACES = 4
_LONGEST_VALUE = 60
_SOURCES = ("generated", "runtime")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestChange:
    """One request that becomes something else.

    Attributes:
        row: The recorded request.
        kind: `built differently`, `refused now`, `allowed now`, or `refused for another reason`.
        before, now: What becomes of it: `error`, or `body`, `url` and `notes`.
        differences: The differences in words.
    """

    row: RecordedRow
    kind: str
    before: dict[str, Any]
    now: dict[str, Any]
    differences: tuple[str, ...]

    def __str__(self) -> str:
        """Return the change as one line for each difference."""
        head = f"{self.row.name}: {self.row.wire}: {self.kind}"
        return "\n  ".join([head, *self.differences])


def request_changes(
    rows: Sequence[RecordedRow], against: str, root: Path, say: Callable[[str], None] = print
) -> list[RequestChange]:
    """Return the requests that become something else than they did under `against`.

    Raises:
        CommandError: `against` is no reference, path or version, or the other promptwire cannot be run.
    """
    with other_package(against, root) as path:
        say(f"building {len(rows)} requests with {against}")
        before = _outcomes(rows, path)
    say(f"building {len(rows)} requests")
    now = _outcomes(rows, [root / name for name in _SOURCES])
    changes = [
        _change(row, *pair) for row, *pair in zip(rows, before, now, strict=True) if pair[0] != pair[1]
    ]
    return [change for change in changes if change is not None]


@contextmanager
def other_package(against: str, root: Path) -> Generator[list[Path]]:
    """Yield the folders that hold the other promptwire."""
    with TemporaryDirectory() as folder:
        target = Path(folder)
        if Path(against).is_dir():
            yield [found for name in (*_SOURCES, ".") if (found := Path(against) / name).is_dir()]
        elif against.endswith(".whl") or _is_version(against):
            _install(against if against.endswith(".whl") else f"promptwire=={against}", target)
            yield [target]
        else:
            _extract(against, root, target)
            yield [target / name for name in _SOURCES]


def _is_version(text: str) -> bool:
    return text.replace(".", "").isdigit() and "." in text


def _install(what: str, target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise CommandError(f"{what} cannot be installed: {_last_line(done.stderr)}")


def _extract(reference: str, root: Path, target: Path) -> None:
    """Extract the generated package of a git reference, and the runtime if the project has its own."""
    done = subprocess.run(  # noqa: S603  # commands of our own
        [_git(), "-C", str(root), "archive", "--format=tar", reference, "--", *_tracked(reference, root)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        reason = _last_line(done.stderr.decode("utf-8", "replace"))
        hint = "give a git reference, a folder, a wheel or a version such as 0.1.0"
        raise CommandError(f'--against "{reference}": {reason}; {hint}')
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(target, **_FILTER)  # noqa: S202  # git wrote it


def _tracked(reference: str, root: Path) -> list[str]:
    listed = subprocess.run(  # noqa: S603
        [_git(), "-C", str(root), "ls-tree", "--name-only", reference],
        capture_output=True,
        text=True,
        check=False,
    )
    return [name for name in _SOURCES if name in listed.stdout.splitlines()]


def _git() -> str:
    found = which("git")
    if found is None:
        raise CommandError("git is not installed; give a folder, a wheel or a version with --against")
    return found


def _outcomes(rows: Sequence[RecordedRow], path: Sequence[Path]) -> list[dict[str, Any]]:
    """Return what becomes of each row under the promptwire in these folders, or else the installed one."""
    given = "".join(json.dumps({"wire": row.wire, "body": row.body, "url": row.url}) + "\n" for row in rows)
    done = subprocess.run(  # noqa: S603  # commands of our own
        [sys.executable, row_outcomes.__file__],
        input=given,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"the requests cannot be built: {_last_line(done.stderr)}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[-1]


def _change(row: RecordedRow, before: dict[str, Any], now: dict[str, Any]) -> RequestChange | None:
    kind, differences = _described(before, now)
    if not differences:
        return None
    return RequestChange(row=row, kind=kind, before=before, now=now, differences=tuple(differences))


def _described(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, list[str]]:
    old, new = before.get("error"), now.get("error")
    if old is None and new is None:
        return "built differently", _built_differently(before, now)
    if old is None:
        return "refused now", [str(new)]
    if new is None:
        return "allowed now", [f"before: {old}"]
    # texts of errors may be reworded; another class is another reason
    same = old.partition(":")[0] == str(new).partition(":")[0]
    return "refused for another reason", [] if same else [f"before: {old}", f"now: {new}"]


def _built_differently(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    places = list(_places("", before["body"], now["body"]))
    lines = places[:_MOST_PLACES]
    if len(places) > _MOST_PLACES:
        lines.append(f"and {len(places) - _MOST_PLACES} more places")
    if before["url"] != now["url"]:
        lines.append(f"URL: {before['url']} -> {now['url']}")
    return lines


def _places(path: str, old: Any, new: Any) -> Iterator[str]:
    """Yield the places where two JSON values differ, with both values."""
    if is_object(old) and is_object(new):
        for key in dict.fromkeys([*old, *new]):
            inside = f"{path}.{key}" if path else key
            if key not in new:
                yield f"{inside}: {_shown(old[key])} is no longer sent"
            elif key not in old:
                yield f"{inside}: {_shown(new[key])} is sent now"
            else:
                yield from _places(inside, old[key], new[key])
    elif is_list(old) and is_list(new) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from _places(f"{path}[{index}]", *pair)
    elif old != new or type(old) is not type(new):
        yield f"{path}: {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."
