"""The settings of one build. They are shown and pickled without credentials."""

from __future__ import annotations

from ..typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(dict[str, Any]):
    """The settings that a caller passed, by name. `repr` and pickles have `$NAME` in place of each credential.

    Attributes:
        secrets: The settings that authenticate -> the environment variable that is shown for them.
    """

    __slots__ = ("secrets",)

    secrets: Mapping[str, str]

    def __repr__(self) -> str:
        """Return the `repr` without credentials."""
        return repr(self.shown())

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit credentials, because pickles are stored in files and queues."""
        return settings_of, (self.shown(), dict(self.secrets))

    def __deepcopy__(self, memo: dict[int, Any]) -> Settings:
        """Copy everything, because a copy stays in the same process."""
        return self.with_values({})

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """Return a copy with some settings changed."""
        return settings_of({**self, **values}, self.secrets)

    def shown(self) -> dict[str, Any]:
        """Return the settings with `$NAME` in place of each credential."""
        from .redaction import mark_query, mark_url, show_marks, without_password

        plain: dict[str, Any] = dict(self)
        for name, value in self.items():
            if isinstance(value, str):
                plain[name] = show_marks(
                    mark_query(value) if name == "query" else mark_url(without_password(value))
                )
        return plain | {name: f"${variable}" for name, variable in self.variables().items()}

    def with_placeholders(self) -> tuple[Settings, dict[str, str]]:
        """Return the settings with a placeholder word for each credential, and placeholder -> variable.

        A placeholder fits any position of a URL or header. `redaction.mark_placeholders` finds it there.
        """
        variables = self.variables()
        words = {name: f"promptwire{index}credential" for index, name in enumerate(variables)}
        return self.with_values(words), {words[name]: variable for name, variable in variables.items()}

    def variables(self) -> dict[str, str]:
        """Return name -> environment variable of each credential among the settings."""
        from .redaction import is_credential, variable_name

        return {
            name: self.secrets.get(name) or variable_name(name)
            for name in self
            if name in self.secrets or is_credential(name)
        }


def settings_of(values: Mapping[str, Any], secrets: Mapping[str, str]) -> Settings:
    """Return the settings of a build. `secrets` are those of its wire."""
    settings = Settings(values)
    settings.secrets = secrets
    return settings
