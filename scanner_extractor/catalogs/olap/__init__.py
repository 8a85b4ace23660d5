"""Engines for analytics that ingest topics by themselves: Druid, Pinot."""
