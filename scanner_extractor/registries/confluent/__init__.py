"""Confluent Schema Registry, and registries with its API."""
