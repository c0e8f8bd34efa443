"""What the compiler reads specs with, and the runtime requests: text into values that know where they stand.

It depends on nothing else of ours, so that either side loads it without the other.
"""
