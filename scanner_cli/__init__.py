"""The command line: commands that parse, ask and show. Nobody imports it."""
