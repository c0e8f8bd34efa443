"""Which parameters of a URL are credentials, and URLs without them."""

from __future__ import annotations

import re
import shlex
from urllib.parse import unquote

# without case and separators
_NAMES = frozenset(
    [
        "key",
        "apikey",
        "xapikey",
        "xgoogapikey",
        "subscriptionkey",
        "ocpapimsubscriptionkey",
        "accesskey",
        "token",
        "accesstoken",
        "idtoken",
        "authtoken",
        "sessiontoken",
        "refreshtoken",
        "jwt",
        "sig",
        "signature",
        "xamzsignature",
        "xamzcredential",
        "xamzsecuritytoken",
        "secret",
        "clientsecret",
        "password",
        "authorization",
        "auth",
        "code",
    ]
)
_USER = re.compile(r"^([a-z][a-z0-9+.\-]*://)[^/?#@]*@", re.IGNORECASE)


def is_credential(name: str) -> bool:
    """Tell whether a parameter of this name holds a credential, however the name is spelled."""
    return "".join(c for c in unquote(name).lower() if c.isalnum()) in _NAMES


def without_user(url: str) -> str:
    """Give a URL without the user and password before its host."""
    return _USER.sub(r"\1", url)


def masked(url: str) -> str:
    """Give a URL in which `$NAME` stands for each credential."""
    return _marked(url, "$", "")


def in_shell(url: str) -> str:
    """Quote a URL for a shell, which fills in the variables that stand for credentials."""
    pieces = _marked(url, "\0$", "\0").split("\0")
    return "".join(
        [f'"{piece}"' if index % 2 else shlex.quote(piece) for index, piece in enumerate(pieces) if piece]
    )


def _marked(url: str, before: str, behind: str) -> str:
    """Give a URL with the name of a variable, between two marks, in place of each credential."""
    address, question, query = without_user(url).partition("?")
    rows = [parameter.partition("=") for parameter in query.split("&")]
    shown = [
        f"{name}={before}{re.sub('[^A-Z0-9]+', '_', unquote(name).upper())}{behind}"
        if equals and is_credential(name)
        else f"{name}{equals}{value}"
        for name, equals, value in rows
    ]
    return f"{address}{question}{'&'.join(shown)}"
