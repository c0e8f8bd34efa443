"""What must come of requests by a spec alone: bodies, errors and losses, worked out without a builder."""
