"""What must hold for every request and every body on every wire."""
