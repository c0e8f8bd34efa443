"""The back end: the contexts of templates, which print the model as Python text."""
