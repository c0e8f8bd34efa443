"""Lower a spec to its model: parse the shapes, check them against the neutral model, decide names and orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..problems import SpecError, SpecProblem, did_you_mean, make_hint, quote
from ..spec.load import LoadedSpec
from ..spec.nodes import Node, Scalar, Table
from ..spec.notation import Notation
from ..spec.shapes import Shape
from .answer_shapes import make_answer_model
from .body_model import Body
from .body_shape import lower_body
from .claims import check_capabilities, check_defaults
from .dispatch import check_ordinary, check_separation, check_writing
from .holes import (
    check_extra_keys,
    check_holes,
    check_option_keys,
    check_spread,
    check_whole,
    check_whole_value,
)
from .message_places import lower_messages
from .neutral import (
    CACHE,
    CONTAINERS,
    LAYER,
    PARTS,
    REASONING,
    RESPONSE_FORMAT,
    ROLES,
    TOOL_CHOICE,
    TOOL_CHOICE_MODES,
    TOOLS,
    UNIONS,
    Kind,
)
from .offers import BUILTIN_OFFERS, Offers, Pass, SchemaDialect, ShapeFilter
from .prompts import check_prompt
from .rules import check_rules, drop_unplaced_rules, fit_rules
from .streams import check_stream
from .transport import check_address, check_transport
from .vocabulary import collect_vocabulary
from .wire import MessageShape, ShapeKey, Variant, WireModel

# union -> the kind of all its shapes, or of each mode; and the modes, None for any
_UNION_KINDS: Mapping[str, tuple[Mapping[str, Kind] | Kind, tuple[str, ...] | None]] = {
    "instruction": (LAYER, ("layer",)),
    "tool": (TOOLS, tuple(TOOLS)),
    "tool_choice": (TOOL_CHOICE, TOOL_CHOICE_MODES),
    "response_format": (RESPONSE_FORMAT, None),
    "reasoning": (REASONING, None),
    "cache": (CACHE, ("mark",)),
}

# sections that the model takes over unchanged: those that no other depends on, and the others
NAMES = ("title", "docs", "recorded", "clients", "sdks", "examples")
_AS_IT_IS = (
    "delivery",
    "transport",
    "instructions",
    "continuation",
    "tools",
    "flat_items",
    "lone_message",
    "whole_with",
    "whole_lists",
    "speaker",
    "prompt",
    "defaults",
    "signatures",
)


def lower(spec: LoadedSpec, filters: Mapping[str, ShapeFilter], offers: Offers = BUILTIN_OFFERS) -> WireModel:
    """Lower one spec; raises SpecError with the problems of its shapes. Invalid sections are skipped."""
    lowering = _Lowering(spec, filters, offers)
    model = lowering.make_model()
    problems: list[SpecProblem] = lowering.notation.problems
    if problems:
        raise SpecError(problems)
    return model


def add_names(model: WireModel, spec: LoadedSpec) -> WireModel:
    """Return the model of a spec that differs from the spec of a given model only in the sections of `NAMES`."""
    return replace(model, **_list_names(spec))


def _list_names(spec: LoadedSpec) -> dict[str, Any]:
    """Return the facts that say which wire it is, and those that no other depends on."""
    return {
        **{name: getattr(spec.model, name) for name in NAMES},
        "name": spec.model.wire,
        "provider": spec.model.provider or spec.model.wire.partition("_")[0],
        "api": spec.api,
        "extends": spec.parent,
        "chain": spec.chain,
        "file": spec.file,
    }


class _Lowering:
    def __init__(self, spec: LoadedSpec, filters: Mapping[str, ShapeFilter], offers: Offers) -> None:
        self.spec = spec
        self.filters = filters
        self.offers = offers
        self.notation = Notation(spec.model.aliases is not None, spec.tree)
        self.slots: Mapping[str, str] = dict(spec.model.slots)
        # sections and shapes with problems: no more is reported about them
        self.broken: set[str] = set(spec.invalid)
        if "slots" in self.broken:
            # without slots, the holes of messages and the keys of parts cannot be checked
            self.broken |= {"messages", "parts"}

    def make_model(self) -> WireModel:
        with self._watch("body"):
            body = lower_body(self.spec, self.filters, self.notation)
            check_extra_keys(body.shape, None, self.notation)
            check_option_keys(body.shape, self.notation)
        with self._watch("messages"):
            table = None if "slots" in self.broken else self.spec.get_section("messages")
            messages = lower_messages(table, self.spec.model.speaker, self.slots, self.filters, self.notation)
        with self._watch("parts"):
            parts = () if "slots" in self.broken else self._lower_parts(body)
        with self._watch("unions"):
            unions = {name: self._lower_union(name) for name in UNIONS}
        marks = self._lower_marks()
        unions |= {"cache": marks} if marks else {}
        for variants in (parts, *unions.values()):
            sound = [variant for variant in variants if f"{variant.union}.{variant.key}" not in self.broken]
            check_separation(sound, self.notation)
            check_writing(sound, self.notation)
        check_ordinary([part for part in parts if f"part.{part.key}" not in self.broken], self.notation)
        check_spread(body.shape, unions, self.broken, self.notation)
        model = self._make_wire_model(body, messages, parts, unions, marks_cache=bool(marks))
        self._check(model)
        rules, placed = fit_rules(model, self.spec, self.notation)
        return replace(model, rules=drop_unplaced_rules(rules, body), placed_facts=placed)

    def _make_wire_model(
        self,
        body: Body,
        messages: Mapping[str, MessageShape],
        parts: tuple[Variant, ...],
        unions: Mapping[str, tuple[Variant, ...]],
        *,
        marks_cache: bool,
    ) -> WireModel:
        spec, notation = self.spec, self.notation
        settings = spec.model
        shapes: list[Shape] = [body.shape, *(message.shape for message in messages.values())]
        shapes += [variant.shape for variants in (parts, *unions.values()) for variant in variants]
        same: dict[str, Any] = {name: getattr(settings, name) for name in _AS_IT_IS}
        same |= _list_names(spec)
        answer = make_answer_model(spec, messages, notation)
        return WireModel(
            **same,
            **collect_vocabulary(body, messages.values(), shapes, settings.transport.settings)._asdict(),
            body=body,
            slots=self.slots,
            messages=messages,
            parts=parts,
            unions=unions,
            passes=find_passes(spec, self.offers, notation),
            dialect=find_dialect(spec, self.offers, notation),
            marks_cache=marks_cache,
            group_under=self._group_keys(),
            rules=drop_unplaced_rules(spec.rules, body),
            families=spec.families,
            answer=answer,
            stream=check_stream(spec, answer, notation),
        )

    def _group_keys(self) -> tuple[str, ...]:
        tools = self.spec.model.tools
        return (
            ()
            if tools is None or tools.group_under is None
            else self.notation.list_spellings(tools.group_under)
        )

    def _check(self, model: WireModel) -> None:
        """Run the checks across sections."""
        spec = self.spec
        check_capabilities(model, self.notation, self.broken)
        if "body" not in self.broken:
            check_rules(model, spec, self.notation)
            check_defaults(model, self.notation)
        if model.prompt and self.broken.isdisjoint(("body", "messages", "prompt")):
            check_prompt(model, self.notation)
        check_transport(model.transport, self.filters, self.notation)
        if self.broken.isdisjoint(("body", "transport")):
            check_address(model.transport, model.body, self.notation)

    @contextmanager
    def _watch(self, name: str) -> Generator[None]:
        """Mark a section or shape as broken if problems are found inside."""
        before = len(self.notation.problems)
        yield
        if len(self.notation.problems) > before:
            self.broken.add(name)

    # ---- parts and unions

    def _lower_parts(self, body: Body) -> tuple[Variant, ...]:
        table = self.spec.get_section("parts")
        slots = (*self.slots, *(["results"] if body.results is not None else []))
        return self._lower_variants(
            "part", table, PARTS, lambda key: parse_part_key(key, slots, self.notation)
        )

    def _lower_union(self, name: str) -> tuple[Variant, ...]:
        unions = self.spec.get_section("unions")
        table = unions.get(name) if unions is not None else None
        kinds, modes = _UNION_KINDS[name]
        return self._lower_variants(
            name, table, kinds, lambda key: parse_union_key(key, name, modes, self.notation)
        )

    def _lower_variants(
        self,
        union: str,
        table: Node | None,
        kinds: Mapping[str, Kind] | Kind,
        parse: Callable[[Scalar], ShapeKey | None],
    ) -> tuple[Variant, ...]:
        """Return the shapes of a table, with their holes checked; one with an invalid key is checked and left out."""
        variants: list[Variant] = []
        for key, node in table.entries if isinstance(table, Table) else ():
            with self._watch(f"{union}.{key.value}"):
                shape_key = parse(key)
                before = len(self.notation.problems)
                shape = self.notation.parse_written(node)
                if shape_key is None:
                    continue
                kind = kinds if isinstance(kinds, Kind) else kinds[shape_key.mode]
                check_holes(shape, kind, frozenset(), self.filters, self.notation)
                check_extra_keys(shape, kind, self.notation)
                check_option_keys(shape, self.notation)
                check_whole_value(key, shape, self.notation)
                if len(self.notation.problems) == before:
                    check_whole(key, shape, kind, self.notation, shape_key.source)
                variants.append(_make_variant(union, kind, key, shape_key, shape))
        return make_labels_unique(variants)

    def _lower_marks(self) -> tuple[Variant, ...]:
        """Return the shape of cache marks that are list elements after the element they mark."""
        table = self.spec.get_section("marks")
        marks: list[Variant] = []
        for key, node in table.entries if table is not None else ():
            if key.value != "cache":
                hint = did_you_mean(str(key.value), ("cache",)) or "write cache"
                self.notation.report(key.span, "unknown-mark", f"{quote(str(key.value))} is not a mark", hint)
                continue
            shape = self.notation.parse_shape(node)
            check_holes(shape, CACHE, frozenset(), self.filters, self.notation)
            marks.append(_make_variant("cache", CACHE, key, ShapeKey("mark"), shape))
        return tuple(marks)


def _make_variant(union: str, kind: Kind, key: Scalar, parsed: ShapeKey, shape: Shape) -> Variant:
    label = "_".join(filter(None, (union, parsed.mode, parsed.source, parsed.remembered)))
    return Variant(
        **vars(parsed), union=union, kind=kind, key=str(key.value), label=label, shape=shape, span=key.span
    )


def make_labels_unique(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """Add roles or slot to the labels of shapes that share kind, source and variant."""
    counts: dict[str, int] = {}
    for variant in variants:
        counts[variant.label] = counts.get(variant.label, 0) + 1
    labelled: list[Variant] = []
    labels: set[str] = set()
    for variant in variants:
        label = variant.label
        if counts[label] > 1 and variant.roles:
            label = f"{label}_{variant.roles[0]}"
        while label in labels:
            label += "_also"
        labels.add(label)
        labelled.append(replace(variant, label=label))
    return tuple(labelled)


def find_passes(spec: LoadedSpec, offers: Offers, notation: Notation) -> tuple[Pass, ...]:
    """Return the passes of a spec, in its order; an unknown name is a problem."""
    passes: list[Pass] = []
    for index, word in enumerate(spec.model.passes):
        if word in offers.passes:
            passes.append(offers.passes[word])
            continue
        hint = make_hint(word, sorted(offers.passes), "passes")
        notation.report(("passes", index), "unknown-pass", f"{quote(word)} is not a pass", hint)
    return tuple(passes)


def find_dialect(spec: LoadedSpec, offers: Offers, notation: Notation) -> SchemaDialect | None:
    """Return the JSON Schema dialect of a spec's tools; an unknown name is a problem."""
    word = spec.model.tools.dialect if spec.model.tools is not None else None
    if word is None or word in offers.dialects:
        return None if word is None else offers.dialects[word]
    names = ", ".join(sorted(offers.dialects))
    hint = f"the dialects are {names}" if names else "dialects come with plugins, and none is installed"
    hint = did_you_mean(word, offers.dialects) or hint
    message = f"{quote(word)} is not a dialect of JSON Schema"
    notation.report(("tools", "dialect"), "unknown-dialect", message, hint)
    return None


