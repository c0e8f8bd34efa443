"""What the generated classes of nodes stand on: their base, and what their constructors call."""
