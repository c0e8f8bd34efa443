"""The model: everything that a wire writes and reads, decided once; it contains no YAML and no Python code."""
