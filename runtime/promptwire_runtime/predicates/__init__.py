"""Conditions on values of a request, of which generated modules of rules consist."""
