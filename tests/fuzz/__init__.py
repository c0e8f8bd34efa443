"""Inputs that nobody would write, by the million: `make fuzz`."""
