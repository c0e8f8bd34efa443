"""Requests answered by a real server."""
