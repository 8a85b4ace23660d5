"""Emit OpenLineage events: from the flow graph, through the transports of openlineage-python."""
