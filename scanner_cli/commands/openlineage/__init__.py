"""Openlineage."""
