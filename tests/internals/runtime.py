"""Names of the runtime that no public module has."""

from __future__ import annotations

# packages, for tests that change a module of theirs
from promptwire_runtime import context, execution, prompts, toolkits

# answers and streams under way: hosts cut, repeat and reorder what no recording shows
from promptwire_runtime.answers import stream
from promptwire_runtime.answers.accumulator import AnswerAccumulator
from promptwire_runtime.answers.answer import FINISHES
from promptwire_runtime.answers.api_error import ERROR_KINDS, ApiError, error_text, write_error
from promptwire_runtime.answers.argument_text import Braces
from promptwire_runtime.answers.batch_results import is_batch_line
from promptwire_runtime.answers.buffers import (
    EACH,
    IndexedList,
    TextBuffer,
    at,
    continues_text,
    in_both_cases,
    json_object,
    keep_unnamed,
    number_of,
    settled,
    value_at,
)
from promptwire_runtime.answers.call_pieces import JsonPieces, _is_whole
from promptwire_runtime.answers.coverage import Coverage
from promptwire_runtime.answers.event_paths import EventPaths, event_paths
from promptwire_runtime.answers.events import KINDS, events_of
from promptwire_runtime.answers.frame_bytes import FRAMED
from promptwire_runtime.answers.framing import FRAMINGS, Frame, ServerSentEvents
from promptwire_runtime.answers.json_differences import field_of, leaves as leaves_of_part, merged, missing
from promptwire_runtime.answers.stream import Stream
from promptwire_runtime.answers.stream_table import At, Step, build_filter
from promptwire_runtime.answers.stream_writer import StreamWriter
from promptwire_runtime.answers.streamed_part import text_of as text_of_written
from promptwire_runtime.answers.table import AnswerTable, write_counts
from promptwire_runtime.answers.waits import LONGEST_WAIT
from promptwire_runtime.answers.written import WrittenStream
from promptwire_runtime.build.clients import Arguments, ClientMethod, VendorClient
from promptwire_runtime.build.context import start
from promptwire_runtime.build.restoring import restore
from promptwire_runtime.build.shape_filters import read_number_text, write_number_text

# one build: its state, form memory and addresses, which a finished body no longer shows
from promptwire_runtime.build.transport import leads_elsewhere
from promptwire_runtime.build.wire import Sent

# steps of the context pipeline, each on its own
from promptwire_runtime.context.dedup import text_of
from promptwire_runtime.context.filters import documents_text, named, post_invoke_steps, section_name
from promptwire_runtime.context.history import holds_result, reduce_steps, text_of_summary, uncuttable
from promptwire_runtime.context.layers import drop_contained
from promptwire_runtime.context.sections import (
    holds_only_sections,
    text_of_section,
    trailing_sections,
    without_sections,
)

# texts and choices that composed calls contain
from promptwire_runtime.execution.tools import fenced, on_one_line

# tables behind `supports` and `check`, for laws over all of their rows
from promptwire_runtime.linting.dates import coming_facts, is_stale, newest_date, stale_facts
from promptwire_runtime.linting.support import FIELDS, supports, table_of
from promptwire_runtime.linting.typed_json import keys_of, type_problems
from promptwire_runtime.loading.json_text import json_tree

# readers of request files, which must agree with each other
from promptwire_runtime.loading.problems import Problems, neutral_fields, show_path
from promptwire_runtime.loading.value_readers import is_list as is_list_value, is_mapping
from promptwire_runtime.loading.yaml_text import read_yaml

# tables of the neutral model, for laws over all kinds, options and policies
from promptwire_runtime.model import kind_words, options, parts, request, tools, wire_memory
from promptwire_runtime.model.hosted import HOSTED_KINDS, hosted_words
from promptwire_runtime.model.kind_words import PART_KINDS
from promptwire_runtime.model.options import LAYER_ROLES, OPTION_NAMES
from promptwire_runtime.model.policy_choices import POLICY_CHOICES
from promptwire_runtime.model.request import ROLES, InstructionsLike
from promptwire_runtime.model.tables import OWN_CONTENT
from promptwire_runtime.model.text import PerWire
from promptwire_runtime.model.wire_memory import Swap
from promptwire_runtime.nodes.file_kinds import type_of_bytes

# machine of nodes: copies, flags and deferred memory, which equal nodes hide
from promptwire_runtime.nodes.next_request import digest_of
from promptwire_runtime.nodes.node import Node, is_deferred, may_remember
from promptwire_runtime.nodes.plain import (
    BEGUN,
    BLANK_LAYER,
    INSTRUCTED,
    MOST_USUAL,
    PICTURED,
    SHOWN,
    is_usual_id,
    is_usual_name,
)
from promptwire_runtime.nodes.records import Record, fields, is_node, replace
from promptwire_runtime.nodes.type_errors import broken, check_type

