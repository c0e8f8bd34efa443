"""The base of the generated node classes, and the functions their constructors call."""
