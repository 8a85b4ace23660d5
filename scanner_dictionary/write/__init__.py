"""Writing scans and events, one transaction each."""
