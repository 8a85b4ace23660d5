"""Sources besides the schema registries: the brokers themselves and ksqlDB."""
