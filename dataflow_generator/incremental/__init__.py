"""A stored graph brought up to date: what did not change since is not made again, and the result is the same."""
