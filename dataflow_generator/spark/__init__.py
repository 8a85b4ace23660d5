"""Graph generation on Spark, for large dictionaries; pyspark is imported only in this package."""
