"""Build the flow graph from the dictionary: inputs, jobs, schema nodes, and storing the result."""
