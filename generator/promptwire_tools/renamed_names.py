"""Public names that have changed, which `gen codemod` renames in projects that use them."""

from __future__ import annotations

from collections.abc import Mapping

from promptwire_gen.plugins.public_names import MOVED_NAMES

# full old name -> full new name, of a module or of something in one
RENAMED_NAMES: Mapping[str, str] = {
    "promptwire.WireModule": "promptwire.Api",
    **{f"promptwire.{old}": f"promptwire.{new}" for old, new in MOVED_NAMES.items()},
    "promptwire_gen.plugin_api.Problem": "promptwire_gen.plugin_api.SpecProblem",
}
