"""Answers of APIs: read into the neutral model, and written as any API's own."""
