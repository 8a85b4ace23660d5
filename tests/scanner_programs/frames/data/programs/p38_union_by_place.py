from pyspark.sql.functions import col, from_json, lit

a = spark.read.format("kafka").option("subscribe", "src.a").load().select(from_json(col("value").cast("string"), "x STRING, y INT").alias("a")).select("a.x", "a.y", lit("a").alias("src"))
b = spark.read.format("kafka").option("subscribe", "src.b").load().select(from_json(col("value").cast("string"), "p STRING, q INT, z INT").alias("b")).select(col("b.p"), col("b.q") + col("b.z"), lit("b"))
a.union(b).distinct().write.format("jdbc").option("url", "jdbc:postgresql://db:5432/app").option("dbtable", "public.joined").save()
