"""No command that writes harms a file of the user, whatever the names and links, and wherever it is stopped."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from promptwire import batch, data
from tests.batch.lines import numbered, request_line, write_lines
from tests.batch.vendor import Vendor
from tests.internals.commands import PROGRAM, app

JOB = batch.Job("anthropic_messages", model="claude-haiku-4-5")
TARGET = ("--to", "anthropic_messages", "--model", "claude-haiku-4-5")
FOREIGN = b"a file of the user\n" * 9
ANSWER = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
}


@dataclass(frozen=True)
class Case:
    """A command that reads one input and writes: its arguments, and how its folder was left by earlier calls."""

    name: str
    prepare: Callable[[Path], None]
    call: Callable[[Path, Path], object]
    # where the user says which file is to be replaced
    chosen: str = ""


def command(*words: str) -> Callable[[Path, Path], object]:
    """A command line; IN is the input, and the other paths are those of the folder."""

    def call(box: Path, source: Path) -> object:
        texts = [
            str(source) if word == "IN" else str(box / word) if word in PATHS else word for word in words
        ]
        with pytest.raises(SystemExit) as ended:
            PROGRAM.run(lambda: app(texts, prog_name="promptwire"))
        assert ended.value.code in (None, 0, 1, 2, 130)
        return ended.value.code or 0

    return call


PATHS = ("out", "moved.jsonl")


def requests(box: Path) -> None:
    """Write requests, and a line that is none."""
    lines = numbered(box / "in", 12).read_bytes()
    (box / "in").write_bytes(b'{"wire": "openai_chat", "body": {}}\n' + lines)


def begun(box: Path) -> None:
    """Begin a batch, and stop when it has a file."""
    requests(box)
    with stopped_at(3), pytest.raises(KeyboardInterrupt):
        batch.write([box / "in"], box / "out", JOB)


def sent(box: Path) -> None:
    """Write a batch; the input is then the file of its results."""
    requests(box)
    manifest = batch.write([box / "in"], box / "out", JOB)
    Vendor().run(box / "out" / manifest.shards[0].file, box / "in")


def read_once(box: Path) -> None:
    sent(box)
    batch.read(box / "out", [box / "in"])


def write_files(box: Path, source: Path) -> None:
    try:
        data.write_files([source], box / "out", JOB)
    except (batch.BatchError, OSError):
        return


CASES = [
    Case("convert", requests, command("convert", "IN", *TARGET, "-o", "moved.jsonl"), "moved.jsonl"),
    Case("write", requests, command("batch", "write", "IN", *TARGET, "-o", "out")),
    Case("write again", begun, command("batch", "write", "IN", *TARGET, "-o", "out")),
    Case("split", requests, command("batch", "split", "IN", "--to", "openai_chat", "-o", "out")),
    Case("read", sent, command("batch", "read", "out", "IN")),
    Case("read again", read_once, command("batch", "read", "out", "IN")),
    Case("retry", read_once, command("batch", "retry", "out", "--missing")),
    Case("write_files", requests, write_files),
]
TRAPS = (
    "input",
    "link to input",
    "hard link to input",
    "foreign",
    "link to foreign",
    "hard link to foreign",
    "beside",
)


@contextmanager
def stopped_at(count: int) -> Iterator[list[int]]:
    """Interrupt the n-th time that a file is made safe on the disk; yield how many of these times are left."""
    left, fsync = [count], os.fsync

    def stopping(handle: int) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        fsync(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", stopping)
        yield left


def files_in(box: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return the inode, the time and the bytes of each file below a folder."""
    return {
        path.relative_to(box).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(box.rglob("*"))
        if path.is_file()
    }


def written(case: Case, box: Path) -> list[str]:
    """Return the files that a case writes."""
    box.mkdir()
    case.prepare(box)
    before = files_in(box)
    case.call(box, box / "in")
    return [name for name, held in files_in(box).items() if before.get(name) != held and name != "in"]


