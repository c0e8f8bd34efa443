"""Compare the types that vendors' SDKs declare for a request body with the shapes of a spec."""
