"""Code with one mistake each, and whether a test sees it: `make mutants`."""
