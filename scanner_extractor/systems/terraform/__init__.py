"""Terraform: the topics, connectors, schemas, statements and rights that a configuration declares."""
