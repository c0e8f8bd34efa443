"""The neutral model: requests, messages, parts, tools and options, and what reading leaves on them."""
