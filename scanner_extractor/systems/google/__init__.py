"""Google BigQuery and Data Lineage."""
