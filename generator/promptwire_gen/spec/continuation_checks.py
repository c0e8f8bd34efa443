"""Checks of the section `continuation`, and against instructions, tools and settings."""

from __future__ import annotations

from collections.abc import Iterator

from ..problems import did_you_mean, quote
from .schema import Spec
from .transport_checks import Clash, credentials_of

THINGS = ("items", "instructions", "tools")
_OF_SERVER = ("fields", "keeps", *THINGS, "binds", "begins")


def check_continuation(spec: Spec) -> Iterator[Clash]:
    """Yield the contradictions inside the section `continuation`."""
    if spec.continuation.mode == "resend":
        for name in _OF_SERVER:
            if getattr(spec.continuation, name):
                message = f"resend has no {name}: no server keeps anything"
                yield Clash(("continuation", name), "bad-value", message, at_key=True)
        return
    for name in _things(spec):
        yield from _thing(spec, name)
    if "items" not in spec.continuation.keeps:
        message = "a server that keeps no items continues nothing"
        hint = "write keeps: [items], or mode: resend"
        yield Clash(("continuation",), "missing-key", message, hint, at_key=True)
    yield from _bound(spec)


def _things(spec: Spec) -> tuple[str, ...]:
    """Return the parts of a request that this wire can carry."""
    has = {
        "items": True,
        "instructions": spec.instructions.placement is not None,
        "tools": spec.tools is not None,
    }
    return tuple([name for name in THINGS if has[name] or getattr(spec.continuation, name) is not None])


def _thing(spec: Spec, name: str) -> Iterator[Clash]:
    """Check the word for one part: forgotten parts are sent again, and stored ones are not sent twice."""
    word, keeps = getattr(spec.continuation, name), spec.continuation.keeps
    path = ("continuation", name)
    if word is None:
        message = f"continuation on the server does not say what becomes of {name}"
        hint = f"write {name}: {'omit' if name == 'items' or name in keeps else 'resend'}"
        yield Clash(("continuation",), "missing-key", message, hint, at_key=True)
    elif word != "resend" and name not in keeps:
        message = f"{name} is {word}, but keeps does not name {name}: what the server forgets is sent again"
        yield Clash(path, "bad-value", message, f"write {name}: resend, or name {name} in keeps")
    elif name == "items" and word != "omit":
        message = (
            f"items is {word}: the server would hold them twice, and which are new says continuation.start"
        )
        yield Clash(path, "bad-value", message, "write items: omit")
    elif name == "instructions" and word == "resend" and spec.instructions.placement == "first_message":
        message = "instructions is resend, but they are the first message, which the server holds"
        yield Clash(path, "bad-value", message, "write instructions: omit, and name them in keeps")


def _bound(spec: Spec) -> Iterator[Clash]:
    settings = spec.transport.settings
    for index, name in enumerate(spec.continuation.binds):
        path = ("continuation", "binds", index)
        if name in credentials_of(spec):
            message = f"{quote(name)} is a credential: one account may have several"
            yield Clash(path, "bad-value", message, "name another setting")
        elif name != "model" and name not in settings:
            hint = did_you_mean(name, ("model", *settings)) or "write model, or the name of a setting"
            yield Clash(path, "unknown-setting", f"{quote(name)} is not a setting of this spec", hint)
