"""Use generated modules: build one request, read one body, replay many recorded bodies."""
