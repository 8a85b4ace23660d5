"""Kafka brokers through the Admin API."""
