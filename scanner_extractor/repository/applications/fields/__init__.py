"""Which fields of messages programs read and write, from their source code."""
