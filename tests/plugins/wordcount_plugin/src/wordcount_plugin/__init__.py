"""Words and lines: `target` is the plugin; `lines` is what generated code calls, without the compiler."""
