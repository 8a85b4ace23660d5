# table crm.customers: cid STRING, name STRING, segment STRING
# table ref.segments: segment STRING, discount DOUBLE
from pyspark.sql.functions import broadcast, col, from_json

orders = spark.readStream.format("kafka").option("subscribe", "shop.orders").load().select(from_json(col("value").cast("string"), "oid STRING, cid STRING, amount DOUBLE").alias("o")).select("o.*")
customers = spark.table("crm.customers")
segments = spark.read.table("ref.segments")
j = orders.join(broadcast(customers), ["cid"], "left").join(segments, "segment", "left_outer")
j.select("oid", "cid", "name", (col("amount") * (1 - col("discount"))).alias("net")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("mart.orders")
