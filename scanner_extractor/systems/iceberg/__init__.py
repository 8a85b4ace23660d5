"""Iceberg REST catalogs."""
