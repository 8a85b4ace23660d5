from functools import reduce
from pyspark.sql import functions as F


def src(t, cols):
    df = spark.read.format("kafka").option("subscribe", t).load()
    js = F.col("value").cast("string")
    return df.select(*[F.get_json_object(js, f"$.{c}").alias(c) for c in cols])


parts = [src("e.user", ["uid", "mail"]), src("e.addr", ["uid", "zip"]), src("e.score", ["uid", "score"])]
wide = reduce(lambda l, r: l.join(r, on="uid", how="full_outer"), parts)
wide.withColumn("grade", F.when(F.col("score").cast("int") > 50, "A").otherwise("B")).drop("score").write.mode("overwrite").parquet("/e/wide")
