"""Spec to model: parse the shapes, check them against the neutral model, decide names and orders."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ..problems import Problem, SpecError, did_you_mean, quote
from ..spec.load import LoadedSpec
from ..spec.nodes import Node, Scalar, Table, kind_of
from ..spec.notation import Notation
from ..spec.shapes import Field, Hole, Object, Shape
from ..spec.walks import echoes
from .claims import check_capabilities
from .dispatch import check_separation, check_writing
from .filters import ShapeFilter
from .holes import check_body_holes, check_holes, check_whole
from .implied import check_implied
from .labels import with_own_labels
from .message_shapes import message_shape
from .neutral import (
    CACHE,
    DOTTED,
    LAYER,
    OPTIONS,
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
from .offered import chosen_dialect, chosen_passes
from .offers import BUILTIN_OFFERS, Offers
from .part_keys import part_key, union_key
from .rules import check_rules, rules_about
from .transport import check_address, check_transport, url_fields
from .vocabulary import vocabulary
from .wire import Body, Instructions, MessageShape, ShapeKey, Variant, WireModel

_UNION_KINDS: dict[str, tuple[Kind | None, tuple[str, ...] | None]] = {
    "instruction": (LAYER, ("layer",)),
    "tool": (None, tuple(TOOLS)),
    "tool_choice": (TOOL_CHOICE, TOOL_CHOICE_MODES),
    "response_format": (RESPONSE_FORMAT, None),
    "reasoning": (REASONING, None),
    "cache": (CACHE, ("mark",)),
}


def lower(spec: LoadedSpec, filters: Mapping[str, ShapeFilter], offers: Offers = BUILTIN_OFFERS) -> WireModel:
    """Lower one spec; raises SpecError with all problems found in its shapes, its invalid sections aside."""
    lowering = _Lowering(spec, filters, offers)
    model = lowering.model()
    problems: list[Problem] = lowering.notation.problems
    if problems:
        raise SpecError(problems)
    return model


class _Lowering:
    def __init__(self, spec: LoadedSpec, filters: Mapping[str, ShapeFilter], offers: Offers) -> None:
        self.spec = spec
        self.filters = filters
        self.offers = offers
        self.notation = Notation(twins=spec.model.twins is not None)
        self.slots: Mapping[str, str] = dict(spec.model.slots)
        # sections with problems, and the labels of shapes with problems: nothing more is said about those
        self.broken: set[str] = set(spec.invalid)
        if "slots" in self.broken:
            # without the slots, the holes of messages and the keys of parts mean nothing
            self.broken |= {"messages", "parts"}

    def model(self) -> WireModel:
        with self._watched("body"):
            body = self._body()
        with self._watched("messages"):
            messages = {} if "slots" in self.broken else self._messages()
        with self._watched("parts"):
            parts = () if "slots" in self.broken else self._parts()
        with self._watched("unions"):
            unions = {name: self._union(name) for name in UNIONS}
        marks = self._marks()
        unions |= {"cache": marks} if marks else {}
        for variants in (parts, *unions.values()):
            sound = [variant for variant in variants if f"{variant.union}.{variant.key}" not in self.broken]
            check_separation(sound, self.notation)
            check_writing(sound, self.notation)
        model = self._wire_model(body, messages, parts, unions, marks_cache=bool(marks))
        self._check(model)
        return model

    def _wire_model(
        self,
        body: Body,
        messages: Mapping[str, MessageShape],
        parts: tuple[Variant, ...],
        unions: Mapping[str, tuple[Variant, ...]],
        *,
        marks_cache: bool,
    ) -> WireModel:
        spec, settings = self.spec, self.spec.model
        shapes: list[Shape] = [body.shape, *(message.shape for message in messages.values())]
        shapes += [variant.shape for variants in (parts, *unions.values()) for variant in variants]
        known = vocabulary(body, messages.values(), shapes, settings.transport.settings)
        return WireModel(
            name=settings.wire,
            title=settings.title,
            api=spec.api,
            extends=spec.parent,
            docs=tuple(settings.docs),
            recorded=tuple(settings.recorded),
            file=spec.file,
            transport=settings.transport,
            instructions=self._instructions(),
            continuation=settings.continuation,
            tools=settings.tools,
            body=body,
            slots=self.slots,
            messages=messages,
            parts=parts,
            unions=unions,
            group=settings.group,
            passes=chosen_passes(spec, self.offers, self.notation),
            dialect=chosen_dialect(spec, self.offers, self.notation),
            marks_cache=marks_cache,
            gather=settings.tools.gather if settings.tools is not None else None,
            implied=settings.implied,
            rules=rules_about(settings.rules, body),
            examples=tuple(settings.examples),
            keys=known.keys,
            constants=known.constants,
            synonyms=known.synonyms,
            echoes=tuple(sorted(set[tuple[str, str]]().union(*map(echoes, shapes)))),
        )

    def _check(self, model: WireModel) -> None:
        """Check what several sections must agree on."""
        spec = self.spec
        check_capabilities(model, spec, self.notation, self.broken)
        if "body" not in self.broken:
            check_rules(model, spec, self.notation)
            check_implied(model, spec, self.notation)
        check_transport(spec, self.filters, self.notation)
        if self.broken.isdisjoint(("body", "transport")):
            check_address(spec, model.body, self.notation)

    @contextmanager
    def _watched(self, name: str) -> Generator[None]:
        """Note a section or shape as broken when problems come up inside."""
        before = len(self.notation.problems)
        yield
        if len(self.notation.problems) > before:
            self.broken.add(name)

    def _table(self, section: str) -> Table | None:
        return self.spec.section(section)

    # ---- body

    def _body(self) -> Body:
        table = self._table("body")
        shape = self.notation.object(table) if table is not None else Object((), None, self.spec.span_of(()))
        check_body_holes(shape, self.spec.model.transport.settings, self.filters, self.notation)
        if shape.rest is not None:
            hint = "write key?: $vendor.key"
            self.notation.problem(shape.rest.span, "bad-rest", 'the body has no "...": name its keys', hint)
        for hole in shape.fixed:
            self.notation.problem(hole.span, "bad-fixed", 'the body has no "=": it is for parts and unions')
        places = [entry for entry in shape.fields if _is(entry.shape, "messages")]
        if len(places) != 1 and table is not None:
            span = places[1].span if places else self.spec.key_span_of(("body",))
            message = "the body must hold $messages once" + (", and this is the second" if places else "")
            self.notation.problem(
                span, "missing-messages", message, None if places else "write messages: $messages"
            )
        places = places or [Field("messages", (), False, Hole(("messages",), shape.span), shape.span)]
        holes = [hole for hole in shape.holes if not hole.read_only]
        heads = {hole.path[0] for hole in holes}
        return Body(
            shape=shape,
            messages=places[0],
            carried_options=frozenset(heads & set(OPTIONS)),
            carried_request=frozenset(hole.path[0] for hole in holes if len(hole.path) == 1),
            dotted={
                name: frozenset(
                    hole.path[1] for hole in holes if hole.path[0] == name and len(hole.path) == 2
                )
                for name in DOTTED
            },
            vendor=frozenset(
                hole.path[1] for hole in holes if hole.path[0] == "vendor" and len(hole.path) == 2
            ),
            url_fields=url_fields(self.spec.model.transport),
        )

    # ---- messages

    def _messages(self) -> dict[str, MessageShape]:
        table = self._table("messages")
        messages: dict[str, MessageShape] = {}
        for key, node in table.entries if table is not None else ():
            role = str(key.value)
            if role not in ROLES:
                hint = did_you_mean(role, ROLES) or f"the roles are {', '.join(ROLES)}"
                self.notation.problem(key.span, "unknown-role", f"{quote(role)} is not a role", hint)
            elif not isinstance(node, Table):
                message = f"the message of {quote(role)} must be a mapping, not {kind_of(node)}"
                self.notation.problem(node.span, "wrong-type", message)
            else:
                messages[role] = message_shape(role, key, node, self.slots, self.filters, self.notation)
        wire_roles = [(shape.wire_role, role) for role, shape in messages.items() if shape.wire_role == role]
        roles = dict(wire_roles)
        for role, shape in messages.items():
            if shape.wire_role in roles and roles[shape.wire_role] != role:
                messages[role] = replace(shape, twin=True)
        return messages

    # ---- parts and unions

    def _parts(self) -> tuple[Variant, ...]:
        table = self._table("parts")
        variants: list[Variant] = []
        for key, node in table.entries if table is not None else ():
            with self._watched(f"part.{key.value}"):
                parsed = part_key(key, self.slots, self.notation)
                shape = self._shape(key, node, parsed, None if parsed is None else PARTS[parsed.mode])
            if parsed is None:
                continue
            variants.append(_variant("part", PARTS[parsed.mode], key, parsed, shape))
        return with_own_labels(variants)

    def _union(self, name: str) -> tuple[Variant, ...]:
        unions = self._table("unions")
        table = unions.get(name) if unions is not None else None
        if not isinstance(table, Table):
            return ()
        one_kind, kinds = _UNION_KINDS[name]
        variants: list[Variant] = []
        for key, node in table.entries:
            with self._watched(f"{name}.{key.value}"):
                parsed = union_key(key, name, kinds, self.notation)
                kind = None if parsed is None else one_kind or TOOLS[parsed.mode]
                shape = self._shape(key, node, parsed, kind)
            if parsed is None:
                continue
            variants.append(_variant(name, one_kind or TOOLS[parsed.mode], key, parsed, shape))
        return with_own_labels(variants)

    def _shape(self, key: Scalar, node: Node, parsed: ShapeKey | None, kind: Kind | None) -> Shape:
        """Parse the shape of a kind, or of an unknown one, and check its holes."""
        before = len(self.notation.problems)
        shape = self.notation.written(node)
        if kind is not None:
            check_holes(shape, kind, frozenset(), self.filters, self.notation)
            if len(self.notation.problems) == before:
                check_whole(key, shape, kind, self.notation, parsed.source if parsed is not None else None)
        return shape

    def _marks(self) -> tuple[Variant, ...]:
        """The shape of cache marks that stand in a list after the element they mark."""
        table = self._table("marks")
        marks: list[Variant] = []
        for key, node in table.entries if table is not None else ():
            if key.value != "cache":
                hint = did_you_mean(str(key.value), ("cache",)) or "write cache"
                self.notation.problem(
                    key.span, "unknown-mark", f"{quote(str(key.value))} is not a mark", hint
                )
                continue
            shape = self.notation.shape(node)
            check_holes(shape, CACHE, frozenset(), self.filters, self.notation)
            marks.append(_variant("cache", CACHE, key, ShapeKey("mark"), shape))
        return tuple(marks)

    # ---- the rest

    def _instructions(self) -> Instructions:
        instructions = self.spec.model.instructions
        return Instructions(
            native=str(instructions.native).lower(),
            placement=instructions.placement or "none",
            several=instructions.several or "join",
            role=instructions.role or "system",
            mid_conversation=instructions.mid_conversation or "unknown",
        )


def _variant(union: str, kind: Kind, key: Scalar, parsed: ShapeKey, shape: Shape) -> Variant:
    label = "_".join(filter(None, (union, parsed.mode, parsed.source, parsed.remembered)))
    return Variant(
        **vars(parsed), union=union, kind=kind, key=str(key.value), label=label, shape=shape, span=key.span
    )


def _is(shape: Shape, name: str) -> bool:
    return isinstance(shape, Hole) and shape.path == (name,)
