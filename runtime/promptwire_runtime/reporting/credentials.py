"""URLs without their credentials."""

from __future__ import annotations

import re
import shlex
from urllib.parse import unquote

from .credential_names import is_credential

# user and password stand before the last @ of a host; what has no scheme may have them too
_USER = re.compile(r"^((?:[a-z][a-z0-9+.\-]*:/+|/{2,})?)[^/?#]*@", re.IGNORECASE)
# a text that is no good URL shows nothing before its last @
_ANY_USER = re.compile(r"^((?:[a-z][a-z0-9+.\-]*:/+|/+)?).*@", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"^(?:[^@]*:|//).*@", re.DOTALL)
_PARAMETER = re.compile(r"([?&;]*)([^?&;=]*)(=?)([^&;]*)")
_MARK = re.compile("\0([^\0]*)\0")


def without_user(url: str) -> str:
    """Give a URL without the user and password before its host."""
    return _USER.sub(r"\1", url)


def without_any_user(text: str) -> str:
    """Give what is no good URL without all that may be a user and a password."""
    return _ANY_USER.sub(r"\1", text)


def without_password(text: str) -> str:
    """Give a text that may be an address without what may be a user and a password: model@001 has none."""
    return without_any_user(text) if _PASSWORD.match(text) else text


def variable(name: str) -> str:
    """Give the name of the environment variable that stands for a parameter."""
    return re.sub("[^A-Z0-9]+", "_", unquote(name).upper())


def marked(url: str) -> str:
    """Give a URL with the name of a variable, between two NUL, in place of each credential among its parameters."""
    address, question, query = url.partition("?")
    return f"{address}{question}{marked_query(query)}"


def marked_query(query: str) -> str:
    """Give parameters with the name of a variable, between two NUL, in place of each credential."""
    return _PARAMETER.sub(_hidden, query)


def _hidden(parameter: re.Match[str]) -> str:
    before, name, equals, _ = parameter.groups()
    if not equals or not is_credential(name):
        return parameter[0]
    return f"{before}{name}=\0{variable(name)}\0"


def shown(text: str) -> str:
    """Show `$NAME` for each variable that stands between two NUL."""
    return _MARK.sub(r"$\1", text)


def in_shell(text: str) -> str:
    """Quote a text for a shell, which fills in the variables that stand between two NUL."""
    pieces = text.split("\0")
    return "".join(
        [f'"${piece}"' if index % 2 else shlex.quote(piece) for index, piece in enumerate(pieces) if piece]
    )
