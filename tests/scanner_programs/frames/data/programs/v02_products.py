import itertools
from pyspark.sql import functions as F
TOPICS = {"eu": "tele.eu", "us": "tele.us"}
METRICS = ("cpu", "mem")
def readings():
    for region, topic in TOPICS.items():
        df = spark.read.format("kafka").option("subscribe", topic).load().select(F.from_json(F.col("value").cast("string"), "host STRING, cpu DOUBLE, mem DOUBLE, t TIMESTAMP").alias("m")).select("m.*")
        yield df.withColumn("region", F.lit(region))
def union_all(dfs):
    it = iter(dfs)
    acc = next(it)
    for d in it: acc = acc.unionByName(d)
    return acc
aggs = [f(m).alias(f"{n}_{m}") for (n, f), m in itertools.product({"avg": F.avg, "max": F.max}.items(), METRICS)]
union_all(readings()).groupBy("region", "host").agg(*aggs).write.saveAsTable("tele.hosts")
