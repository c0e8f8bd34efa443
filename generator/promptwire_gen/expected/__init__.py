"""The values of requests that a wire loses, computed from the spec alone, without a builder."""
