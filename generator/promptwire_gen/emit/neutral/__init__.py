"""The neutral model as code and as a page: the runtime's classes of nodes, and their reference."""
