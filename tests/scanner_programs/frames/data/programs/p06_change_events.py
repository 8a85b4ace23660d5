from pyspark.sql import functions as F

row = "STRUCT<id: BIGINT, email: STRING, city: STRING>"
envelope = f"before {row}, after {row}, op STRING, ts_ms BIGINT"
events = (spark.readStream.format("kafka").option("subscribe", "pg.public.customers").load()
          .select(F.from_json(F.col("value").cast("string"), envelope).alias("e")))
changes = events.select(
    F.coalesce("e.after.id", "e.before.id").alias("id"),
    F.col("e.after.email").alias("email"),
    F.when(F.col("e.op") == "d", F.lit(True)).otherwise(F.lit(False)).alias("deleted"),
    (F.col("e.ts_ms") / 1000).cast("timestamp").alias("changed_at"),
)
changes.writeStream.format("delta").option("checkpointLocation", "/c").start("s3a://lake/customers")
