"""Adapt a JSON Schema to what an API accepts: only where a keyword is refused, with an edit for each change.

What an API accepts is asked, word by word, of its rules: `refusal("keywords", "oneOf")` returns the reason why the API
refuses the keyword, or an empty text. The words are those of `strict_schemas` in specs, and `root_keywords` for
keywords that may not stand at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..wire_json.kinds import is_list, is_mapping
from .combining import (
    ANNOTATIONS,
    CUT,
    are_apart,
    constants_of,
    cyclic_references,
    intersect,
    is_clashing,
    is_object_schema,
    merged_objects,
    referenced,
    references_of,
    type_of_constant,
    without_cuts,
)
from .correcting import DEFINITIONS, HOLDING, NAMED, TYPING, SchemaEdits, corrected, describe_rest
from .counting import invalid, is_loose, is_outdated, is_typed_enum
from .of_types import JsonSchema
from .rewriting import (
    as_json_schema,
    is_openapi,
    update_draft,
    with_any_items,
    without_order,
    without_undefined,
)

Refusal: TypeAlias = Callable[[str, Any], str]
# a schema as an API accepts it, and the edits
AdaptedSchema: TypeAlias = "tuple[JsonSchema, SchemaEdits]"

# so often a definition stands inside itself where an API refuses recursion
_MOST_LEVELS = 2
# no API takes a schema that is nested as deep
_DEEPEST = 100
# keywords that are left out without a trace: they change neither the answer nor what the model reads
_SILENT = frozenset({"$schema", "$id", "$comment", "$anchor", *DEFINITIONS})
# keywords without which a schema means something else
_MEANING = frozenset({"anyOf", "allOf", "oneOf", "patternProperties", "prefixItems", "$ref", "items"})
_UNION = ("anyOf", "oneOf")


def adapt(schema: JsonSchema, refusal: Refusal) -> AdaptedSchema:
    """Return a schema as an API accepts it, with the edits; the same object if it is accepted as it is.

    The schema itself never changes. An edit of the loss `meaning` may leave something that the API refuses.
    """
    edits = SchemaEdits()
    given = schema
    if is_openapi(given) and (why := refusal("root", given["type"])):
        edits.add("", f"written as JSON Schema, not as OpenAPI: {why}", "none")
        given = as_json_schema(given)
    if invalid(given) and (why := refusal("invalid", 1)):
        given = corrected(given, why, edits)
    adapter = _Adapter(given, refusal, edits)
    adapted = adapter.adapt_root()
    return (adapted if edits.rows else schema), edits


class _Adapter:
    """The state of one adaptation: the whole schema, edits, and the definitions that are being inlined."""

    def __init__(self, whole: JsonSchema, refusal: Refusal, edits: SchemaEdits) -> None:
        self._whole = whole
        self._refusal = refusal
        self._reasons: dict[tuple[str, Any], str] = {}
        self._cyclic: frozenset[str] | None = None
        # the references that led to the place being adapted
        self._inside: list[str] = []
        self._has_inlined = False
        self.edits = edits

    def _why(self, word: str, value: Any) -> str:
        """Return why the API refuses a value of a word, or an empty text."""
        key = (word, value)
        if key not in self._reasons:
            self._reasons[key] = self._refusal(word, value)
        return self._reasons[key]

    def _edit(self, path: str, why: str, loss: str = "limit") -> None:
        self.edits.add(path, why, loss)

    # ---- the whole

    def adapt_root(self) -> JsonSchema:
        """Adapt the root, then the definitions that something still refers to."""
        root = {word: value for word, value in self._whole.items() if word not in DEFINITIONS}
        adapted = self._piece(self._root(root), "", 0)
        for word in DEFINITIONS:
            named = self._whole.get(word)
            if is_mapping(named):
                kept = self._definitions(word, named, adapted)
                if kept and not self._is_dropped(word):
                    adapted[word] = kept
        # definitions keep their place
        order = [word for word in self._whole if word in adapted]
        return {word: adapted[word] for word in (*order, *[word for word in adapted if word not in order])}

    def _is_dropped(self, word: str) -> bool:
        why = self._why("keywords", word)
        if why:
            self._edit(word, f"left out: {why}", "none")
        return bool(why)

    def _definitions(self, word: str, named: Mapping[str, Any], adapted: JsonSchema) -> JsonSchema:
        """Adapt definitions; after something was inlined, only those that are still referred to."""
        done: JsonSchema = {}
        waiting = {name: f"#/{word}/{_escaped(name)}" for name in named}
        referred = references_of(adapted)
        while ready := [name for name, reference in waiting.items() if reference in referred]:
            for name in ready:
                done[name] = self._definition(word, name, named, waiting.pop(name))
                referred |= references_of(done[name])
        for name in () if self._has_inlined else tuple(waiting):
            done[name] = self._definition(word, name, named, waiting.pop(name))
        return {name: done[name] for name in named if name in done}

    def _definition(self, word: str, name: str, named: Mapping[str, Any], reference: str) -> Any:
        self._inside.append(reference)
        adapted = self._piece(named[name], f"{word}.{name}", 0)
        self._inside.pop()
        return adapted

    def _root(self, root: JsonSchema) -> JsonSchema:
        """Make the root an object where the API asks for one."""
        for union in ("allOf", *_UNION, "enum", "not"):
            if union in root and (why := self._why("root_keywords", union) or self._why_root(root)):
                root = self._without_at_root(root, union, why)
        why = self._why_root(root)
        if not why:
            return self._with_properties(root)
        reference = root.get("$ref")
        leads = isinstance(reference, str) and is_mapping(referenced(self._whole, reference))
        if leads and reference not in self._inside:
            self._edit("$ref", f"the definition is written here: {why}", "none")
            return self._root(self._inlined(root, str(root["$ref"])))
        kinds = root.get("type")
        if is_list(kinds) and "object" in kinds:
            self._edit("type", f"object alone: {why}")
            return self._with_properties({**root, "type": "object"})
        if kinds is None and not root.keys() & {*_UNION, "enum", "const", "items", "prefixItems"}:
            self._edit("type", f"object: {why}", "none")
            return self._with_properties({"type": "object", **root})
        self._edit("type", why, "meaning")
        return root

    def _with_properties(self, root: JsonSchema) -> JsonSchema:
        """Add `properties: {}` to an object without properties, where the API requires the key."""
        if "properties" in root or not (why := self._why("parameters.properties", None)):
            return root
        self._edit("properties", f"none: {why}", "none")
        return {**root, "properties": {}}

    def _why_root(self, root: JsonSchema) -> str:
        kind = root.get("type")
        return self._why("root", kind if isinstance(kind, str) else "none")

    def _without_at_root(self, root: JsonSchema, word: str, why: str) -> JsonSchema:
        """Merge alternatives at the root into one object; describe other words that may not stand there."""
        rest = {key: value for key, value in root.items() if key != word}
        if word == "allOf":
            return self._join_members(root, why, "")
        members = [self._resolved(member) for member in root[word]] if is_list(root[word]) else []
        if word in _UNION and members and all(map(is_object_schema, members)):
            self._edit(word, f"the alternatives are merged into one object: {why}")
            return intersect({"type": "object", **merged_objects(members)}, rest)[0]
        if word in _UNION:
            return root
        self._edit(word, f"moved into the description: {why}")
        return describe_rest(rest, {word: root[word]})

    # ---- one schema inside

    def _piece(self, schema: Any, path: str, depth: int) -> Any:
        """Adapt a schema and all schemas inside it."""
        is_any = schema is True and not path.endswith("additionalProperties")
        if is_any and (why := self._why("untyped", 1)):
            self._edit(path, why, "meaning")
        if not is_mapping(schema) or depth > _DEEPEST:
            return schema
        level = len(self._inside)
        adapted = self._adapt_object(dict(schema), path)
        if adapted is None:
            return CUT
        # definitions are adapted after the whole
        for word in [word for word in adapted if word in HOLDING and word not in DEFINITIONS]:
            adapted[word] = self._inner(adapted[word], word, f"{path}.{word}".lstrip("."), depth + 1)
        del self._inside[level:]
        return without_cuts(adapted)

    def _inner(self, value: Any, word: str, path: str, depth: int) -> Any:
        if word in NAMED and is_mapping(value):
            return {name: self._piece(inner, f"{path}.{name}", depth) for name, inner in value.items()}
        if is_list(value):
            return [self._piece(inner, f"{path}[{number}]", depth) for number, inner in enumerate(value)]
        return self._piece(value, path, depth)

    def _adapt_object(self, whole: JsonSchema, path: str) -> JsonSchema | None:
        """Adapt the keywords of one schema; None if it refers to itself too often."""
        if is_outdated(whole) and (why := self._why("outdated", 1)):
            self._edit(path, f"written as draft 2020-12 has it: {why}", "none")
            whole = update_draft(whole)
        if "allOf" in whole and (why := self._why("keywords", "allOf")):
            whole = self._join_members(whole, why, path)
        schema = self._referred(whole, path)
        if schema is None:
            return None
        if "oneOf" in schema and (why := self._why("keywords", "oneOf")):
            schema = self._as_any(schema, why, path)
        if "const" in schema and (why := self._why("keywords", "const")):
            self._edit(_at(path, "const"), f"an enum of one value: {why}", "none")
            schema = {
                "enum" if word == "const" else word: [value] if word == "const" else value
                for word, value in schema.items()
            }
        schema = self._described_limits(self._listed(self._typed(schema, path), path), path)
        return self._required(self._closed(schema, path), path)

    # ---- references

    def _referred(self, schema: JsonSchema, path: str) -> JsonSchema | None:
        """Write definitions in place of references that the API refuses; None where that would have no end."""
        while isinstance(reference := schema.get("$ref"), str):
            why = self._why_not_referred(reference)
            beside = [word for word in schema if word != "$ref"]
            beside_why = self._why_not_beside(schema, beside) if beside else ""
            if not (why or beside_why):
                break
            where = _at(path, "$ref")
            if not why and reference in self._inside:
                self._edit(where, f"the reference stands in an anyOf of its own: {beside_why}", "none")
                return {"anyOf": [{"$ref": reference}], **{word: schema[word] for word in beside}}
            if self._inside.count(reference) >= _MOST_LEVELS:
                self._edit(where, f"cut after {_MOST_LEVELS} levels: {why}", "depth")
                return None
            if not is_mapping(referenced(self._whole, reference)):
                self._edit(where, f"{reference} leads to nothing: {why or beside_why}", "meaning")
                return {word: schema[word] for word in beside}
            self._edit(where, f"the definition is written here: {why or beside_why}", "none")
            schema = self._inlined(schema, reference)
        return schema

    def _why_not_beside(self, schema: JsonSchema, beside: list[str]) -> str:
        """Return why the API refuses words beside a reference, or an empty text."""
        why = self._why("beside_ref", beside[0])
        return why or (self._why("clashing_refs", 1) if is_clashing(schema, self._whole) else "")

    def _why_not_referred(self, reference: str) -> str:
        why = self._why("keywords", "$ref") or self._why("refs", reference)
        if why:
            return why
        if self._cyclic is None:
            self._cyclic = cyclic_references(self._whole)
        return self._why("recursive", True) if reference in self._cyclic else ""  # a value of the word

    def _inlined(self, schema: JsonSchema, reference: str) -> JsonSchema:
        """Return a schema with what its reference leads to; words beside the reference take precedence."""
        self._has_inlined = True
        self._inside.append(reference)
        target: Any = referenced(self._whole, reference)
        rest = {word: value for word, value in schema.items() if word != "$ref"}
        outside = {word: value for word, value in target.items() if word not in DEFINITIONS}
        return intersect(outside, rest)[0]

    def _resolved(self, schema: Any) -> Any:
        """Return what a reference leads to, however often; nothing is noted."""
        for _ in range(_DEEPEST):
            if not (is_mapping(schema) and isinstance(schema.get("$ref"), str)):
                break
            target = referenced(self._whole, schema["$ref"])
            rest = {word: value for word, value in schema.items() if word != "$ref"}
            self._has_inlined = True
            schema = intersect(dict(target), rest)[0] if is_mapping(target) else None
        return schema

    # ---- unions

    def _join_members(self, schema: JsonSchema, why: str, path: str) -> JsonSchema:
        """Join the members of allOf with the words beside it; one that is a lone reference stays one."""
        members = schema["allOf"] if is_list(schema["allOf"]) else []
        rest = {word: value for word, value in schema.items() if word != "allOf"}
        joined: JsonSchema = {}
        clean = True
        if (
            len(members) == 1
            and is_mapping(members[0])
            and not (members[0].keys() & rest.keys() - ANNOTATIONS)
        ):
            joined = {**members[0], **rest}
        else:
            for member in (*map(self._resolved, members), rest):
                if is_mapping(member):
                    joined, fits = intersect(joined, dict(member))
                    clean = clean and fits
        self._edit(_at(path, "allOf"), f"joined into one schema: {why}", "none" if clean else "limit")
        return joined

    def _as_any(self, schema: JsonSchema, why: str, path: str) -> JsonSchema:
        """Turn oneOf into anyOf, which loses nothing if no value fits two of the alternatives."""
        members = list(map(self._resolved_quietly, schema["oneOf"])) if is_list(schema["oneOf"]) else []
        where = _at(path, "oneOf")
        if "anyOf" in schema:
            return schema
        self._edit(where, f"anyOf in its place: {why}", "none" if are_apart(members) else "limit")
        return {("anyOf" if word == "oneOf" else word): value for word, value in schema.items()}

    def _resolved_quietly(self, schema: Any) -> Any:
        before = self._has_inlined
        resolved = self._resolved(schema)
        self._has_inlined = before
        return resolved

    # ---- objects and lists

    def _closed(self, schema: JsonSchema, path: str) -> JsonSchema:
        """Allow the declared properties alone, where the API asks for that."""
        more = schema.get("additionalProperties", None)
        is_open = _has_type(schema, "object") or is_mapping(schema.get("properties"))
        if not is_open or more is False or not (why := self._why("open", 1)):
            return schema
        declares = bool(schema.get("properties")) or path == ""
        loss = "limit" if declares and not (is_mapping(more) and more) else "meaning"
        self._edit(_at(path, "additionalProperties"), f"false: {why}", loss)
        return {**schema, "additionalProperties": False}

    def _required(self, schema: JsonSchema, path: str) -> JsonSchema:
        """Require all properties, where the API asks for that, or for one at least."""
        if "required" in schema and (change := without_undefined(schema, self._why)):
            schema, how, loss = change
            self._edit(_at(path, "required"), how, loss)
        named, required = schema.get("properties"), schema.get("required")
        if not is_mapping(named):
            return schema
        known = required if is_list(required) else []
        missing = [name for name in named if name not in known]
        why = self._why("unrequired", len(missing)) if missing else ""
        if missing and not known:
            why = why or self._why("lax_objects", 1)
        if not why:
            return schema
        self._edit(_at(path, "required"), f"{', '.join(missing)} too: {why}")
        return {**schema, "required": list(named)}

    def _listed(self, schema: JsonSchema, path: str) -> JsonSchema:
        """Add a type of items to a list, where the API requires one."""
        if not is_loose(schema) or not (why := self._why("loose_lists", 1)):
            return schema
        change = without_order if self._why("untyped", 1) else with_any_items
        adapted, how, loss = change(schema)
        self._edit(_at(path, "items"), f"{how}{why}", loss)
        return adapted

    def _typed(self, schema: JsonSchema, path: str) -> JsonSchema:
        """Add the type of constants, where the API asks for a type everywhere."""
        if TYPING & schema.keys() or not (why := self._why("untyped", 1)):
            return schema
        kinds = list(dict.fromkeys(map(type_of_constant, constants_of(schema) or ())))
        if not kinds or None in kinds:
            self._edit(path, why, "meaning")
            return schema
        self._edit(_at(path, "type"), f"the type of the constants: {why}", "none")
        return {"type": kinds[0] if len(kinds) == 1 else kinds, **schema}

    # ---- words

    def _described_limits(self, schema: JsonSchema, path: str) -> JsonSchema:
        """Move the words that the API refuses into the description, as the helpers of the vendors do."""
        reasons = {
            word: why for word, value in schema.items() if (why := self._why_word(word, value, schema))
        }
        if not reasons:
            return schema
        for word, why in reasons.items():
            is_silent = word in _SILENT
            loss = "none" if is_silent or word in ANNOTATIONS else "limit"
            loss = "meaning" if word in _MEANING else loss
            done = "left out" if is_silent else "moved into the description"
            self._edit(_at(path, word), f"{done}: {why}", loss)
        rest = {word: value for word, value in schema.items() if word not in reasons}
        return describe_rest(rest, {word: schema[word] for word in reasons if word not in _SILENT})

    def _why_word(self, word: str, value: Any, schema: JsonSchema) -> str:
        if (why := self._why("keywords", word)) or isinstance(value, bool):
            return why
        if word == "enum" and is_typed_enum(schema):
            return self._why("typed_enums", 1)
        if word == "minItems" and isinstance(value, int) and _has_type(schema, "array"):
            return self._why("min_items", value)
        asked = {"format": "formats", "pattern": "patterns"}.get(word)
        return self._why(asked, value) if asked and isinstance(value, str) else ""


def _at(path: str, word: str) -> str:
    return f"{path}.{word}" if path else word


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _has_type(schema: Mapping[str, Any], kind: str) -> bool:
    kinds = schema.get("type")
    return kinds == kind or (is_list(kinds) and kind in kinds)
