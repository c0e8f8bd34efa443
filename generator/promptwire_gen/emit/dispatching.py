"""Functions that find the shape of one element: by the word that tells most shapes apart, then one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from ..model.dispatch import reading_order
from ..model.telling import fixed_words, switched, telling_key
from ..model.wire import Alternative
from ..spec.shapes import Constant, Object
from .function import Function
from .imports import Imports
from .places import Place
from .python import Expression, Statement, call, code, literal, name
from .python.conditions import all_of, any_of, conditional, is_one_of
from .reading_nodes import NodeReader, read_node
from .unions import constants_read

# what a function that finds nothing gives without making anything
_NOTHING = {"None": literal(None), "False": literal(False)}
# how the readers of some shapes, tried in turn, become one expression
Attempt = Callable[[Sequence[Alternative]], Expression]


class Dispatcher:
    """Emits the readers of one wire's shapes, and the functions that choose among them."""

    def __init__(
        self, alternatives: Iterable[Alternative], places: Mapping[str, Place], imports: Imports
    ) -> None:
        """`alternatives` are all that are read, `places` maps the label of each to its place."""
        self.imports = imports
        self._readers: dict[str, NodeReader] = {}
        groups: dict[tuple[str, str], list[Alternative]] = {}
        rows = [row for row in alternatives if not row.write_only]
        for row in rows:
            groups.setdefault(_group(row), []).append(row)
        self._order = {row.label: place for place, row in enumerate(rows)}
        self._keys = {group: telling_key(members) for group, members in groups.items()}
        for row in rows:
            key = self._keys[_group(row)]
            told = key if key is not None and fixed_words(row, key) else None
            self._readers[row.label] = read_node(row, places[row.label], constants_read(row), told)

    def readers(self) -> list[Function]:
        """The functions that read one shape each."""
        return [reader.function for reader in self._readers.values()]

    def element(
        self, function: str, rows: Sequence[Alternative], returns: str, fallback: str, doc: str
    ) -> Function:
        """The function that finds the shape of one element and reads it."""
        header = f"def {function}(found: Any, reader: Reader) -> {returns}:"
        return Function(header, doc, self.choice(rows, self.first_of, returns, fallback))

    def first_of(self, rows: Sequence[Alternative]) -> Expression:
        """`read_a(found, reader) or read_b(found, reader)`: what the first of these readers gives."""
        calls: list[Expression] = []
        for row in rows:
            calls.append(call(f"read_{row.label}", name("found"), name("reader")))
            if self._readers[row.label].sure:
                break
        found = any_of(calls)
        assert found is not None  # nobody asks for the first of none
        return found

    def choice(
        self, alternatives: Sequence[Alternative], attempt: Attempt, returns: str, fallback: str
    ) -> list[Statement]:
        """The statements that give what `attempt` makes of the shape that is found, or the fallback."""
        runs = [(sort, list(run)) for sort, run in groupby(reading_order(alternatives), _sort)]
        body = [line for sort, run in runs if sort is str for line in self._words(run, attempt)]
        others = [(sort, run) for sort, run in runs if sort is not str]
        if not others:
            return [*body, f"return {fallback}"]
        if len(others) == 1 and (fallback in _NOTHING or others[0][0] is not Object):
            return [*body, *self._only(*others[0], attempt, fallback)]
        declared = f"node: {returns.removesuffix(' | None')} | None"
        for index, (sort, run) in enumerate(others):
            if sort is Object:
                found = self._objects(run, attempt, "node = ", literal(None))
                body += [("if not node:", found)] if index else _declared(declared, found)
            else:
                body.append(f"{'node = node or' if index else f'{declared} ='} {code(attempt(run))}")
        return [*body, "return node" if fallback == "None" else f"return node or {fallback}"]

    def _only(
        self, sort: type[object], rows: Sequence[Alternative], attempt: Attempt, fallback: str
    ) -> list[Statement]:
        """The last that is tried: what it gives is the answer."""
        if sort is Object:
            return self._objects(rows, attempt, "return ", _NOTHING[fallback])
        sure = fallback == "None" or any(self._readers[row.label].sure for row in rows)
        return [f"return {code(attempt(rows))}{'' if sure else f' or {fallback}'}"]

    def _words(self, rows: Sequence[Alternative], attempt: Attempt) -> list[Statement]:
        """`match as_str(found):` with a case for each word."""
        self.imports.use("promptwire_runtime.wire_json.values", "as_str")
        cases: list[Statement] = []
        for row in rows:
            assert isinstance(row.shape, Constant)
            cases.append((f"case {code(literal(row.shape.value))}:", [f"return {code(attempt([row]))}"]))
        return [("match as_str(found):", [*cases, ("case _:", ["pass"])])]

    def _objects(
        self, rows: Sequence[Alternative], attempt: Attempt, gives: str, nothing: Expression
    ) -> list[Statement]:
        """The statements that tell objects apart by one key; `gives` begins what hands a node on."""
        self.imports.use("promptwire_runtime.wire_json.kinds", "is_object")
        switch = switched(sorted(rows, key=lambda row: self._order[row.label]), self._keys[_group(rows[0])])
        last = gives + code(nothing)
        if switch.others:
            test = call("is_object", name("found"))
            last = gives + code(_where(test, attempt(switch.others), nothing))
        if not switch.cases:
            return [last]
        self.imports.use("promptwire_runtime.wire_json.values", "text_at")
        told = call("text_at", name("found"), literal(switch.key))
        if len(switch.cases) == 1 and not switch.others:
            (case,) = switch.cases
            test = is_one_of(told, [literal(word) for word in case.words])
            return [gives + code(_where(test, attempt(case.rows), nothing))]
        cases: list[Statement] = []
        for case in switch.cases:
            words = " | ".join([code(literal(word)) for word in case.words])
            cases.append((f"case {words}:", [f"{gives}{code(attempt(case.rows))}"]))
        return [(f"match {code(told)}:", [*cases, ("case _:", [last])])]


def _where(test: Expression, value: Expression, nothing: Expression) -> Expression:
    """`value if test else None`, or `test and value` where nothing is False."""
    both = all_of([test, value])
    return both if both and nothing == literal(False) else conditional(test, value, nothing)


def _declared(declaration: str, statements: list[Statement]) -> list[Statement]:
    """Declare the variable that these statements set."""
    match statements:
        case [str() as only]:
            return [declaration + only.removeprefix("node")]
        case _:
            return [declaration, *statements]


def _group(alternative: Alternative) -> tuple[str, str]:
    """The shapes that stand in lists of one kind."""
    return alternative.union, alternative.slot


def _sort(alternative: Alternative) -> type[object]:
    """Whether a shape is a word, an object, or any other value."""
    shape = alternative.shape
    if isinstance(shape, Constant) and isinstance(shape.value, str):
        return str
    return Object if isinstance(shape, Object) else object
