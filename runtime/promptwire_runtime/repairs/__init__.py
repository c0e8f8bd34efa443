"""Repairs: change a request that an API rejects until it is accepted. Loaded when a policy asks for them."""
