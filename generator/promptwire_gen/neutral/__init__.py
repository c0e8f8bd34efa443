"""The source of the neutral model: YAML files of nodes and fields, and the code that reads and checks them."""
