"""Sources other than schema registries: the brokers themselves and ksqlDB."""
