"""Apache Druid."""
