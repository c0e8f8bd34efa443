"""Run generated modules for authors of specs: judge the examples of wires, compare builds of two versions.

The compiler never imports generated code; only this package does, in processes of its own.
"""
