"""Reading: a body or a URL as a neutral Request, with form memory."""
