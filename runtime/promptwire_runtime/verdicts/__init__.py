"""Judge the modules of a wire by the cases of its spec: examples of requests, answers, errors and streams, and losses.

`gen build` judges compiled modules before it writes them, and the generated tests judge those that were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from ..reporting.day import on_day
from .faults import CaseFault
from .of_answers import answer_faults, error_answer_faults
from .of_requests import body_faults, error_faults, loss_faults
from .of_streams import head_faults, stream_faults, write_faults

__all__ = ["PROBES", "CaseFault", "faults_of", "rows_of"]

Row: TypeAlias = Mapping[str, Any]
# streams that no spec states: every wire that writes streams must write these
PROBES: Mapping[str, tuple[Row, ...]] = {
    "writes": ({"name": "a text and a call"},),
    "heads": ({"name": "the id, model and finish"},),
}
_JUDGES: Mapping[str, Callable[[Any, Row, Row], Iterator[CaseFault]]] = {
    "bodies": body_faults,
    "errors": error_faults,
    "losses": loss_faults,
    "answers": answer_faults,
    "error_answers": error_answer_faults,
    "streams": stream_faults,
    "writes": write_faults,
    "heads": head_faults,
}


def rows_of(cases: Row) -> Iterator[tuple[str, Row]]:
    """Yield every case of a wire with the name of its table."""
    probes: Row = {} if cases["framing"] is None else PROBES
    for table in _JUDGES:
        for row in {**probes, **cases}.get(table, ()):
            yield table, row


def faults_of(module: Any, table: str, row: Row, cases: Row) -> list[CaseFault]:
    """Return the faults of one case.

    Args:
        module: The module of the wire, such as `promptwire.openai_chat`.
        table: The name of the case's table.
        row: The case.
        cases: All cases of the wire, and what they have in common.
    """
    try:
        with on_day(row.get("day")):
            return [*_JUDGES[table](module, row, cases)]
    except Exception as error:  # noqa: BLE001  # a defect of the modules is the fault to report
        return [
            CaseFault((), f"the modules of the wire fail with this case: {type(error).__name__}: {error}")
        ]
