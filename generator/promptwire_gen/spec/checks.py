"""Checks across the fields of a spec, which pydantic's per-field checks cannot make."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..problems import SpecProblem, did_you_mean, make_hint, quote
from .client_sections import ClientSpec
from .fields import WIRE_NAME, find_name_trouble
from .nodes import Path, Table, format_path, locate, span_at
from .policies import POLICIES
from .schema import THINGS, RuleSection, Spec
from .transport_checks import Clash, check_transport, list_credentials, use_of_setting

# names that generated code uses next to the names of slots
_TAKEN = frozenset({
    "alone", "before", "build", "fresh", "found", "item", "kind", "message", "messages", "now", "open_calls", "out",
    "part", "parts", "previous", "reader", "repeats", "results", "role", "value", "vendor",
})  # fmt: skip


def check(spec: Spec, tree: Table, wire: str, invalid: Collection[str] = ()) -> Iterator[SpecProblem]:
    """Yield the contradictions in a spec; `wire` is the name of its file.

    Sections in `invalid` hold placeholders: checks that depend on them are skipped.
    """
    for find, needed in _CHECKS:
        if set(needed).isdisjoint(invalid):
            yield from _place_clashes(find(spec), tree)
    if "wire" not in invalid and spec.wire != wire:
        message = f"wire is {quote(spec.wire)}, and the file is named {quote(wire)}"
        hint = f"rename the file to {spec.wire}.yaml"
        hint = f"write wire: {wire}, or {hint}" if re.fullmatch(WIRE_NAME, wire) else hint
        yield SpecProblem(span_at(tree, ("wire",)), "wire-name", message, hint)


def check_shared_rules(rules: Sequence[RuleSection], tree: Table) -> Iterator[SpecProblem]:
    """Yield the contradictions in the rules of a page that several specs share, and their words for one API."""
    for index, rule in enumerate(rules):
        yield from _place_clashes(_check_rule(index, rule, "reject or allow"), tree)
        yield from _place_clashes(_find_words_for_one_api(index, rule), tree)


def _place_clashes(clashes: Iterable[Clash], tree: Table) -> Iterator[SpecProblem]:
    for clash in clashes:
        span = locate(tree, clash.path, at_key=clash.at_key, piece=clash.piece)
        yield SpecProblem(span, clash.rule, clash.message, clash.hint)


def _check_wire(spec: Spec) -> Iterator[Clash]:
    trouble = find_name_trouble(spec.wire)
    if trouble is not None:
        yield Clash(("wire",), "wire-name", f"{quote(spec.wire)} {trouble}")


def _check_instructions(spec: Spec) -> Iterator[Clash]:
    if spec.instructions.native is True and spec.instructions.placement is None:
        yield Clash(("instructions",), "missing-key", 'native instructions need "placement"', at_key=True)
    if spec.instructions.placement == "top_level" and spec.instructions.field is None:
        yield Clash(("instructions",), "missing-key", 'top_level instructions need "field"', at_key=True)


def _check_tools(spec: Spec) -> Iterator[Clash]:
    if spec.tools is not None:
        yield from _find_duplicates(("tools", "choice"), spec.tools.choice)


def _check_slots(spec: Spec) -> Iterator[Clash]:
    for name in spec.slots:
        if keyword.iskeyword(name) or hasattr(builtins, name) or name in _TAKEN:
            message = f"a slot cannot be named {quote(name)}: generated code uses that word"
            yield Clash(("slots", name), "bad-value", message, f"write {name}_parts", at_key=True)


def _check_passes(spec: Spec) -> Iterator[Clash]:
    yield from _find_duplicates(("passes",), spec.passes)


def _find_duplicates(path: Path, words: tuple[str, ...]) -> Iterator[Clash]:
    for index, word in enumerate(words):
        if word in words[:index]:
            yield Clash(
                (*path, index), "duplicate-value", f"{quote(word)} stands in {format_path(path)} twice"
            )


def _check_rules(spec: Spec) -> Iterator[Clash]:
    for index, rule in enumerate(spec.rules):
        yield from _check_rule(index, rule, "reject, allow, rename or set")
        for name, values in rule.when.settings.items():
            path = ("rules", index, "when", "settings", name)
            yield from use_of_setting(spec, path, name, values)
            if not values:
                message = f"{quote(name)} has none of no values: the rule never holds"
                yield Clash(path, "bad-value", message, "name one, or leave it out", at_key=True)
            if name not in spec.transport.settings and name in list_credentials(spec):
                message = f"{quote(name)} is a credential: no rule depends on its value"
                yield Clash(path, "bad-value", message, "name another setting", at_key=True)


def _check_rule(index: int, rule: RuleSection, needed: str) -> Iterator[Clash]:
    """Check that a rule does something, and that its conditions name something."""
    if not (rule.reject or rule.allow or rule.rename or rule.set):
        yield Clash(("rules", index), "missing-key", f"rules[{index}] needs {needed}")
    for name in sorted(rule.when.model_fields_set):
        if name != "settings" and not getattr(rule.when, name):
            message = f"{name} is an empty list: the rule says the same without it"
            place = ("rules", index, "when", name)
            yield Clash(place, "bad-value", message, "leave it out, or name something", at_key=True)


def _find_words_for_one_api(index: int, rule: RuleSection) -> Iterator[Clash]:
    """Yield a clash for each word of a rule that depends on the keys, the facts or the settings of one API."""
    for place, value in (
        (("rename",), rule.rename),
        (("set",), rule.set),
        (("when", "settings"), rule.when.settings),
    ):
        if value:
            message = f"{place[-1]} depends on the API: a page that several specs share cannot say it"
            hint = "write the rule in the specs of the APIs where it holds"
            yield Clash(("rules", index, *place), "bad-value", message, hint, at_key=True)


def _check_hosts(spec: Spec) -> Iterator[Clash]:
    if spec.hosts and "base_url" not in spec.transport.settings:
        message = "facts of hosts hold at values of the setting base_url, and this spec has no such setting"
        yield Clash(("hosts",), "unknown-setting", message, "write url: ${base_url}/PATH", at_key=True)
    yield from _find_duplicates(("hosts",), spec.hosts)


def _check_examples(spec: Spec) -> Iterator[Clash]:
    yield from _check_names(("examples",), [example.name for example in spec.examples])
    for index, example in enumerate(spec.examples):
        path = ("examples", index)
        if (example.body is None) is (example.error is None):
            has = "neither" if example.body is None else "both"
            hint = (
                "write body: {...} or error: {kind: ...}" if example.body is None else "leave one of them out"
            )
            yield Clash(
                path, "body-or-error", f"{format_path(path)} needs body or error, and has {has}", hint
            )
        yield from _check_policies(example.policies, (*path, "policies"))
        for name, value in example.settings.items():
            # an example may be about a rejected value
            values = () if example.error else (value,) if isinstance(value, str) else value
            yield from use_of_setting(spec, (*path, "settings", name), name, values)


def _check_answers(spec: Spec) -> Iterator[Clash]:
    if spec.answer is not None:
        yield from _check_names(("answer", "examples"), [example.name for example in spec.answer.examples])
        names = [example.name for example in spec.answer.error_examples]
        yield from _check_names(("answer", "error_examples"), names)


def _check_stream(spec: Spec) -> Iterator[Clash]:
    if spec.stream is not None:
        yield from _check_names(("stream", "examples"), [example.name for example in spec.stream.examples])


def _check_names(path: Path, names: Sequence[str]) -> Iterator[Clash]:
    """Check that example names are unique, because each names a test."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        before = first.setdefault(name, index)
        if before != index:
            message = f"there is another example {quote(name)}"
            hint = f"the first is {format_path((*path, before))}"
            yield Clash((*path, index, "name"), "duplicate-name", message, hint)


