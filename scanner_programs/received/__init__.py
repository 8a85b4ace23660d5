"""What a program receives: where records come from, which of their fields reach a value, and which code uses."""
