"""OpenLineage: parse, receive and emit events, monitor runs, and resolve the identity of datasets and jobs."""
