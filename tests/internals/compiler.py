"""Names of the compiler that `promptwire_gen.plugin_api` does not have."""

from __future__ import annotations

# modules of the compiler, for tests that change a function of theirs
from promptwire_gen import build_cache, installed, layout, lowering, plugin_api, rendering, sink

# the cache, which must never be seen in what is written
from promptwire_gen.build_cache import compile_cached

# the command itself
from promptwire_gen.cli import tables
from promptwire_gen.cli.app import app

# results and errors of a compilation in memory
from promptwire_gen.compilation import Compilation, UnknownWire

# text of single definitions, which ruff hides in whole files
from promptwire_gen.emit.artifact import FAMILY_MODULES, MARK
from promptwire_gen.emit.dedupe import CUT, REMOVED, dedupe, keeps_order, merge_patch, split_definitions
from promptwire_gen.emit.docs import print_shape
from promptwire_gen.emit.environment import compile_templates, environment, get_compiled_templates
from promptwire_gen.emit.format import FormatError, scratch
from promptwire_gen.emit.read.reading_module import ReadingModules
from promptwire_gen.emit.support_tables import NO, UNKNOWN, YES, Topic, make_topics, write_support
from promptwire_gen.emit.types import define_types
from promptwire_gen.emit.write.displays import takes_usual
from promptwire_gen.emit.write.writing_module import Writing

# the table of what wires cannot carry
from promptwire_gen.expected.losses import list_own_expectations, list_shared_expectations
from promptwire_gen.expected.samples import Expectation
from promptwire_gen.known import Known

# places of specs and output, laid elsewhere by tests
from promptwire_gen.layout import (
    CACHE,
    CACHES,
    FIRST_PAGE,
    MODEL,
    SPECS,
    TEMPLATES,
    Layout,
    LayoutError,
    find_layout,
)

# models of changed specs, without rendering them
from promptwire_gen.lowering import LoweringResult, lower_all

# decisions of the model, before any text
from promptwire_gen.model import neutral
from promptwire_gen.model.likeness import BESIDE_REQUESTS
from promptwire_gen.model.lower import lower
from promptwire_gen.model.neutral import (
    LAYER,
    MESSAGE,
    OPTIONS,
    PARTS,
    TOOL_CHOICE_MODES,
    TOOLS,
    NeutralField,
)
from promptwire_gen.model.offers import BUILTIN_FILTERS, BUILTIN_PASSES, Offers

# source of the neutral model, changed by tests
from promptwire_gen.neutral.node_classes import NodeClass
from promptwire_gen.neutral.source import FOLDER, MODULES, SHARED, read_model, read_neutral_model

# the compiler in memory
from promptwire_gen.pipeline import compile_project, read_project, summarize_wire

# built-in plugins, run one at a time
from promptwire_gen.plugins import find_plugins
from promptwire_gen.plugins.example_tests import ExampleTests
from promptwire_gen.plugins.modules import Modules

# problems and their forms
from promptwire_gen.problems import SpecError, as_json, as_text, format_github, quote

# rendering on several cores
from promptwire_gen.rendering import make_texts

# judges of examples and tables
# the writer of output, stopped at chosen moments
from promptwire_gen.sink import Drift, SinkError, compare, diff, write

# single pages, conditions and patterns, with positions
from promptwire_gen.spec.editor_schema import make_editor_schema
from promptwire_gen.spec.extends import resolve
from promptwire_gen.spec.fixes import list_repairs, list_unrepaired_fields
from promptwire_gen.spec.load import LoadedSpec, load_each, load_specs
from promptwire_gen.spec.nodes import locate
from promptwire_gen.spec.pages import group_pages, is_same_spec, is_shared
from promptwire_gen.spec.patterns import find_pattern_trouble
from promptwire_gen.spec.policies import POLICIES
from promptwire_gen.spec.read import read
from promptwire_gen.spec.rule_conditions import TESTED_TEXT, Condition, parse_conditions
from promptwire_gen.spec.wire_rules import WireRule

# summaries that commands list
from promptwire_gen.wire_summary import WireSummary

# forked workers
from promptwire_gen.workers import without_collection

# tools of those who keep specs: kinds of SDKs compared part by part, judges, drafts
from promptwire_tools.codemods import CodemodError, rename, rename_policies
from promptwire_tools.formatting import SCHEMA_MARK, format_spec, schema_line
from promptwire_tools.new_model import NewModelError, start_model
from promptwire_tools.recordings.corpus import RecordedRow, read_rows
from promptwire_tools.renamed_names import RENAMED_NAMES
from promptwire_tools.renewal import condition_as_mapping
from promptwire_tools.replay import judging
from promptwire_tools.replay.judging import judge
from promptwire_tools.replay.model_tables import (
    TableError,
    TablePage,
    compare as compare_model_table,
    read_page,
    read_table,
)
from promptwire_tools.sdk_types.compare import by_path, compare as compare_kinds, nowhere
from promptwire_tools.sdk_types.kinds import ANY, AnyJson, Kind, ListKind, MappingKind, RecordKey, RecordKind
from promptwire_tools.sdk_types.python_types import Declarations
from promptwire_tools.sdk_types.spec_kinds import body_kind
from promptwire_tools.sdk_types.verified import Verified, covers, verify
from promptwire_tools.yaml_text import flow_text