_KEY = re.compile(
    r"(?P<kind>[a-z_]+)(?:\.(?P<source>[a-z_0-9]+))?(?:#(?P<variant>[a-z_0-9]+))?"
    r"(?P<way>[!~])?(?:@(?P<roles>[a-z_,]+))?(?:>(?P<slot>[a-z_]+))?"
)


def parse_part_key(key: Scalar, slots: Collection[str], notation: Notation) -> ShapeKey | None:
    """Parse the key of a part shape."""
    text = str(key.value)
    match = _KEY.fullmatch(text)
    if match is None:
        hint = "write kind.source#variant@roles>slot"
        notation.report(key.span, "bad-part-key", f"{quote(text)} is not a part key", hint)
        return None
    kind = match["kind"]
    if kind not in PARTS:
        hint = make_hint(kind, PARTS, "kinds")
        notation.report(key.span, "unknown-part", f"{quote(kind)} is not a part kind", hint)
        return None
    _check_source(key, PARTS[kind], match["source"], notation)
    roles = tuple(match["roles"].split(",")) if match["roles"] else ()
    for role in roles:
        if role not in ROLES and role not in CONTAINERS:
            hint = did_you_mean(role, (*ROLES, *CONTAINERS)) or f"the roles are {', '.join(ROLES)}"
            notation.report(key.span, "unknown-role", f"{quote(role)} is not a role", hint)
    slot = match["slot"] or "content"
    if slot not in ("messages", *slots):
        hint = did_you_mean(slot, slots) or f"the slots are {', '.join(sorted(slots)) or 'not declared'}"
        notation.report(key.span, "unknown-slot", f"{quote(slot)} is not a slot of this wire", hint)
    if slot in ("messages", "results") and not roles:
        hint = f"write {kind}@assistant>messages"
        notation.report(key.span, "missing-role", "an item of its own needs the role of its message", hint)
    way = match["way"]
    return ShapeKey(kind, match["source"], match["variant"], roles, slot, way == "!", way == "~")


