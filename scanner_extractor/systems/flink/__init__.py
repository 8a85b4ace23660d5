"""Flink: Confluent Cloud, CMF, job managers, SQL files."""
