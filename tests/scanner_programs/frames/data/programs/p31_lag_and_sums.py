from pyspark.sql import Window, functions as F

q = spark.read.format("kafka").option("subscribe", "quotes").load().select(F.from_json(F.col("value").cast("string"), "sym STRING, px DOUBLE, vol LONG, t TIMESTAMP").alias("q")).select("q.*")
by_symbol = Window.partitionBy("sym").orderBy("t")
q = (q.withColumn("prev", F.lag("px", 1).over(by_symbol))
     .withColumn("change", F.col("px") - F.col("prev"))
     .withColumn("volume", F.sum("vol").over(by_symbol.rowsBetween(Window.unboundedPreceding, Window.currentRow))))
q.select("sym", "t", "change", "volume").write.mode("append").insertInto("mkt.quotes")
