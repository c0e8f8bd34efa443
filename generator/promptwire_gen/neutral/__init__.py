"""The neutral model's one source: what every node and field is, and how it is read and checked."""
