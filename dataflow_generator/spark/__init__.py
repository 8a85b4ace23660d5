"""The same generation as Spark DataFrames, for dictionaries too large for one process. The only room that knows pyspark."""
