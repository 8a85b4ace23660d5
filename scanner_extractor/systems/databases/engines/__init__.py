"""Engines that ingest from Kafka and are asked in SQL over another product's protocol: their own system tables."""
