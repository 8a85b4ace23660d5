"""Programs over data frames, such as jobs of Spark: what each column that they write is derived from."""
