from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StringType, StructField, StructType


@F.udf(returnType=StringType())
def mask(card):
    return card[-4:]


@F.udf("struct<lat: double, lon: double>")
def locate(address, country):
    return (0.0, 0.0)


ratio = F.udf(lambda a, b: a / b, DoubleType())
d = spark.readStream.format("kafka").option("subscribe", "cards").load().select(F.from_json(F.col("value").cast("string"), "card STRING, addr STRING, land STRING, used DOUBLE, max DOUBLE").alias("d")).select("d.*")
d = d.withColumn("geo", locate("addr", F.col("land")))
d.select(mask("card").alias("card"), "geo.lat", F.col("geo.lon"), ratio(F.col("used"), "max").alias("load")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("bank.cards")
