"""Linting: all problems of a request or a body at once, and what a model takes. Loaded when somebody asks."""
