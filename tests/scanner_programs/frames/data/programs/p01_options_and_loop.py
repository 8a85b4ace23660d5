import os
from pyspark.sql.functions import col, from_json
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

SETTINGS = {"kafka.bootstrap.servers": os.environ.get("B", "k:9092"), "subscribe": "clicks", "startingOffsets": "latest"}
FIELDS = [("user_id", StringType()), ("url", StringType()), ("ms", IntegerType())]
schema = StructType([StructField(name, kind, True) for name, kind in FIELDS])
stream = spark.readStream.format("kafka").options(**SETTINGS).load()
parsed = stream.select(from_json(col("value").cast("string"), schema).alias("payload"), "timestamp")
flat = parsed.select(*[col(f"payload.{name}").alias(f"click_{name}") for name, _ in FIELDS], "timestamp")
flat.writeStream.format("delta").outputMode("append").option("checkpointLocation", "/c").toTable("web.clicks")
