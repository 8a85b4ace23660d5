"""Schema registries: Confluent, Karapace, Apicurio."""
