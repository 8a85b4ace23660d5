from pyspark.sql import functions as F

u = spark.readStream.format("kafka").option("subscribe", "users").load().select(F.from_json(F.col("value").cast("string"), "u STRUCT<id: INT, name: STRING, pw: STRING>, src STRING").alias("x")).select("x.*")
u = u.withColumn("u", F.col("u").dropFields("pw").withField("source", F.col("src")))
u.select("u.id", F.col("u.source").alias("source"), F.col("u")["name"].alias("name")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("iam.users")
