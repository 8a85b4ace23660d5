"""The rules of the check: their rows, and the functions that find what they report."""
