from pyspark.sql import functions as F


class Sink:
    def __init__(self, fact, dim):
        self.fact, self.dim = fact, dim

    def __call__(self, df, epoch):
        df.persist()
        df.select("id", "amount", F.lit(epoch).alias("epoch")).write.mode("append").saveAsTable(self.fact)
        dims = df.select(F.col("shop").alias("name"), "city").dropDuplicates(["name"])
        dims.write.format("jdbc").option("url", "jdbc:mysql://db/stores").option("dbtable", self.dim).mode("append").save()
        df.unpersist()


r = spark.readStream.format("kafka").option("subscribe", "till.receipts").load()
r = r.select(F.from_json(r.value.cast("string"), "id STRING, amount DOUBLE, shop STRING, city STRING").alias("r")).select("r.*")
r.writeStream.foreachBatch(Sink("till.receipts", "shops")).option("checkpointLocation", "/c").start()
