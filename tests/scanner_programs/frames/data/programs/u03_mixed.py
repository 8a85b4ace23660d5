from pyspark.sql import functions as F, Window as W
def top_n(df, by, order, n=3):
    w = W.partitionBy(*by).orderBy(*[F.desc(o) for o in order])
    return df.withColumn("_r", F.dense_rank().over(w)).where(F.col("_r") <= n).drop("_r")
b = spark.read.format("kafka").option("subscribe", "shop.sales").load()
b = b.select(F.from_json(b.value.cast("string"), "shop STRING, item STRING, n INT, day DATE").alias("x")).select("x.*")
agg = b.groupBy("shop", "item").agg(F.sum("n").alias("n"), F.max("day").alias("last"))
top_n(agg, by=["shop"], order=["n", "last"]).write.mode("overwrite").saveAsTable("shop.top")
