"""Amazon DataZone."""
