from contextlib import contextmanager
from pyspark.sql import functions as F
@contextmanager
def stage(name):
    yield name
KEYS = ("tenant", "id")
with stage("read") as s:
    e = spark.readStream.format("kafka").option("subscribe", "cx.events").load()
    e = e.select(F.from_json(F.col("value").cast("string"), "tenant STRING, id STRING, body STRUCT<a: INT, b: STRING>").alias("e"))
with stage("shape"):
    flat = e.select(*(F.col("e." + k) for k in KEYS), *[F.col(f"e.body.{n}").alias(f"body_{n}") for n in "ab"])
    flat = flat.withColumn("hash", F.sha2(F.concat_ws("|", *KEYS), 256))
flat.writeStream.format("iceberg").option("checkpointLocation", "/x").toTable("cx.out")