# passes, each on its own: a build runs several
from promptwire_runtime.passes.blanks import (
    drops_blank,
    drops_empty,
    joins,
    note_merged,
    open_last,
    rest_of,
    results_apart,
    without_blank_layers,
    without_item,
)
from promptwire_runtime.passes.continuation import apply_continuation, hoist_messages, unsent_messages
from promptwire_runtime.passes.foreign import (
    holds_payload,
    own_part,
    without_foreign,
    without_foreign_payloads,
)
from promptwire_runtime.passes.pairing import orphans, repeated_results
from promptwire_runtime.predicates.conditions import (
    FieldCondition,
    above,
    at as condition_at,
    at_least,
    at_most,
    below,
    longer,
    one_of,
    other_than,
    present,
    shorter,
    unlike,
)

# conditions of rules, without a spec around them
from promptwire_runtime.predicates.words import BEGINNINGS, Words

# instructions that a pipeline wrote
from promptwire_runtime.prepared import Written, bare_of, is_written, own_of, own_of_message, with_memory

# steps from an evaluation case to a request
from promptwire_runtime.prompts import files
from promptwire_runtime.prompts.drafting import DraftMessage, Piece, flat_question, is_single_turn
from promptwire_runtime.prompts.files import STEP_BY_STEP, expanded, normalise

# readers and form memory: what a request that was read remembers is no public field
from promptwire_runtime.read import reader
from promptwire_runtime.read.bodies import read_body
from promptwire_runtime.read.choices import Choice, Shape
from promptwire_runtime.read.form_memory import Comparison, MemoryWords, kept_leaves, names_only
from promptwire_runtime.read.messages import TurnCollector
from promptwire_runtime.read.nearest import Expected
from promptwire_runtime.read.plain_reading import Level
from promptwire_runtime.read.reader import with_fields
from promptwire_runtime.read.readers import Memories, Readers
from promptwire_runtime.read.result import without_memory
from promptwire_runtime.read.urls import Shown, UrlMatch, form_of, read_url

# registry of repairs, for laws over all of them
from promptwire_runtime.repairs.engine import errors_of
from promptwire_runtime.repairs.registry import NO_REPAIR, candidates, repair_named, repairs, usual_repair

# the clock of builds, which tests set
from promptwire_runtime.reporting import day as clock

# places, credentials and words of reports, for laws over all APIs
from promptwire_runtime.reporting.derived_keys import unknown_paths
from promptwire_runtime.reporting.facts import WireFacts
from promptwire_runtime.reporting.node_paths import Origins, holds_nodes, nodes_of
from promptwire_runtime.reporting.policies import LENIENT, PORTABLE, PRESETS, STRICT, VERBATIM, policies_of
from promptwire_runtime.reporting.redaction import is_credential
from promptwire_runtime.reporting.settings import settings_of
from promptwire_runtime.reporting.spec_words import spec_word
from promptwire_runtime.reporting.wording import describe_value
from promptwire_runtime.rules.field_values import (
    Marks,
    mark_values,
    may_concern,
    values_here,
    watched_values,
)

# views that rules have of a request, without a spec around them
from promptwire_runtime.rules.held_parts import ToolsView, tool_values, unusual_turns
from promptwire_runtime.rules.paths import all_text
from promptwire_runtime.rules.plans import RuleCheck
from promptwire_runtime.rules.rule import spelled
from promptwire_runtime.rules.schemas import counted, facts_of, words_of

# steps of adapting JSON Schemas
from promptwire_runtime.schemas.adapting import adapt
from promptwire_runtime.schemas.combining import cyclic_references
from promptwire_runtime.schemas.correcting import SchemaEdits
from promptwire_runtime.schemas.counting import COUNTED, RARELY_COUNTED, invalid, loose_lists, outdated
from promptwire_runtime.schemas.of_types import parse_docstring, plain_schema
from promptwire_runtime.schemas.typed_data import TypeMismatch, data_as

# the runner of a caller's functions
from promptwire_runtime.steps import run
from promptwire_runtime.toolkits.expanding import in_order
from promptwire_runtime.toolkits.kits import member_of
from promptwire_runtime.toolkits.session import Cost

# state and edits of toolkits between two calls of a model
from promptwire_runtime.toolkits.showing import container_description, mode_of, names_of
from promptwire_runtime.toolkits.viewing import (
    first_sent,
    with_messages_first,
    with_text,
    without_expansions,
    without_messages,
    without_text,
)

# names for annotations
from promptwire_runtime.typed import Any

# strict equality and leaves of JSON: the judges of all comparisons
from promptwire_runtime.wire_json import codec
from promptwire_runtime.wire_json.characters import whole_json
from promptwire_runtime.wire_json.copies import MOST_CONTAINERS, MOST_LEVELS, beyond_bounds, copy_body
from promptwire_runtime.wire_json.kinds import as_value, bag, count_leaves, is_list, is_object, leaves, same
from promptwire_runtime.wire_json.places import differences
from promptwire_runtime.wire_json.values import REMOVED, as_object, fits, patched, unwrapped, wrapped

# wires of other installed packages
from promptwire_runtime.wire_modules import announced, wires_beside

# texts with positions: errors of files are compared with the tree that they point into
from promptwire_text.files import MOST_BYTES
from promptwire_text.model_names import ModelNames
from promptwire_text.nodes import Scalar, Sequence, Table, plain, span_at
from promptwire_text.words import did_you_mean, is_misspelling, matches_any, pattern_of
