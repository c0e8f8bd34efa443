"""Laws: properties of every request and every body on every wire."""
