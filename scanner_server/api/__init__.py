"""The JSON API: its operations by subject, their table, its OpenAPI document, and how requests are answered."""
