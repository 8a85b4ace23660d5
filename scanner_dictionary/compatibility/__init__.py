"""Which readers a changed schema breaks, by the rules of its format; docs/history.md lists what cannot be detected."""
