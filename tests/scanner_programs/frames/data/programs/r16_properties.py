from pyspark.sql import functions as F, Window
class Job:
    topic = "pr.in"
    def __init__(self, spark, target): self.spark = spark; self._target = target
    @property
    def source(self):
        return self.spark.readStream.format("kafka").option("subscribe", self.topic).load()
    @staticmethod
    def _parse(df, schema): return df.select(F.from_json(F.col("value").cast("string"), schema).alias("x"), "timestamp").select("x.*", F.col("timestamp").alias("arrived"))
    @classmethod
    def create(cls, target): return cls(spark, target)
    def run(self):
        w = Window.partitionBy("id").orderBy(F.col("seq").desc())
        df = self._parse(self.source, "id STRING, seq INT, state STRING")
        return (df.withColumn("n", F.row_number().over(w)).filter("n = 1").drop("n", "arrived")
                  .withColumn("prev", F.lag("state", 1).over(Window.partitionBy("id").orderBy("seq"))).writeStream.toTable(self._target))
if __name__ == "__main__":
    Job.create("pr.out").run()
