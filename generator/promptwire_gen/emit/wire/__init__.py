"""The facts of a wire: its transport, its rules and its capabilities."""
