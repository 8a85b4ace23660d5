"""Confluent."""
