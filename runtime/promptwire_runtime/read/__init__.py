"""Reading: a body or a URL as a neutral Request, and form memory of what was read."""
