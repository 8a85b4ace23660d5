from pyspark.sql.functions import col, expr, from_json

def topic(name, ddl):
    return spark.readStream.format("kafka").option("subscribe", name).load().select(from_json(col("value").cast("string"), ddl).alias("m"), col("timestamp").alias("ts")).select("m.*", "ts")

req = topic("api.requests", "id STRING, path STRING, who STRING").withWatermark("ts", "5 minutes").alias("req")
res = topic("api.responses", "id STRING, code INT, ms INT").withWatermark("ts", "5 minutes").alias("res")
both = req.join(res, expr("req.id = res.id AND res.ts BETWEEN req.ts AND req.ts + INTERVAL 5 MINUTES"), "leftOuter")
both.select(col("req.id"), "req.path", "res.code", col("res.ms").alias("latency")).writeStream.format("parquet").option("checkpointLocation", "/c").start("hdfs://nn:8020/api/calls")
