"""The commands of `gen` that run the tools beside the compiler."""
