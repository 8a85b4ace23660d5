import pyspark.sql.functions as F

i = spark.readStream.format("kafka").option("subscribe", "k.in").load()
o = i.withColumn("b", F.from_json(F.col("value").cast("string"), "id STRING, body STRUCT<t: STRING, n: INT>, tags ARRAY<STRING>")).select(
    F.col("b.id").alias("key"),
    F.to_json(F.named_struct(F.lit("ident"), F.col("b.id"), F.lit("title"), F.initcap("b.body.t"), F.lit("tags"), F.col("b.tags"))).alias("value"),
    F.lit("k.out").alias("topic"))
o.writeStream.format("kafka").option("checkpointLocation", "/c").start()
