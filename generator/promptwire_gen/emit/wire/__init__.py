"""The facts of a wire: where requests go and with what, which rules hold, and what it can do."""
