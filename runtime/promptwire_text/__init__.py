"""What the compiler and the runtime share: text parsed into values with positions, and the operators of conditions.

It depends on no other package of the project, so that either side can load it without the other.
"""
