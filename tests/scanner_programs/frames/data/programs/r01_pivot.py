from pyspark.sql import functions as F
s = spark.read.format("kafka").option("subscribe", "pv.sales").load()
s = s.select(F.from_json(s["value"].cast("string"), "region STRING, product STRING, amount DOUBLE, day DATE").alias("p")).select("p.*")
out = s.groupBy("region").pivot("product", ["a", "b"]).agg(F.sum("amount"))
out.write.saveAsTable("pv.out")
