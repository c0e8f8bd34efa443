"""Where builders let the rules look at what one of them may refuse."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .sending import Sending

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from ..model.tools import ToolAddition
    from ..rules.message_values import Marks
    from .standing import Standing


class Watching(Sending):
    """What the functions call that write what a rule may refuse."""

    __slots__ = ()

    # made when they are first needed: most builds need none of them
    _standing: Standing | None = None
    _judged: dict[int, object] | None = None
    _kinds_checked: bool = False
    _tools_checked: bool = False
    _schemas_checked: bool = False
    _marks: Marks | None = None

    def watch(self, node: object) -> None:
        """Let the rules look at a message, part or mark that one of them may refuse: once, wherever it stands."""
        if self.policies.refusals == "ignore":
            return
        if self._judged is None:
            self._judged = {}
        if id(node) not in self._judged:
            self._judged[id(node)] = node
            self.wire.decide(self.request.model, self.settings).check_watched(node, self)

    def watch_end(self, message: Message | None) -> None:
        """Let the rules look at the last part of a message, which the one behind it makes worth a look."""
        if message is not None and message.parts:
            self.watch(message.parts[-1])

    def is_preceded(self, part: object, message: Message, kinds: tuple[str, ...]) -> bool:
        """Tell whether a part of one of these kinds stands right before a part, for rules that are asked at all."""
        if len(message.parts) == 1 or self.policies.refusals == "ignore":
            return False
        return not self._beside(message).before(part).isdisjoint(kinds)

    def is_followed(self, part: object, message: Message, kinds: tuple[str, ...]) -> bool:
        """Tell whether a part of one of these kinds stands right behind a part, for rules that are asked at all."""
        if len(message.parts) == 1 or self.policies.refusals == "ignore":
            return False
        return not self._beside(message).behind(part).isdisjoint(kinds)

    def _beside(self, message: Message) -> Standing:
        """Look at a message once for all its parts."""
        if self._standing is None or self._standing.message is not message:
            from .standing import Standing

            self._standing = Standing(message)
        return self._standing

    def is_judged(self, *paths: str) -> bool:
        """Tell whether a rule that holds for this model looks at what stands at one of these paths."""
        if self.policies.refusals == "ignore":
            return False
        return self.wire.decide(self.request.model, self.settings).is_about(paths)

    def mark(self, node: Any) -> Any:
        """Give the cache mark of a node, which is sent, and let the rules look at it."""
        if self.policies.refusals != "ignore":
            if self._marks is None:
                from ..rules.message_values import Marks

                self._marks = Marks()
            self.wire.decide(self.request.model, self.settings).check_mark(node, self._marks, self)
        return node.cache

    def watch_option(self, path: str) -> None:
        """Let the rules look at an option that is beyond the limits of one of them."""
        if self.policies.refusals != "ignore":
            self.wire.decide(self.request.model, self.settings).check_option(path, self)

    def watch_kinds(self) -> None:
        """Let the rules look at the kinds of tools and their number, once."""
        if not self._kinds_checked and self.policies.refusals != "ignore":
            self._kinds_checked = True
            self.wire.decide(self.request.model, self.settings).check_kinds(self)

    def watch_tools(self) -> None:
        """Let the rules look at the tools, once, when one of them is what a rule may refuse."""
        if not self._tools_checked and self.policies.refusals != "ignore":
            self._tools_checked = True
            self.wire.decide(self.request.model, self.settings).check_tools(self)
            self.watch_schemas()

    def watch_schemas(self) -> None:
        """Let the rules look at the schemas that are followed to the letter, once."""
        if not self._schemas_checked and self.policies.refusals != "ignore":
            self._schemas_checked = True
            self.wire.decide(self.request.model, self.settings).check_schemas(self)

    def watch_added(self, part: ToolAddition) -> None:
        """Let the rules look at the tools that a message brings along."""
        if self.policies.refusals != "ignore":
            self.wire.decide(self.request.model, self.settings).check_added(part.tools, self)
