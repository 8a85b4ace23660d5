"""Search by name: ranked hits, columns by name and tag, the nearest names; over the index of names."""
