"""JSON Schema for Python functions, classes and annotations, and conversion of JSON to their types."""
