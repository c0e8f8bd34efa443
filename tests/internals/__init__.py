"""The door of the tests to internals: what no public module has, and why tests need it.

A merge or a renaming of modules touches these pages, and no test. A contract of import-linter keeps the door.
"""
