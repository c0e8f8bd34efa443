"""Use generated modules: build one request, read one body, replay many recorded bodies.

The compiler never imports generated code; only this package does, when it is used.
"""
