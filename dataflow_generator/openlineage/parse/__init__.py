"""Parse OpenLineage events and facets, and serialize parsed events."""
