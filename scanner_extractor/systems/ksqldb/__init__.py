"""ksqlDB."""
