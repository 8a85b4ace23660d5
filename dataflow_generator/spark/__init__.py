"""The same generation as Spark DataFrames, for large dictionaries; the only room that knows pyspark."""
