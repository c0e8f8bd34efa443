"""What stands in the place of credentials while URL and headers are made for people to see."""

from __future__ import annotations

from ..nodes.records import replace
from ..reporting.settings import Settings
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .wire import Sent


def with_stand_ins(settings: Settings | None) -> tuple[Settings | None, dict[str, str]]:
    """Put a word that any place of a URL or header takes for each credential; give the variables they stand for."""
    variables = {} if settings is None else settings.variables()
    words = {name: f"promptwire{index}credential" for index, name in enumerate(variables)}
    return (
        None if settings is None else settings.with_values(words),
        {words[name]: variable for name, variable in variables.items()},
    )


def without_stand_ins(sent: Sent, variables: Mapping[str, str]) -> Sent:
    """Put the name of a variable, between two NUL, for each of those words."""

    def named(text: str) -> str:
        for word, variable in variables.items():
            text = text.replace(word, f"\0{variable}\0")
        return text

    headers = {name: named(text) for name, text in sent.headers.items()}
    return replace(sent, url=named(sent.url), headers=headers)
