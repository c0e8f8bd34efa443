"""JSON of wires: its kinds, what can be written, and values taken out of it."""
