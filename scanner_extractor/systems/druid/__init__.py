"""Apache Druid and Apache Pinot."""
