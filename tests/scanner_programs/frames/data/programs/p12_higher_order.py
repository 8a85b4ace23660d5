from pyspark.sql import functions as F

t = (spark.readStream.format("kafka").option("subscribe", "exam.results").load()
     .select(F.from_json(F.col("value").cast("string"), "pupil STRING, marks ARRAY<STRUCT<topic: STRING, points: INT>>, factor DOUBLE").alias("r")).select("r.*"))
out = (t.withColumn("points", F.transform("marks", lambda m: m["points"] * 2))
       .withColumn("good", F.filter("marks", lambda m: m.points > 10))
       .withColumn("total", F.aggregate("points", F.lit(0).cast("int"), lambda acc, x: acc + x))
       .select("pupil", "total", F.transform(F.col("good"), lambda g: g.getField("topic")).alias("topics"), F.exists("marks", lambda m: m.points == 0).alias("failed")))
out.writeStream.format("delta").option("checkpointLocation", "/c").toTable("school.results")
