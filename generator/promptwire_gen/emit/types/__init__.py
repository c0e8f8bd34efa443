"""The types of a wire's JSON, from the same shapes that write and read it."""
