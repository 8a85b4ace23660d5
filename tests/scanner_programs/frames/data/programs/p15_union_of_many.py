from functools import reduce
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

SOURCES = [("eu.payments", "pid STRING, amt DOUBLE, cur STRING"), ("us.payments", "pid STRING, amt DOUBLE, cur STRING"), ("ap.payments", "pid STRING, amt DOUBLE, cur STRING, note STRING")]


def load(topic, ddl):
    df = spark.readStream.format("kafka").option("subscribe", topic).load()
    return df.select(F.from_json(F.col("value").cast("string"), ddl).alias("j")).select("j.*").withColumn("origin", F.lit(topic.split(".")[0]))


frames = [load(t, d) for t, d in SOURCES]
merged = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), frames)
merged.filter("amt > 0").writeStream.format("delta").option("checkpointLocation", "/c").toTable("fin.payments")
