"""The server: a JSON API, the page, MCP, OpenLineage intake and metrics over `scanner_api`; extra `server`."""
