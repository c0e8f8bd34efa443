"""Rules: what an API refuses, adds, moves or renames, and for which models."""
