"""`python -m promptwire_gen` is the command `gen`."""

from .cli import main

main()
