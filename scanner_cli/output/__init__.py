"""What commands print: tables, JSON and reports."""
