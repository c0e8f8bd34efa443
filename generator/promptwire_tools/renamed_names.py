"""Public names that have changed, which `gen codemod` renames in projects that use them."""

from __future__ import annotations

from collections.abc import Mapping

# full old name -> full new name, of a module or of something in one
RENAMED_NAMES: Mapping[str, str] = {
    "promptwire.WireModule": "promptwire.Api",
    "promptwire_gen.plugin_api.Problem": "promptwire_gen.plugin_api.SpecProblem",
}
