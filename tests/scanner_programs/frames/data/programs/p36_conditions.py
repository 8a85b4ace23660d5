import sys
from pyspark.sql import functions as F

DEBUG = False
df = spark.readStream.format("kafka").option("subscribe", "jobs.events").load()
df = df.select(F.from_json(F.col("value").cast("string"), "job STRING, state STRING, node STRING, err STRING").alias("j")).select("j.*")
if DEBUG:
    df = df.select("job")
else:
    df = df.filter(F.col("state") != "OK")
try:
    df = df.withColumn("err", F.substring("err", 1, 200))
except Exception:
    raise
finally:
    pass
with_node = True if not DEBUG else False
columns = ["job", "err"] + (["node"] if with_node else [])
df.select(*columns).writeStream.format("delta").option("checkpointLocation", "/c").toTable("ops.failed")