def _check_policies(policies: Mapping[str, str], path: Path) -> Iterator[Clash]:
    for name, value in policies.items():
        choices = POLICIES.get(name)
        if choices is None:
            hint = make_hint(name, POLICIES, "policies")
            yield Clash((*path, name), "unknown-policy", f"{quote(name)} is not a policy", hint, at_key=True)
        elif value not in choices:
            hint = make_hint(value, choices, "values")
            yield Clash(
                (*path, name), "bad-value", f"{quote(value)} is not a value of the policy {name}", hint
            )


_HOLE = re.compile(r"\$\{([^{}]*)\}")


def check_clients(spec: Spec) -> Iterator[Clash]:
    """Yield the clients that could not send a request."""
    if spec.clients and spec.transport.local:
        message = "a local runtime is no server: no client sends to it"
        yield Clash(("clients",), "bad-value", message, 'leave out "clients", or local', at_key=True)
    for name, client in spec.clients.items():
        yield from _check_client(("clients", name), client)


def _check_client(path: Path, client: ClientSpec) -> Iterator[Clash]:
    if not client.calls:
        hint = "write the end of a URL and the method that sends there"
        yield Clash((*path, "calls"), "missing-key", "a client without calls sends nothing", hint)
    for end, call in client.calls.items():
        taken = {*(call.accepts or client.accepts).values(), *_HOLE.findall(end)}
        if not (call.accepts or client.accepts or client.body):
            message = f"{quote(call.call)} takes nothing of the body"
            yield Clash((*path, "calls", end), "missing-key", message, "write accepts, or body")
        for index, argument in enumerate(client.required):
            if not any(place.partition(".")[0] == argument for place in taken):
                message = f"{quote(call.call)} needs {quote(argument)}, and nothing gives it"
                yield Clash((*path, "required", index), "bad-value", message, did_you_mean(argument, taken))
    keys = {key for call in client.calls.values() for key in (call.accepts or client.accepts)}
    for index, place in enumerate(client.bytes):
        key = place.partition(".")[0].removesuffix("[]")
        if key not in keys:
            message = f"{quote(place)} leads to no argument: {quote(key)} is not in accepts"
            yield Clash((*path, "bytes", index), "bad-value", message, did_you_mean(key, keys))


