"""The stored graph and dictionary as an open handle: impact, people and tags in it."""
