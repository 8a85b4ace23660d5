from pyspark.sql import functions as F
d = spark.read.format("kafka").option("subscribe", "ml.in").load().select(F.from_json(F.col("value").cast("string"), "k STRING, a INT, b INT, c INT").alias("j")).select("j.*")
d.groupBy("k").pivot("a", [1, 2]).agg(F.sum("b").alias("s"), F.max("c").alias("m")).write.saveAsTable("ml.piv")
