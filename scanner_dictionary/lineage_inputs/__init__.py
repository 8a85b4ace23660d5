"""Lineage inputs."""
