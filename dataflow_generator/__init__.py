"""From the dictionary's rows to the flow graph and its outputs."""
