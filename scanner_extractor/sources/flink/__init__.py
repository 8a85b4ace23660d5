"""Flink: JobManager, SQL Gateway, SQL files, Confluent."""
