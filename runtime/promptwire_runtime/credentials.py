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
    return _marked(url, "$")


def in_shell(url: str) -> str:
    """Quote a URL for a shell, which fills in the variables that stand for credentials."""
    shown = _marked(url, "\0")
    if "\0" not in shown:
        return shlex.quote(shown)
    return '"' + re.sub(r'(["\\$`])', r"\\\1", shown).replace("\0", "$") + '"'


def _marked(url: str, mark: str) -> str:
    """Give a URL with the name of a variable, behind a mark, in place of each credential."""
    address, question, query = without_user(url).partition("?")
    rows = [parameter.partition("=") for parameter in query.split("&")]
    shown = [
        f"{name}={mark}{re.sub('[^A-Z0-9]+', '_', unquote(name).upper())}"
        if equals and is_credential(name)
        else f"{name}{equals}{value}"
        for name, equals, value in rows
    ]
    return f"{address}{question}{'&'.join(shown)}"