def boxes(case: Case, tmp_path: Path) -> Iterator[tuple[str, Path, Path]]:
    """Yield each output with each trap in its place: what it is, the folder, and the input."""
    for output in written(case, tmp_path / "whole"):
        for number, trap in enumerate(TRAPS):
            box = tmp_path / f"{output.replace('/', '-')}-{number}"
            box.mkdir()
            case.prepare(box)
            place = box / output
            (box / "foreign").write_bytes(FOREIGN)
            (box / "said").write_bytes((box / "in").read_bytes())
            yield f"{trap} at {output}", box, set_trap(trap, place, box)


def set_trap(trap: str, place: Path, box: Path) -> Path:
    """Put a trap in the place of an output; return the input."""
    source, foreign = box / "in", box / "foreign"
    place.parent.mkdir(parents=True, exist_ok=True)
    if trap == "beside":
        shutil.copy(foreign, place.with_name("notes.txt"))
        place.with_name("00098.json").symlink_to(foreign)
        shutil.copy(foreign, place.with_name("00099.json"))
        place.with_name("round-9").mkdir()
        return source
    if trap == "foreign":
        # a file that is there already, since a new one may get the inode of the one that was there
        shutil.copy(foreign, box / "mine")
        (box / "mine").replace(place)
        return source
    place.unlink(missing_ok=True)
    match trap:
        case "input":
            return source.rename(place)
        case "link to input" | "link to foreign":
            place.symlink_to(source if trap == "link to input" else foreign)
        case _:
            place.hardlink_to(source if trap == "hard link to input" else foreign)
    return source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_files_of_the_user_stay_as_they_are(case: Case, tmp_path: Path) -> None:
    seen = 0
    for where, box, source in boxes(case, tmp_path):
        trap, _, output = where.partition(" at ")
        case.call(box, source)
        assert source.read_bytes() == (box / "said").read_bytes(), where
        if output != case.chosen:
            assert (box / "foreign").read_bytes() == FOREIGN, where
            assert trap != "foreign" or (box / output).read_bytes() == FOREIGN, where
            beside = files_in((box / output).parent).keys()
            assert trap != "beside" or beside >= {"notes.txt", "00098.json", "00099.json"}, where
        seen += 1
    assert seen >= len(TRAPS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_stopped_command_leaves_input_and_output_as_they_were(case: Case, tmp_path: Path) -> None:
    for count in range(1, 30):
        box = tmp_path / str(count)
        box.mkdir()
        case.prepare(box)
        if case.chosen:
            (box / case.chosen).write_bytes(FOREIGN)
        said = (box / "in").read_bytes()
        with stopped_at(count) as left, suppress(KeyboardInterrupt):
            case.call(box, box / "in")
        assert (box / "in").read_bytes() == said
        if left[0] > 0:
            break
        if case.chosen:
            assert sorted(files_in(box)) == ["in", case.chosen]
            assert (box / case.chosen).read_bytes() == FOREIGN
    else:
        raise AssertionError("it never came to an end")
    assert count > 1


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    source, pipe = numbered(tmp_path / "in", 2), tmp_path / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert command("convert", "IN", *TARGET, "-o", str(pipe))(tmp_path, source) == 0
        lines = os.read(handle, 10_000).splitlines()
    finally:
        os.close(handle)
    assert [json.loads(line)["id"] for line in lines] == ["q-0", "q-1"]
    assert pipe.is_fifo()


def test_the_input_of_a_pipe_is_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = numbered(tmp_path / "in", 2)
    said = source.read_bytes()
    with source.open("rb") as stream, monkeypatch.context() as patch:
        patch.setattr("promptwire_cli.converting._STDIN", stream.fileno())
        patch.setattr("sys.stdin", open(stream.fileno(), closefd=False))  # noqa: SIM115
        code = command("convert", "-", *TARGET, "-o", str(source))(tmp_path, source)
    assert code == 2
    assert source.read_bytes() == said


@pytest.mark.parametrize("name", ["thesis.txt", "manifest.json", "round-1/00001.json", "ledger.sqlite"])
def test_a_folder_that_holds_something_else_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [request_line("a", "Hi")])
    place = tmp_path / "out" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(FOREIGN)
    before = files_in(tmp_path)
    assert command("batch", "write", "IN", *TARGET, "-o", "out")(tmp_path, source) == 2
    reason = "file is not a database" if name == "ledger.sqlite" else "choose a new or an empty folder"
    assert reason in capsys.readouterr().err
    after = files_in(tmp_path)
    after.pop("out/ledger.sqlite-lock", None)
    assert after == before


