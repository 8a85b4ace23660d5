"""Kafka Connect."""
