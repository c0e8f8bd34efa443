"""The front end: provider specs as YAML text into checked, located Python objects."""
