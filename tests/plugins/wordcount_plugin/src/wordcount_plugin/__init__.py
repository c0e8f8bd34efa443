"""Words and lines: `target` is the plugin; `lines` and `steps` are what generated code calls, without the compiler."""
