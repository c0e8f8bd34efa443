"""Names of client, gateway and batches that no public module has."""

from __future__ import annotations

# work of one worker, which tests kill at chosen moments
from promptwire_batch import writing
from promptwire_batch.conversion import Chunk, ConvertedRow, convert_chunk
from promptwire_batch.ledger import LEDGER
from promptwire_batch.workers import converted

# the gateway's application and configuration, served inside the test
from promptwire_http import gateway
from promptwire_http.gateway import reports
from promptwire_http.gateway.admission import _CALLS_A_TURN as CALLS_A_TURN, Turns
from promptwire_http.gateway.application import application
from promptwire_http.gateway.calls import Call
from promptwire_http.gateway.configuration import Gateway
from promptwire_http.gateway.connections import ManyConnections, connections
from promptwire_http.gateway.failures import LOG
from promptwire_http.gateway.streaming import ClientLeftError

# the table of answers in a file
from promptwire_http.middleware.caching import SqliteStore
