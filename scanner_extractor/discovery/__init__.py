"""Finding sources: `scanner init`, and what Confluent Cloud lists."""
