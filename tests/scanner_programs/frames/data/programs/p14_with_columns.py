from pyspark.sql.functions import col, concat_ws, from_json, initcap, lit, sha2, split, trim

p = spark.readStream.format("kafka").option("subscribe", "people").load().select(from_json(col("value").cast("string"), "first STRING, last STRING, mail STRING, phone STRING").alias("p")).select("p.*")
p = p.withColumns({"full": concat_ws(" ", initcap("first"), trim(col("last"))), "domain": split("mail", "@")[1], "mail": sha2(col("mail"), 256)})
p.select("full", "domain", "mail", lit("v1").alias("version")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("ppl.people")
