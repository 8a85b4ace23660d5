from pyspark.sql import functions as F

o = (spark.readStream.format("kafka").option("subscribe", "web.orders").load()
     .select(F.from_json(F.decode("value", "UTF-8"), "id STRING, cust STRUCT<id: STRING, addr: STRUCT<zip: STRING, city: STRING>>, total DOUBLE").alias("o"))
     .select("o.*"))
doc = F.struct(
    F.col("id").alias("orderId"),
    F.struct(F.col("cust.id").alias("id"), F.col("cust.addr.zip").alias("zip")).alias("customer"),
    F.col("total"),
)
o.select(F.to_json(doc).alias("value")).writeStream.format("kafka").option("topic", "orders.v2").option("checkpointLocation", "/c").start()
