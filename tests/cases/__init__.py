"""Broken inputs, one folder a case, with the exact text that they are answered with."""
