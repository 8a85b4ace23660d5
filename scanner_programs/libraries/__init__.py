"""What calls, classes and annotations of libraries mean: rows, as data."""
