"""Tools beside the compiler, which does not know them: `gen` has a command for each.

`replay` judges examples and recorded requests, `sdk_types` compares specs with the types of SDKs, `scaffold` starts
specs, `vendoring` and `private_package` write packages of some wires, and `codemods` rewrites projects.
"""
