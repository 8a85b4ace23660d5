"""Rules about schemas, contracts and columns."""
