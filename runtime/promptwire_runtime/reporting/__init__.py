"""Reporting: notes, policies, and errors for values that a build cannot carry."""
