"""Analysis of a flow graph: cycles, connected components, findings."""
