"""Which names speak of credentials: told by their parts, since nobody knows all whole names."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_plus

# a name that has one of these parts holds a credential
_ALWAYS = frozenset([
    "secret", "secrets", "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "credential",
    "credentials", "cred", "creds", "assertion", "signature", "sig", "sas", "sid", "session", "auth",
    "oauth", "authorization", "authentication", "bearer", "jwt", "saml", "cookie", "cookies", "hmac", "otp",
])  # fmt: skip
# so does one of these, unless another part says which harmless kind it is of
_OFTEN = frozenset(["key", "token", "pass", "code"])
_HARMLESS = frozenset([
    "stop", "max", "min", "num", "eos", "bos", "pad", "unk", "mask", "sep", "sort", "order", "group",
    "partition", "cache", "idempotency", "foreign", "page", "next", "continuation", "public", "response",
    "error", "status", "exit", "country", "language", "lang", "region", "currency", "zip", "postal",
    "execution", "interpreter", "through", "word", "words",
])  # fmt: skip
# what is said of a credential, and is none: token_type, key_count, password_length
_ABOUT = frozenset([
    "type", "count", "limit", "budget", "mode", "method", "version", "algorithm", "alg", "length", "size",
    "format", "name", "rate",
])  # fmt: skip
# several of them are a number or a list of names, unless they let someone in: max_tokens, access_tokens
_SEVERAL = frozenset(["keys", "tokens", "codes"])
_OPENING = frozenset(["api", "access", "auth", "refresh", "private", "client", "bearer"])
# names whose parts nothing separates
_GLUED = re.compile(
    r".*(?:api|access|secret|private|auth|subscription|account|master|functions?|shared|client)(?:key|token|code)(?:s|id)?"
    r"|.*(?:secret|password|passwd|passphrase|credentials?|assertion|signature|sessionid|sessionkey)"
)
_LAST_TOKEN = re.compile(r"(?!(?:stop|max|min|eos|bos|pad|unk|mask|sep|page|next|continuation).*).+token")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORDS = re.compile(r"[a-z]+")


@lru_cache(maxsize=1024)
def is_credential(name: str) -> bool:
    """Tell whether a parameter, header or setting of this name holds a credential, however the name is spelled."""
    text = unquote_plus(unquote_plus(name))
    by_humps = [part.lower() for part in _HUMPS.findall(text)]
    by_marks = _WORDS.findall(text.lower())
    return _names_one(by_humps) or _names_one(by_marks)


def _names_one(parts: list[str]) -> bool:
    """Tell whether parts of a name name a credential, and not a property of one."""
    if not parts or parts[-1] in _ABOUT:
        return False
    own = set(parts)
    if own & _ALWAYS or (own & _SEVERAL and own & _OPENING):
        return True
    return bool(own & _OFTEN and not own & _HARMLESS) or any(map(_is_glued, parts))


def _is_glued(word: str) -> bool:
    return bool(_GLUED.fullmatch(word) or _LAST_TOKEN.fullmatch(word))
