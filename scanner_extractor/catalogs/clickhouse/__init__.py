"""ClickHouse: its system tables over HTTP, its engines and types."""
