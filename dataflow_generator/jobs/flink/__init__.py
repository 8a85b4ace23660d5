"""Flink SQL statements as jobs: DDL, resolution of tables to datasets, statements, and matching of reported jobs."""
