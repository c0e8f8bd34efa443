"""Names of the command `promptwire` that no public module has."""

from __future__ import annotations

# the command itself, its columns and its exit codes
from promptwire_cli import terminal
from promptwire_cli.app import app
from promptwire_cli.gateway_files import load_gateway

# the server of `promptwire serve`
from promptwire_cli.listening import ExhaustionLog, make_server
from promptwire_cli.program import PROGRAM
from promptwire_cli.views import inputs
from promptwire_cli.views.converting import ConversionReport, convert_lines, source_lines
from promptwire_cli.views.generated import CommandError
from promptwire_cli.views.inputs import bytes_from, choose_wires, lines_from, request_from
from promptwire_cli.views.json_values import count_leaves, first_difference, is_list, is_object
from promptwire_cli.views.live_runs import NOTES, LiveRun, RunReport, send_lines
from promptwire_cli.views.preview import as_curl, as_object, as_text
