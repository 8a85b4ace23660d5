"""Monitor."""
