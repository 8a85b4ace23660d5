from pyspark.sql.functions import col, from_json, struct, to_json

base = spark.readStream.format("kafka").option("subscribe", "app.logs").load()
logs = base.select(from_json(col("value").cast("string"), "level STRING, msg STRING, host STRING, trace STRING").alias("l")).select("l.*")
for level, topic in (("ERROR", "app.errors"), ("WARN", "app.warnings")):
    (logs.filter(col("level") == level)
     .select(col("trace").alias("key"), to_json(struct("msg", "host")).alias("value"))
     .writeStream.format("kafka").option("topic", topic).option("checkpointLocation", f"/c/{level}").start())
logs.writeStream.format("json").option("path", "/raw/logs").option("checkpointLocation", "/c/raw").start()
