from pyspark.sql.functions import col, explode_outer, from_json, posexplode, size

s = "basket STRING, items ARRAY<STRUCT<sku: STRING, qty: INT, tags: ARRAY<STRING>>>"
b = spark.readStream.format("kafka").option("subscribe", "baskets").load().select(from_json(col("value").cast("string"), s).alias("b")).select("b.*")
lines = b.select("basket", size("items").alias("n"), posexplode("items").alias("pos", "item"))
lines.select("basket", "n", "pos", col("item.sku"), col("item").getField("qty").alias("qty"), explode_outer("item.tags").alias("tag")).writeStream.format("parquet").option("checkpointLocation", "/c").start("/lake/lines")