def _check_source(key: Scalar, kind: Kind, source: str | None, notation: Notation) -> None:
    if not kind.sources:
        return
    allowed = ", ".join(kind.sources)
    if source is None:
        hint = f"write {kind.name}.{kind.sources[0]}"
        notation.report(key.span, "missing-source", f"{kind.name} needs a source", hint)
    elif source not in kind.sources:
        hint = did_you_mean(source, kind.sources) or f"use one of {allowed}"
        notation.report(key.span, "unknown-source", f"{quote(source)} is not a source of {kind.name}", hint)


def parse_union_key(
    key: Scalar, union: str, kinds: tuple[str, ...] | None, notation: Notation
) -> ShapeKey | None:
    """Parse the key of a union's shape; `kinds` are the allowed kinds, or None if the wire may name its own."""
    match = _KEY.fullmatch(str(key.value))
    if match is None or match["roles"] or match["slot"]:
        hint = "write kind or kind#variant" + (f", where kind is {', '.join(kinds)}" if kinds else "")
        notation.report(key.span, "bad-union-key", f"{quote(str(key.value))} is not a key of {union}", hint)
        return None
    if kinds is not None and match["kind"] not in kinds:
        hint = did_you_mean(match["kind"], kinds) or f"use one of {', '.join(kinds)}"
        notation.report(key.span, "unknown-kind", f"{quote(match['kind'])} is not a kind of {union}", hint)
        return None
    return ShapeKey(match["kind"], match["source"], match["variant"], refused=match["way"] == "~")
