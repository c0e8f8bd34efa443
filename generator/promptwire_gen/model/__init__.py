"""The model: what every wire writes and reads, decided once, with no YAML and no Python text in it."""
