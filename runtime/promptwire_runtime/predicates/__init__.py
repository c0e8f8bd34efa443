"""Which values a rule means: what the generated modules of rules are made of."""
