"""StarRocks and Apache Doris: a plug-in of databases, which registers itself in `pyproject.toml`."""
