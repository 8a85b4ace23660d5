from pyspark.sql import functions as F

raw = spark.read.format("kafka").option("subscribe", "lab.samples").load()
left = raw.select(F.from_json(F.col("value").cast("string"), "sid STRING, ph DOUBLE, site STRING").alias("x")).select("x.*")
right = spark.read.format("kafka").option("subscribe", "lab.sites").load().select(F.from_json(F.col("value").cast("string"), "site STRING, region STRING, active BOOLEAN").alias("y")).select("y.*")
m = left.join(right, (left.site == right["site"]) & right.active, how="inner").drop(right.site)
m.select(left["sid"], m.ph, F.col("site"), right.region.alias("area")).write.format("delta").save("/lake/samples")
