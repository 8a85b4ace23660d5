"""dbt projects: the manifest as a file, its models, sources and exposures as facts."""
