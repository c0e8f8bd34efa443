"""Read API responses into the neutral model, and write them in the format of any API."""
