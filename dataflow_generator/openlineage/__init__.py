"""OpenLineage: events in, events out, the names of datasets, and what of two sources is one dataset."""
