from pyspark.sql.functions import col, get_json_object, json_tuple

r = spark.readStream.format("kafka").option("subscribe", "misc.json").load().withColumn("s", col("value").cast("string"))
r.select(json_tuple("s", "kind", "size").alias("kind", "bytes"), get_json_object("s", "$.meta.author.name").alias("author"), get_json_object(col("s"), "$.tags[0]").alias("tag")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("misc.docs")
