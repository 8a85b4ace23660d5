"""Databases: tables, views and columns, read from their catalogs through SQLAlchemy; never a row of a table."""
