import pyspark.sql.functions as fn

t = spark.readStream.format("kafka").option("subscribe", "tickets").load().selectExpr("CAST(value AS STRING) AS j").select(fn.from_json("j", "id INT, prio STRING, opened TIMESTAMP, closed TIMESTAMP, team STRING, backup STRING").alias("t")).select("t.*")
sla = fn.when(t.prio == "P1", 4).when(t.prio.isin("P2", "P3"), 24).otherwise(72)
owner = fn.when(fn.col("team").isNull(), fn.col("backup")).otherwise(fn.col("team"))
hours = (fn.unix_timestamp("closed") - fn.unix_timestamp("opened")) / 3600
t.select("id", sla.alias("sla"), owner.alias("owner"), hours.alias("hours"), (hours > sla).alias("late")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("help.tickets")
