"""Judge compiled wires by their cases, in a process that imports the compiled modules.

The parent process sends the compiled files on stdin and reads the faults from stdout, both as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from .compiled_modules import CompiledModules, module_name


def faults_of(wire: str, cases: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the faults of every case of a wire: its table and name, the path inside it, a message and a hint."""
    # the runtime may be a compiled one too
    verdicts = import_module("promptwire_runtime.verdicts")
    module = import_module(f"promptwire.{wire}")
    for table, row in verdicts.rows_of(cases):
        for fault in verdicts.faults_of(module, table, row, cases):
            yield {"table": table, "name": row["name"], **fault._asdict()}


def main() -> None:
    """Judge the wires of an order, {files: {path: text}, cases: {wire: {...}}}: {wire: [fault, ...]}."""
    order = json.load(sys.stdin)
    modules = {module_name(path): text for path, text in order["files"].items()}
    finder = CompiledModules({name: (text, is_package) for (name, is_package), text in modules.items()})
    sys.meta_path.insert(0, finder)
    json.dump({wire: [*faults_of(wire, cases)] for wire, cases in order["cases"].items()}, sys.stdout)


if __name__ == "__main__":
    main()
