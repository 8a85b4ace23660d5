"""Kafka Streams: topologies that applications print."""
