"""What a spec claims its wire does, as requests and the bodies that must come of them: worked out without a builder."""
