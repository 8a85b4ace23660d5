"""Databricks Unity Catalog."""
