"""Settings are checked at every build, also those that were fine before."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Options, Request, user
from promptwire.errors import SettingError

REQUEST = Request("m", [user("hi")], options=Options(max_tokens=8))
CHOICES = [
    (wire, name, setting.choices)
    for wire in promptwire.WIRES
    for name, setting in getattr(promptwire, wire).WIRE.settings.items()
    if setting.choices
]


@pytest.mark.parametrize(
    ("wire", "name", "choices"), CHOICES, ids=[f"{wire}-{name}" for wire, name, _ in CHOICES]
)
def test_a_word_that_is_no_choice_is_refused_after_one_that_is(
    wire: str, name: str, choices: tuple[str, ...]
) -> None:
    build = getattr(promptwire, wire).build
    for _ in range(2):
        build(REQUEST, settings={name: choices[0]})
        with pytest.raises(SettingError, match=f'{name} must be one of .*, not "nonsense"'):
            build(REQUEST, settings={name: "nonsense"})


@pytest.mark.parametrize("value", ["", "a\nb", 5, ["a"], b"a"])
def test_a_key_that_is_no_text_is_refused_after_one_that_is(value: Any) -> None:
    for _ in range(2):
        promptwire.openai_chat.build(REQUEST, settings={"api_key": "sk-1"})
        with pytest.raises(SettingError, match="api_key"):
            promptwire.openai_chat.build(REQUEST, settings={"api_key": value})


def test_what_is_given_as_none_is_not_given() -> None:
    built = promptwire.openai_chat.build(REQUEST, settings={"api_key": None, "base_url": None})
    assert built.settings == {}
    assert built.url == promptwire.openai_chat.build(REQUEST).url
