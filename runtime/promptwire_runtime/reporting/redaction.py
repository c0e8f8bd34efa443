"""Recognise credentials by name, and show `$NAME` in their place.

URLs and headers are made with a marker, the name of an environment variable between two NUL characters, wherever a
credential would be. `show_marks` and `in_shell` turn the markers into text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

# a name with one of these words is a credential
_ALWAYS = frozenset([
    "secret", "secrets", "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "credential",
    "credentials", "cred", "creds", "assertion", "signature", "sig", "sas", "sid", "session", "auth",
    "oauth", "authorization", "authentication", "bearer", "jwt", "saml", "cookie", "cookies", "hmac", "otp",
])  # fmt: skip
# so is a name with one of these words, unless it also has a harmless word
_OFTEN = frozenset(["key", "token", "pass", "code"])
_HARMLESS = frozenset([
    "stop", "max", "min", "num", "eos", "bos", "pad", "unk", "mask", "sep", "sort", "order", "group",
    "partition", "cache", "idempotency", "foreign", "page", "next", "continuation", "public", "response",
    "error", "status", "exit", "country", "language", "lang", "region", "currency", "zip", "postal",
    "execution", "interpreter", "through", "word", "words",
])  # fmt: skip
# a name that ends so is a property of a credential: token_type, key_count, password_length
_ABOUT = frozenset([
    "type", "count", "limit", "budget", "mode", "method", "version", "algorithm", "alg", "length", "size",
    "format", "name", "rate",
])  # fmt: skip
# plurals are counts or lists of names (max_tokens), unless they give access (access_tokens)
_SEVERAL = frozenset(["keys", "tokens", "codes"])
_OPENING = frozenset(["api", "access", "auth", "refresh", "private", "client", "bearer"])
# names whose words are not separated: apikey, clientsecret
_JOINED = re.compile(
    r".*(?:api|access|secret|private|auth|subscription|account|master|functions?|shared|client)(?:key|token|code)(?:s|id)?"
    r"|.*(?:secret|password|passwd|passphrase|credentials?|assertion|signature|sessionid|sessionkey)"
)
_LAST_TOKEN = re.compile(r"(?!(?:stop|max|min|eos|bos|pad|unk|mask|sep|page|next|continuation).*).+token")
_CAMEL_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORDS = re.compile(r"[a-z]+")
# user and password precede the last @ of a host, also in text without a scheme
_USER = re.compile(r"^((?:[a-z][a-z0-9+.\-]*:/+|/{2,})?)[^/?#]*@", re.IGNORECASE)
# of text that is not a valid URL, nothing before the last @ is shown
_ANY_USER = re.compile(r"^((?:[a-z][a-z0-9+.\-]*:/+|/+)?).*@", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"^(?:[^@]*:|//).*@", re.DOTALL)
_PARAMETER = re.compile(r"([?&;]*)([^?&;=]*)(=?)([^&;]*)")
_MARK = re.compile("\0([^\0]*)\0")


@lru_cache(maxsize=1024)
def is_credential(name: str) -> bool:
    """Return whether a parameter, header or setting of this name holds a credential, in any spelling of the name."""
    text = unquote_plus(unquote_plus(name))
    camel_words = [word.lower() for word in _CAMEL_WORDS.findall(text)]
    return _names_credential(camel_words) or _names_credential(_WORDS.findall(text.lower()))


def _names_credential(words: list[str]) -> bool:
    """Return whether the words of a name mean a credential, and not a property of one."""
    if not words or words[-1] in _ABOUT:
        return False
    unique = set(words)
    if unique & _ALWAYS or (unique & _SEVERAL and unique & _OPENING):
        return True
    return bool(unique & _OFTEN and not unique & _HARMLESS) or any(map(_is_joined_name, words))


def _is_joined_name(word: str) -> bool:
    return bool(_JOINED.fullmatch(word) or _LAST_TOKEN.fullmatch(word))


def without_user(url: str) -> str:
    """Return a URL without the user and password before its host."""
    return _USER.sub(r"\1", url)


def without_any_user(text: str) -> str:
    """Return text that is not a valid URL without everything that may be a user and a password."""
    return _ANY_USER.sub(r"\1", text)


def without_password(text: str) -> str:
    """Return text that may be an address without a user and password; `model@001` has none."""
    return without_any_user(text) if _PASSWORD.match(text) else text


def variable_name(name: str) -> str:
    """Return the name of the environment variable that is shown for a parameter."""
    return re.sub("[^A-Z0-9]+", "_", unquote(name).upper())


def mark_url(url: str) -> str:
    """Replace each credential among the parameters of a URL by its marker."""
    address, question, query = url.partition("?")
    return f"{address}{question}{mark_query(query)}"


def mark_query(query: str) -> str:
    """Replace each credential among URL parameters by its marker."""
    return _PARAMETER.sub(_mark_parameter, query)


def _mark_parameter(parameter: re.Match[str]) -> str:
    before, name, equals, _ = parameter.groups()
    if not equals or not is_credential(name):
        return parameter[0]
    return f"{before}{name}=\0{variable_name(name)}\0"


def shown_safely(text: str) -> str:
    """Return text that may be meant as an address, for an error: without a user, and with `$NAME` for credentials."""
    address, question, query = without_any_user(text).partition("?")
    return show_marks(f"{mark_query(address)}{question}{mark_query(query)}")


def show_marks(text: str) -> str:
    """Replace each marker by `$NAME`."""
    return _MARK.sub(r"$\1", text)


def in_shell(text: str) -> str:
    """Quote text for a shell, which fills in the variables of the markers."""
    pieces = text.split("\0")
    return "".join(
        [f'"${piece}"' if index % 2 else shlex.quote(piece) for index, piece in enumerate(pieces) if piece]
    )


def mark_placeholders(text: str, variables: Mapping[str, str]) -> str:
    """Replace each placeholder word in a text by the marker of its variable."""
    for word, variable in variables.items():
        text = text.replace(word, f"\0{variable}\0")
    return text
