"""The read side: what templates lay out as functions from JSON to the neutral model."""
