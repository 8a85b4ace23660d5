from pyspark.sql.functions import col, from_json, struct, to_json, array, lit
cols = ["a", "b", "c"]
d = spark.readStream.format("kafka").option("subscribe", "wide.in").load().select(from_json(col("value").cast("string"), ", ".join(c + " STRING" for c in cols)).alias("v"), col("key").cast("string").alias("k"))
doc = struct(*[col("v." + c).alias(c.upper()) for c in cols if c != "b"], array(col("v.a"), col("v.b")).alias("pair"), lit(1).alias("version"))
d.select(col("k").alias("key"), to_json(doc).alias("value")).writeStream.format("kafka").option("topic", "wide.out").start()
