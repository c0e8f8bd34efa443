"""Trying what was generated: build one request, read one body, and replay many recorded bodies.

The compiler itself never imports generated code; only this package does, and only when it is asked to.
"""
