"""`scanner explain`: how one schema, subject, SQL file or connector is parsed."""
