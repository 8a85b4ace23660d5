import pyspark.sql.functions as F

x = spark.readStream.format("kafka").option("subscribe", "m.x").load().select(F.from_json(F.col("value").cast("string"), "a STRING, b STRING, n INT, d STRING, l ARRAY<INT>, o STRUCT<p: INT, q: INT>").alias("x")).select("x.*")
x.select(
    F.lpad("a", 10, "0").alias("c1"), F.date_add(F.to_date("d", "yyyy-MM-dd"), F.col("n")).alias("c2"), F.nvl("a", F.col("b")).alias("c3"),
    F.greatest("n", F.col("o.p")).alias("c4"), F.array_max("l").alias("c5"), F.sort_array(F.col("l"), asc=False)[0].alias("c6"),
    F.format_string("%s-%d", F.col("a"), F.col("n")).alias("c7"), F.col("a").substr(1, 3).alias("c8"), F.col("b").between("a", "z").alias("c9"),
    F.concat(F.col("a"), F.lit("_"), "b").alias("c10"), F.when(F.col("n").isNull() | (F.col("n") < 0), "neg").alias("c11"), F.struct("o.*").alias("c12"),
    F.monotonically_increasing_id().alias("c13"), F.current_timestamp().alias("c14"), F.regexp_extract("a", r"(\d+)", 1).cast("int").alias("c15"),
).writeStream.format("delta").option("checkpointLocation", "/c").toTable("m.y")
