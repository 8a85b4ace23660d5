from delta.tables import DeltaTable
from pyspark.sql import functions as F

src = spark.readStream.format("kafka").option("subscribe", "inv.stock").load()
stock = src.select(F.from_json(F.col("value").cast("string"), "sku STRING, wh STRING, qty INT, at TIMESTAMP").alias("v")).select("v.*")


def upsert(micro_batch, batch_id):
    newest = micro_batch.groupBy("sku", "wh").agg(F.max(F.struct("at", "qty")).alias("m")).select("sku", "wh", F.col("m.qty").alias("qty"), F.col("m.at").alias("at"))
    (DeltaTable.forName(spark, "inv.stock").alias("t")
     .merge(newest.alias("s"), "t.sku = s.sku AND t.wh = s.wh")
     .whenMatchedUpdateAll().whenNotMatchedInsertAll().execute())


stock.writeStream.foreachBatch(upsert).outputMode("update").option("checkpointLocation", "/c").start()
