"""Parse text into values with positions. The compiler reads specs with it, the runtime request files.

It depends on no other package of the project, so that either side can load it without the other.
"""
