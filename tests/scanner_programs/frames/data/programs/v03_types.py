from pyspark.sql.types import *
import pyspark.sql.functions as F
FIELDS = {"id": LongType(), "price": DoubleType(), "qty": IntegerType(), "note": StringType()}
schema = StructType([StructField(n, t, True) for n, t in FIELDS.items()])
df = spark.read.format("kafka").option("subscribe", "bazaar").load().select(F.from_json(F.col("value").cast(StringType()), schema).alias("v")).select("v.*")
for f in schema.fields:
    if isinstance(f.dataType, StringType): df = df.withColumn(f.name, F.lower(F.col(f.name)))
    elif isinstance(f.dataType, DoubleType): df = df.withColumn(f.name + "_cents", (F.col(f.name) * 100).cast("long")).drop(f.name)
num = [f.name for f in df.schema.fields if f.name.endswith("_cents") or f.name == "qty"]
df.select("id", *num, "note", F.greatest(*num).alias("largest")).write.format("parquet").save("/out/bazaar")
