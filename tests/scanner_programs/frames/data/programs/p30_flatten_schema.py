from pyspark.sql import functions as F
from pyspark.sql.types import StructType


def flatten(schema, prefix=""):
    found = []
    for part in schema.fields:
        name = f"{prefix}.{part.name}" if prefix else part.name
        if isinstance(part.dataType, StructType):
            found += flatten(part.dataType, name)
        else:
            found.append(F.col(name).alias(name.replace(".", "_")))
    return found


x = spark.readStream.format("kafka").option("subscribe", "iot.deep").load().select(F.from_json(F.col("value").cast("string"), "id STRING, s STRUCT<temp: DOUBLE, pos: STRUCT<lat: DOUBLE, lon: DOUBLE>>").alias("m")).select("m.*")
x.select(flatten(x.schema)).writeStream.format("delta").option("checkpointLocation", "/c").toTable("iot.flat")
