"""The HTTP client of all sources."""
