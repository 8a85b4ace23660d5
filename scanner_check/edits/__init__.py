"""What differs between two texts of a file, typed and with lines, without any verdict."""
