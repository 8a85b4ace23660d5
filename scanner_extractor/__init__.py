"""From REST or the Kafka protocol to facts: clients ask, readers read, the runner orders; nothing is stored here."""
