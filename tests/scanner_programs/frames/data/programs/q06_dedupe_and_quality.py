from pyspark.sql import functions as F

RULES = {"id_present": F.col("id").isNotNull(), "amount_positive": F.col("amount") > 0}
d = spark.readStream.format("kafka").option("subscribe", "dq.in").load().select(F.from_json(F.col("value").cast("string"), "id STRING, amount DOUBLE, ts TIMESTAMP, note STRING").alias("r"), "timestamp").select("r.*", F.col("timestamp").alias("kafka_ts"))
d = d.withWatermark("ts", "1 day").dropDuplicates(["id", "ts"])
failed = F.array_compact(F.array(*[F.when(~rule, F.lit(name)) for name, rule in RULES.items()]))
checked = d.withColumn("failed", failed)
good = checked.where(F.size("failed") == 0).drop("failed", "kafka_ts")
bad = checked.where(F.size("failed") > 0).select("id", "failed", F.to_json(F.struct("*")).alias("raw"))
good.writeStream.format("delta").option("checkpointLocation", "/g").toTable("dq.good")
bad.writeStream.format("delta").option("checkpointLocation", "/b").toTable("dq.bad")
