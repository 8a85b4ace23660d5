from pyspark.sql.functions import col, expr, from_json

w = spark.readStream.format("kafka").option("subscribe", "weather").load().select(from_json(col("value").cast("string"), "station STRING, temp DOUBLE, wind DOUBLE").alias("w")).select("w.*")
w.select("station", expr("stack(2, 'temp', temp, 'wind', wind) AS (kind, amount)")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("met.values")
