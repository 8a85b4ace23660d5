"""Files of dashboards: each chart is a table that a SQL text defines."""
