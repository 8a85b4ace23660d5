"""The flow graph that is stored in the dictionary."""
