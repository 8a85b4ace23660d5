from pyspark.sql import functions as F

v = (spark.read.format("kafka").option("subscribe", "visits").load()
     .select(F.from_json(F.col("value").cast("string"), "page STRING, country STRING, ms BIGINT, bytes BIGINT").alias("v")).select("v.*"))
v.groupBy("page").agg({"ms": "avg", "bytes": "sum"}).toDF("page", "mean_ms", "bytes").write.saveAsTable("stat.pages")
v.groupBy(F.upper("country").alias("cc")).count().withColumnRenamed("count", "visits").write.saveAsTable("stat.countries")
v.groupBy("page", "country").max("ms").select("page", F.col("max(ms)").alias("slowest")).write.saveAsTable("stat.slowest")
v.rollup("country", "page").agg(F.countDistinct("ms").alias("d"), F.sum(F.when(F.col("ms") > 5, F.col("bytes")).otherwise(0)).alias("heavy")).write.saveAsTable("stat.rollup")
