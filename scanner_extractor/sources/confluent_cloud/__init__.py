"""Confluent cloud."""
