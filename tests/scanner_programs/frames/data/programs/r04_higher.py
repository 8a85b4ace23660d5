from pyspark.sql import functions as F
o = spark.readStream.format("kafka").option("subscribe", "ho.orders").load().select(F.from_json(F.col("value").cast("string"), "id STRING, qty ARRAY<INT>, price ARRAY<DOUBLE>, attrs MAP<STRING, STRING>").alias("o")).select("o.*")
r = (o.withColumn("lines", F.zip_with("qty", "price", lambda q, p: q * p))
      .withColumn("total", F.aggregate("lines", F.lit(0.0), lambda acc, x: acc + x))
      .withColumn("big", F.exists("price", lambda p: p > 100))
      .withColumn("colour", F.col("attrs")["colour"])
      .withColumn("size", F.element_at("attrs", "size"))
      .select("id", "total", "big", "colour", "size", F.array_max("qty").alias("most")))
r.writeStream.format("delta").option("checkpointLocation", "/x").toTable("ho.out")
