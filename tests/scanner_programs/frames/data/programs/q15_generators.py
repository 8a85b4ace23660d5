from pyspark.sql import functions as F


def topics():
    yield "g.a", ["x", "y"]
    yield "g.b", ["x", "z"]


def streams():
    for name, fields in topics():
        ddl = ", ".join("%s STRING" % f for f in fields)
        s = spark.readStream.format("kafka").option("subscribe", name).load()
        yield name, s.select(F.from_json(F.col("value").cast("string"), ddl).alias("m")).select("m.*")


for name, s in streams():
    s.withColumn("src", F.lit(name)).writeStream.format("delta").option("checkpointLocation", "/c/" + name).toTable("g_" + name.split(".")[1])
