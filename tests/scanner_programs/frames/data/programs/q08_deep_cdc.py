from pyspark.sql import functions as F
from pyspark.sql import types as T


def struct(**kw):
    return T.StructType([T.StructField(k, v) for k, v in kw.items()])


ROW = struct(id=T.IntegerType(), total=T.DecimalType(10, 2), state=T.StringType())
SCHEMA = struct(payload=struct(before=ROW, after=ROW, source=struct(table=T.StringType(), lsn=T.LongType()), op=T.StringType()))
raw = spark.readStream.format("kafka").option("subscribe", "dbz.shop.orders").load()
p = raw.withColumn("payload", F.from_json(F.col("value").cast(T.StringType()), SCHEMA).payload)
rows = p.select(*[F.when(F.col("payload.op") == "d", F.col(f"payload.before.{c}")).otherwise(F.col(f"payload.after.{c}")).alias(c) for c in ROW.fieldNames()], F.col("payload.source.lsn").alias("_lsn"))
rows.writeStream.format("hudi").option("checkpointLocation", "/c").start("gs://lake/orders_cdc")