def two_models(box: Path) -> Path:
    """Write requests whose second model, which has a file of its own, is in the second piece that is read."""
    rows = [request_line(f"q-{i}", "Hi") for i in range(300)]
    return write_lines(box / "in.jsonl", [*rows, request_line("last", "Hi", "gpt-4o-mini")])


def test_a_stopped_writer_leaves_requests_as_the_manifest_has_them(tmp_path: Path) -> None:
    source, out, job = two_models(tmp_path), tmp_path / "out", batch.Job("openai_chat")
    whole = batch.write([source], tmp_path / "whole", job)
    with stopped_at(2), pytest.raises(KeyboardInterrupt):
        batch.write([source], out, job)
    assert sorted(path.name for path in (out / "round-1").iterdir()) == ["00001.jsonl", "00002.jsonl"]
    stopped = batch.status(out)
    assert (stopped.manifest.requests, sum(stopped.counts.values()), list(batch.entries(out))) == (0, 0, [])
    assert batch.write([source], out, job) == whole
    assert batch.status(out, verify=True).broken == ()
    assert [entry.name for entry in batch.entries(out)] == [*[f"q-{i}" for i in range(300)], "last"]


def test_a_file_in_the_place_of_a_new_one_stops_the_call(tmp_path: Path) -> None:
    source, out, job = two_models(tmp_path), tmp_path / "out", batch.Job("openai_chat")
    with stopped_at(1), pytest.raises(KeyboardInterrupt):
        batch.write([source], out, job)
    (out / "round-1" / "00002.jsonl").write_bytes(FOREIGN)
    for _ in range(2):
        with pytest.raises(batch.BatchError, match=r"00002\.jsonl: it is not of this batch; move it away"):
            batch.write([source], out, job)
        assert (out / "round-1" / "00002.jsonl").read_bytes() == FOREIGN
    (out / "round-1" / "00002.jsonl").unlink()
    assert batch.write([source], out, job).refused == 0
    assert batch.status(out, verify=True).broken == ()


def test_files_of_a_retry_that_was_stopped_are_removed(tmp_path: Path) -> None:
    source, out = two_models(tmp_path), tmp_path / "out"
    batch.write([source], out, batch.Job("openai_chat"))
    with stopped_at(2), pytest.raises(KeyboardInterrupt):
        batch.retry(out, missing=True)
    files = [out / "round-2" / name for name in ("00001.jsonl", "00002.jsonl", "00003.jsonl")]
    assert [path.exists() for path in files] == [True, True, False]
    files[2].write_bytes(FOREIGN)
    results = write_lines(
        tmp_path / "r.jsonl",
        [
            {"custom_id": "last", "response": {"status_code": 200, "body": ANSWER}},
            {"custom_id": "q-7", "response": {"status_code": 503, "body": {"error": {"message": "Busy"}}}},
        ],
    )
    batch.read(out, [results])
    assert [shard.requests for shard in batch.retry(out).current()] == [1]
    assert [path.exists() for path in files] == [True, False, True]
    assert files[2].read_bytes() == FOREIGN


@pytest.mark.parametrize("name", ["results.jsonl", "round-2"])
def test_an_output_that_was_removed_is_made_again(name: str, tmp_path: Path) -> None:
    sent(tmp_path)
    out = tmp_path / "out"
    with stopped_at(1), pytest.raises(KeyboardInterrupt):
        batch.read(out, [tmp_path / "in"])
    with stopped_at(1), pytest.raises(KeyboardInterrupt):
        batch.retry(out, missing=True)
    gone = out / name
    if gone.is_dir():
        shutil.rmtree(gone)
    else:
        gone.unlink()
    with stopped_at(1), suppress(KeyboardInterrupt):
        batch.read(out, [tmp_path / "in"])
    report = batch.read(out, [tmp_path / "in"])
    assert len((out / "results.jsonl").read_bytes().splitlines()) == report.succeeded > 0
    assert batch.retry(out, missing=True).round == 2
    assert batch.status(out, verify=True).broken == ()
