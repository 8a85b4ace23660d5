from pyspark.sql import functions as F

a = spark.readStream.format("kafka").option("subscribe", "all.alerts").load().select(F.from_json(F.col("value").cast("string"), "sev INT, text STRING, rule STRING").alias("a")).select("a.*")
out = a.select(F.when(F.col("sev") > 7, F.lit("alerts.high")).otherwise(F.lit("alerts.low")).alias("topic"), F.col("rule").alias("key"), F.to_json(F.struct("sev", "text")).alias("value"))
out.writeStream.format("kafka").option("kafka.bootstrap.servers", "k:9092").option("checkpointLocation", "/c").start()
