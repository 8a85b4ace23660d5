"""Files of dashboards: what each chart shows of which tables, as a table that a SQL text defines."""
