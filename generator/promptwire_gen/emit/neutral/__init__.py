"""Emit the neutral model: the runtime's node classes and their reference page."""
