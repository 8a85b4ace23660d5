"""Metrics of Kafka clients in Prometheus, and in what speaks its HTTP API."""
