"""Reporting: notes, policies, and the errors that policies make of what a build cannot carry."""
