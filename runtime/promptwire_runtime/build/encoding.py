"""Encode a build as JSON bytes or as a curl command. Loaded when one of them is asked for."""

from __future__ import annotations

import re
import shlex
from typing import Any

from ..errors import InvalidRequest
from ..reporting.redaction import in_shell, show_marks
from ..wire_json.codec import encode, encode_text
from ..wire_json.unwritable import unwritable
from .wire import Sent, Signing


def as_curl(sent: Sent, signing: Signing | None, method: str, body: Any) -> str:
    """Return a request as a curl command. `sent` has markers in place of credentials (see `redaction`)."""
    lines = [f"curl -X {method} {in_shell(sent.url)}"]
    if signing is not None:
        lines.append(f"--aws-sigv4 {shlex.quote(f'aws:amz:{signing.region}:{signing.service}')}")
        lines.append(f'--user "${signing.env}:$AWS_SECRET_ACCESS_KEY"')
    for name, value in sent.headers.items():
        if name in sent.secret or "\0" in value:
            # in double quotes the shell fills in variables
            text = re.sub(r'(["\\`])', r"\\\1", value)
            lines.append(f'-H "{name}: {show_marks(text)}"')
        else:
            lines.append(f"-H {shlex.quote(f'{name}: {value}')}")
    lines.append(f"--data {shlex.quote(dumped(body))}")
    return " \\\n  ".join(lines)


def dumped(body: Any, *, sort_keys: bool = False) -> str:
    """Return a body as compact JSON text."""
    try:
        return encode_text(body, sort_keys=sort_keys)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritten(body, error) from None


def encoded(body: Any, *, sort_keys: bool = False) -> bytes:
    """Return a body as compact UTF-8 JSON."""
    try:
        return encode_text(body, sort_keys=True).encode() if sort_keys else encode(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritten(body, error) from None


def _unwritten(body: Any, error: Exception) -> InvalidRequest:
    """Return the error for a body that is not JSON. Its `field` is the path inside the body."""
    place, why = unwritable(body) or ("", str(error))
    problem = f"{place}: {why}" if place else why
    return InvalidRequest(f"the body cannot be written as JSON: {problem}", field=place)
