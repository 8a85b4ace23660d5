import pyspark.sql.functions as F
def flatten(schema, prefix=""):
    out = []
    for f in schema.fields:
        n = f"{prefix}{f.name}"
        if f.dataType.typeName() == "struct": out += flatten(f.dataType, n + ".")
        else: out.append(n)
    return out
from pyspark.sql.types import StructType
S = StructType.fromDDL("id STRING, person STRUCT<name: STRUCT<first: STRING, last: STRING>, age: INT>, geo STRUCT<lat: DOUBLE>")
d = spark.read.format("kafka").option("subscribe", "survey").load().select(F.from_json(F.col("value").cast("string"), S).alias("s")).select("s.*")
d.select([F.col(c).alias(c.replace(".", "_")) for c in flatten(d.schema)]).write.saveAsTable("survey.flat")
