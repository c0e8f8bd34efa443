"""Model to Python: what writes."""
