"""Expected results of requests by a spec alone: bodies, errors and losses, computed without a builder."""
