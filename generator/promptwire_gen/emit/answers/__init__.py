"""The module of an API's answers."""
