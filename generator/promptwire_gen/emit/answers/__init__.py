"""The module of what an API answers."""
