"""Convert lines of files to lines of a batch: the work of one worker."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from promptwire_runtime import PromptwireError
from promptwire_runtime.build.batch_services import BatchService
from promptwire_runtime.wire_json.characters import whole_text
from promptwire_runtime.wire_json.codec import decode
from promptwire_runtime.wire_json.kinds import is_object
from promptwire_text.files import MOST_BYTES
from promptwire_text.strict_json import StrictJson

from .errors import BatchError
from .job import Job, aliases, id_for, id_of, wire_module
from .source_lines import source_line


@dataclass(frozen=True, slots=True)
class ConvertedRow:
    """One converted line. Its texts have no half characters, which neither a file nor a ledger can hold.

    Attributes:
        name: Its own id, or file:line.
        id: The id in the batch.
        model: The model.
        line: The line of the batch, without the line break; None if it cannot be converted.
        digest: The digest of the body.
        changes: What was changed on the way: an action and a field each.
        why: Why it cannot be converted.
    """

    name: str
    id: str = ""
    model: str = ""
    line: bytes | None = None
    digest: bytes = b""
    changes: tuple[tuple[str, str], ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive lines of one file, the number of the first, and the position behind the last.

    None stands for a line that is too large.
    """

    file: str
    number: int
    lines: tuple[bytes | None, ...]
    index: int = 0
    end: int = 0


def convert_chunk(job: Job, chunk: Chunk) -> list[ConvertedRow]:
    """Return the rows of a chunk, one for each line that is not blank."""
    service = job.facts()
    convert = _kept_row if job.as_is else _built_row
    rows: list[ConvertedRow] = []
    for number, line in enumerate(chunk.lines, start=chunk.number):
        where = f"{chunk.file}:{number}"
        if line is None:
            rows.append(_whole(ConvertedRow(where, why=f"the line is larger than {MOST_BYTES:,} bytes")))
            continue
        if line.isspace() or not line:
            continue
        try:
            row = convert(job, service, line, where)
        except PromptwireError as error:
            row = ConvertedRow(where, why=_reason(error, where))
        except RecursionError:
            row = ConvertedRow(where, why="the line is nested too deep")
        rows.append(_whole(row))
    return rows


def _whole(row: ConvertedRow) -> ConvertedRow:
    texts = row.name, row.model, row.why, *[name for _, name in row.changes]
    if "".join(texts).isascii():
        return row
    name, model, why, *fields = map(whole_text, texts)
    changes = tuple([(action, field) for (action, _), field in zip(row.changes, fields, strict=True)])
    return replace(row, name=name, model=model, changes=changes, why=why)


def _built_row(job: Job, service: BatchService, line: bytes, where: str) -> ConvertedRow:
    source = source_line(_decoded(line, where), where, job.source, _aliases())
    try:
        request = wire_module(source.wire).read(source.body, source.url).request
        changed = {"stream": None} if job.model is None else {"stream": None, "model": job.model}
        built = wire_module(job.to).build(
            request.replace(**changed), settings=job.settings, policies=job.policies
        )
        chosen = id_for(source.name, service)
        body = built.json()
        text = service.encoded_line(built, chosen, body)
    except PromptwireError as error:
        return ConvertedRow(source.name, why=_reason(error, where))
    return ConvertedRow(
        source.name, chosen, str(built.request.model or ""), text, _digest(body), built.report.changes
    )


def _kept_row(_: Job, service: BatchService, line: bytes, where: str) -> ConvertedRow:
    line = line.strip().rstrip(b",")
    value = _decoded(line, where)
    if not is_object(value):
        raise BatchError(f"{where}: a line must be a JSON object")
    body = value.get(next(key for key, word in service.line.items() if word == "body"))
    chosen = id_of(value, service)
    if chosen != whole_text(chosen):
        raise BatchError(f"{where}: the id {chosen!a} has half a character")
    model = body.get("model", "") if is_object(body) else ""
    digest = _digest(json.dumps(body, sort_keys=True).encode("utf-8", "surrogatepass"))
    return ConvertedRow(chosen, chosen, str(model), line, digest)


def _decoded(line: bytes, where: str) -> Any:
    strict = StrictJson()
    try:
        value = strict.decode(line)
    except (ValueError, RecursionError) as error:
        raise BatchError(f"{where}: not JSON: {error}") from error
    if strict.odd:
        raise BatchError(f"{where}: not JSON: a key stands twice in an object, or a number is not finite")
    return value


@cache
def _aliases() -> dict[str, str]:
    return dict(aliases())


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:16]


def _reason(error: PromptwireError, where: str) -> str:
    why = " ".join(str(getattr(error, "reason", None) or error).split())
    return why.removeprefix(f"{where}: ")


def renamed(row: ConvertedRow, new: str, service: BatchService) -> bytes:
    """Return the line of a row with another id."""
    value = decode(row.line or b"{}")
    key = next((key for key, word in service.line.items() if word == "id"), None)
    if key is not None:
        value[key] = new
    else:
        holder: Any = value[next(key for key, word in service.line.items() if word == "body")]
        *way, last = (service.id_in or "").split(".")
        for step in way:
            holder = holder[step]
        holder[last] = new
    return json_line(value)


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON; half characters are escaped, as they were in the line that had them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
