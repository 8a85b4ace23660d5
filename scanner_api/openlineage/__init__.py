"""OpenLineage: the events of a graph, and the transports that deliver them."""
