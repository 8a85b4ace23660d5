from pyspark.sql import functions as F
class Cols:
    def __init__(self, *names): self.names = names
    def __iter__(self): return iter(self.names)
    def __getitem__(self, i): return self.names[i]
    def __add__(self, other): return Cols(*self.names, *other.names)
    def __rshift__(self, df): return df.select(*self)
ids, vals = Cols("id", "tenant"), Cols("total")
d = spark.read.format("kafka").option("subscribe", "dn.in").load().select(F.from_json(F.col("value").cast("string"), "id INT, tenant STRING, total DOUBLE, junk STRING").alias("j")).select("j.*")
out = (ids + vals) >> d
out.withColumn("first", F.col(ids[0])).write.saveAsTable("dn.out")
