from pyspark.sql import functions as F

s = spark.read.format("kafka").option("subscribe", "shop.lines").load().select(F.from_json(F.col("value").cast("string"), "oid STRING, sku STRING, qty INT, cust STRING").alias("l")).select("l.*")
orders = s.groupBy("oid").agg(F.first("cust").alias("cust"), F.collect_list(F.struct("sku", "qty")).alias("lines"), F.sum("qty").alias("pieces"))
orders.select(F.col("oid").cast("string").alias("key"), F.to_json(F.struct(F.col("oid"), F.col("cust"), F.col("lines"), F.col("pieces"))).alias("value")).write.format("kafka").option("topic", "shop.orders.full").save()
orders.select("oid", F.explode("lines").alias("x")).select("oid", "x.sku").write.saveAsTable("shop.pairs")
