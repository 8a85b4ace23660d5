"""AWS Glue: schema registry and Data Catalog."""
