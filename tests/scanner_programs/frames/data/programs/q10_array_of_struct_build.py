from pyspark.sql import functions as F

c = spark.readStream.format("kafka").option("subscribe", "c.contacts").load().select(F.from_json(F.col("value").cast("string"), "id STRING, home STRING, work STRING, mails ARRAY<STRING>").alias("c")).select("c.*")
phones = F.array(F.struct(F.lit("home").alias("kind"), F.col("home").alias("nr")), F.struct(F.lit("work").alias("kind"), F.col("work").alias("nr")))
long = c.withColumn("phone", F.explode(phones)).select("id", "phone.kind", "phone.nr", F.array_join("mails", ";").alias("mails"), F.col("mails").getItem(0).alias("first_mail"))
long.writeStream.format("delta").option("checkpointLocation", "/c").toTable("c.phones")
