"""Apache Pinot."""
