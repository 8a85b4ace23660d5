"""The front door: commands that parse, ask and show. Nobody imports it."""