def check_sdks(spec: Spec) -> Iterator[Clash]:
    """Yield the SDKs without a type, or without the version that was read."""
    for name, sdk in spec.sdks.items():
        if not sdk.types and not sdk.operations:
            hint = "write types: module:Class, or operations: service:Operation"
            yield Clash(("sdks", name), "missing-key", f"no type of {quote(name)} is named", hint)
        if sdk.version is None and name not in spec.clients:
            message = f"the version of {quote(name)} that was read is not named"
            hint = f"write version: {name} 1.0.0, or the client in clients"
            yield Clash(("sdks", name), "missing-key", message, hint)
        elif sdk.version is not None and name in spec.clients:
            message, hint = "clients names the version already", "leave it out here"
            yield Clash(("sdks", name, "version"), "bad-value", message, hint, at_key=True)
        elif sdk.version is not None and sdk.version.partition(" ")[0] != name:
            message = f"{quote(sdk.version)} is no version of {quote(name)}"
            yield Clash(("sdks", name, "version"), "bad-value", message, f"write {name} and its version")


_OF_SERVER = ("fields", "keeps", *THINGS, "binds", "begins")


def check_continuation(spec: Spec) -> Iterator[Clash]:
    """Yield the contradictions inside the section `continuation`."""
    if spec.continuation.mode == "resend":
        for name in _OF_SERVER:
            if getattr(spec.continuation, name):
                message = f"resend has no {name}: no server keeps anything"
                yield Clash(("continuation", name), "bad-value", message, at_key=True)
        return
    for name in _list_kept_parts(spec):
        yield from _check_kept_part(spec, name)
    if "items" not in spec.continuation.keeps:
        message = "a server that keeps no items continues nothing"
        hint = "write keeps: [items], or mode: resend"
        yield Clash(("continuation",), "missing-key", message, hint, at_key=True)
    yield from _check_binds(spec)


def _list_kept_parts(spec: Spec) -> tuple[str, ...]:
    """Return the parts of a request that this wire can carry."""
    has = {
        "items": True,
        "instructions": spec.instructions.placement is not None,
        "tools": spec.tools is not None,
    }
    return tuple([name for name in THINGS if has[name] or getattr(spec.continuation, name) is not None])


def _check_kept_part(spec: Spec, name: str) -> Iterator[Clash]:
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


def _check_binds(spec: Spec) -> Iterator[Clash]:
    settings = spec.transport.settings
    for index, name in enumerate(spec.continuation.binds):
        path = ("continuation", "binds", index)
        if name in list_credentials(spec):
            message = f"{quote(name)} is a credential: one account may have several"
            yield Clash(path, "bad-value", message, "name another setting")
        elif name != "model" and name not in settings:
            hint = did_you_mean(name, ("model", *settings)) or "write model, or the name of a setting"
            yield Clash(path, "unknown-setting", f"{quote(name)} is not a setting of this spec", hint)


_CHECKS: tuple[tuple[Callable[[Spec], Iterator[Clash]], tuple[str, ...]], ...] = (
    (_check_wire, ("wire",)),
    (_check_instructions, ("instructions",)),
    (check_continuation, ("continuation", "instructions", "tools", "transport")),
    (_check_tools, ("tools",)),
    (_check_slots, ("slots",)),
    (_check_passes, ("passes",)),
    (check_transport, ("transport",)),
    (_check_rules, ("rules", "transport")),
    (_check_hosts, ("hosts", "transport")),
    (_check_examples, ("examples", "transport")),
    (_check_answers, ("answer",)),
    (_check_stream, ("stream",)),
    (check_clients, ("clients", "transport")),
    (check_sdks, ("clients", "sdks")),
)
