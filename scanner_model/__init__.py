"""What a scan can know: frozen facts, types of names, errors. Standard library only."""
