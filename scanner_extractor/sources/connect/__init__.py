"""Kafka Connect's REST API, of workers and of Confluent Cloud."""
