from pyspark.sql import functions as F

OLD = ["f0", "f1", "f2"]
NEW = ["station", "value", "unit"]
csv = spark.readStream.format("kafka").option("subscribe", "csv.lines").load().select(F.from_csv(F.col("value").cast("string"), ", ".join(f"{c} STRING" for c in OLD)).alias("c"))
csv.select([F.col("c")[o].alias(n) for o, n in zip(OLD, NEW)]).withColumn("value", F.col("value").cast("double")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("csv.values")
