"""Iceberg REST catalogs: requests, and tables and views as facts."""
