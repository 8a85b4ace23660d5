import pyspark.sql.functions as F
from itertools import chain
M = {"DE": "Germany", "FR": "France"}
mapping = F.create_map(*[F.lit(x) for x in chain(*M.items())])
s = spark.readStream.format("kafka").option("subscribe", "geo.hits").load().select(F.from_json(F.col("value").cast("string"), "ip STRING, cc STRING, ms INT").alias("j")).select("j.*")
s.withColumn("land", mapping[F.col("cc")]).withColumn("slow", F.col("ms") > F.lit(500)).drop("cc", "ms").writeStream.format("delta").toTable("geo.out")
