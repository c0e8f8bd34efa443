"""Recorded requests, read and built again, on their own wires and on others."""
