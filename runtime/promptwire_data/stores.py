"""Copy files between object stores and a local folder, through the file systems of pyarrow.

A store is named by a URI that `pyarrow.fs.FileSystem.from_uri` takes: `s3://`, `gs://`, `abfss://`, `hdfs://`, `file://`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from promptwire_batch import BatchError, Job, Manifest
from promptwire_batch.ledger import LEDGER, created
from promptwire_batch.manifest import NAME, differences
from promptwire_text.files import replacing

_CHUNK_BYTES = 4_000_000
_CHUNK_ROWS = 1_024
_COPY = "input.jsonl"


def is_uri(path: str) -> bool:
    """Return whether a path names a store."""
    return "://" in path


def local_lines(source: str, folder: Path, column: str) -> Path:
    """Return a local file with the lines of an input.

    A local file of lines is returned as it is. A file of a store, and a Parquet file, is copied into a folder.

    Args:
        source: A path or a URI.
        folder: Where the copy is written.
        column: The column of a Parquet file that has the lines.

    Raises:
        BatchError: the input cannot be read, or has no such column.
    """
    parquet = source.endswith(".parquet")
    if not parquet and not is_uri(source):
        return Path(source)
    copy = folder / _COPY
    with created(folder) as ledger:
        ledger.check_inputs([] if is_uri(source) else [source], _COPY)
        ledger.make_file(_COPY)
    try:
        with _open_source(source) as stream, replacing(copy) as out:
            if parquet:
                _write_column(source, stream, column, out)
            else:
                while piece := stream.read(_CHUNK_BYTES):
                    out.write(piece)
    except OSError as error:
        raise BatchError(f"{source}: {error}") from error
    return copy


def stored_batch(store: str, lines: Path, job: Job) -> Manifest | None:
    """Return the manifest of a batch that a store holds whole; None if there is none.

    Raises:
        BatchError: the store holds the batch of another job, or of another input.
    """
    system, root = _system(store)
    where = f"{root}/{NAME}"
    if not _is_file(system, where):
        return None
    with system.open_input_stream(where) as stream:
        manifest = Manifest.decoded(stream.read().decode(), f"{store}/{NAME}")
    other = differences(job, manifest.job.as_json())
    if [size for _, size in manifest.inputs] != [lines.stat().st_size]:
        other.append("the size of the input differs")
    if other:
        raise BatchError(f"{store}: it holds another job ({'; '.join(other)}); use another folder")
    return manifest


def store_batch(folder: Path, store: str) -> None:
    """Copy a written batch to a store. The manifest is copied last: a batch with a manifest is whole.

    Raises:
        BatchError: the store cannot be written.
    """
    system, root = _system(store)
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("[!.]*")) if path.is_file()]
    copied = [name for name in names if name not in (NAME, _COPY) and not name.startswith(f"{LEDGER}-")]
    try:
        for name in [*copied, NAME]:
            target = f"{root}/{name}"
            system.create_dir(target.rpartition("/")[0], recursive=True)
            with (folder / name).open("rb") as stream, system.open_output_stream(target) as out:
                while piece := stream.read(_CHUNK_BYTES):
                    out.write(piece)
    except OSError as error:
        raise BatchError(f"{store}: {error}") from error


def _system(uri: str) -> tuple[Any, str]:
    """Return the file system of a URI, and the path there."""
    module: Any = import_module("pyarrow.fs")
    try:
        system, path = module.FileSystem.from_uri(uri)
    except (OSError, ValueError) as error:
        raise BatchError(f"{uri}: {error}") from error
    return system, path.rstrip("/")


def _open_source(source: str) -> Any:
    if not is_uri(source):
        return Path(source).open("rb")
    system, path = _system(source)
    return system.open_input_file(path)


def _is_file(system: Any, path: str) -> bool:
    info = system.get_file_info(path)
    return bool(info.is_file)


def _write_column(source: str, stream: Any, column: str, out: Any) -> None:
    """Write the texts of a column of a Parquet file as lines."""
    module: Any = import_module("pyarrow.parquet")
    file = module.ParquetFile(stream)
    if column not in file.schema_arrow.names:
        names = ", ".join(file.schema_arrow.names)
        raise BatchError(f'{source}: no column "{column}"; its columns are {names}')
    for table in file.iter_batches(_CHUNK_ROWS, columns=[column]):
        for text in table.column(0).to_pylist():
            line = text if isinstance(text, bytes) else str("" if text is None else text).encode()
            # a line of JSON has no line break but those between its values
            out.write(line.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")
